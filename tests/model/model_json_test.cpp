#include <gtest/gtest.h>

#include "regatta/base/error.hpp"
#include "regatta/model/catalogue.hpp"

namespace regatta::model {
namespace {

std::string error_of(const std::string& json) {
  try {
    parse_model(json);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// A model whose list of layers is `layers`.
std::string with_layers(const std::string& layers, const std::string& input = "[13]") {
  return R"({"name": "odd", "input": )" + input + R"(, "layers": )" + layers +
         R"(, "loss": "mse", "optimizer": {"sgd": {"learning_rate": 0.1}}})";
}

std::string with_optimizer(const std::string& optimizer) {
  return R"({"name": "odd", "input": [13], "layers": [{"dense": 2}], "loss": "mse", "optimizer": )" + optimizer + "}";
}

TEST(ModelJson, ReadsTheExampleOfTheDocumentation) {
  const Model model = parse_model(
      R"({"name": "odd", "input": [13], "layers": [{"dense": 29, "activation": "tanh"}, {"dropout": 0.5},
          {"dense": 3, "activation": "softmax"}],
          "loss": "sparse_categorical_crossentropy", "optimizer": {"adam": {"learning_rate": 0.003}}})");
  const Network expected{"odd",
                         {13},
                         {Dense{29, Activation::tanh}, Dropout{0.5}, Dense{3, Activation::softmax}},
                         Loss::sparse_categorical_crossentropy,
                         Adam{0.003}};
  EXPECT_EQ(model, Model(expected));
}

TEST(ModelJson, ReadsEveryNamedModelBackUnchanged) {
  for (const std::string& name : model_names()) {
    const Model model = *find_model(name, 1400);
    EXPECT_EQ(parse_model(to_json(model)), model) << name;
  }
}

TEST(ModelJson, ReadsEveryKindOfLayerBackUnchanged) {
  const Network sequence{
      "sequence",
      {40},
      {Embedding{100, 8}, LayerNorm{}, Bidirectional{Lstm{5, Activation::relu, true}},
       Conv1d{6, 3, 2, Padding::same, Activation::sigmoid}, MaxPool{2}, Lstm{4, Activation::tanh, true}, AveragePool{2},
       BatchNorm{}, Dropout{0.1}, GlobalAveragePool{}, Dense{3}},
      Loss::mse,
      Sgd{0.1, 0.9}};
  EXPECT_EQ(parse_model(to_json(sequence)), Model(sequence));
  const Network image{"image \"2\"\n",
                      {9, 9, 2},
                      {Conv2d{6, 3, 2, Padding::same, Activation::tanh}, Flatten{}, Dense{3, Activation::softmax}},
                      Loss::sparse_categorical_crossentropy,
                      Adam{0.1, 0.8, 0.99, 1e-8}};
  EXPECT_EQ(parse_model(to_json(image)), Model(image));
}

TEST(ModelJson, IsWrittenWithEveryKey) {
  EXPECT_EQ(
      to_json(*find_model("mlp-10", 140)),
      R"({"name":"mlp-10","input":[10],"layers":[{"dense":50,"activation":"relu"},{"dense":1,"activation":"none"}],)"
      R"("loss":"mse","optimizer":{"sgd":{"learning_rate":0.01,"momentum":0.0}}})");
  EXPECT_EQ(to_json(*find_model("noop", 140)), R"({"name":"noop","noop":true})");
}

TEST(ModelJson, DoesNotDependOnTheOrderOfKeys) {
  EXPECT_EQ(parse_model(with_layers(R"([{"activation": "relu", "dense": 3}])")),
            parse_model(with_layers(R"([{"dense": 3, "activation": "relu"}])")));
}

TEST(ModelJson, SuggestsTheNameThatWasMeant) {
  EXPECT_EQ(
      error_of(R"({"nam": "x"})"),
      R"(/nam: found an unknown key, expected one of "name", "input", "layers", "loss", "optimizer"; did you mean "name"?)");
  EXPECT_EQ(
      error_of(with_layers(R"([{"dense": 3, "activaton": "relu"}])")),
      R"(/layers/0/activaton: found an unknown key, expected one of "dense", "activation"; did you mean "activation"?)");
  EXPECT_EQ(error_of(with_layers(R"([{"dense": 4}, {"dense": 3, "activation": "rleu"}])")),
            R"(/layers/1/activation: found "rleu", expected one of "none", "relu", "sigmoid", "tanh", "softmax"; )"
            R"(did you mean "relu"?)");
  EXPECT_EQ(
      error_of(with_layers(R"([{"conv_1d": 3}])")),
      R"(/layers/0/conv_1d: found no kind of layer, expected one of "dense", "conv1d", "conv2d", "lstm", "bidirectional", )"
      R"("max_pool", "average_pool", "global_average_pool", "flatten", "dropout", "batch_norm", "layer_norm", "embedding"; )"
      R"(did you mean "conv1d"?)");
  EXPECT_EQ(error_of(with_optimizer(R"({"sdg": {"learning_rate": 1}})")),
            R"(/optimizer/sdg: found an unknown key, expected one of "sgd", "adam"; did you mean "sgd"?)");
}

TEST(ModelJson, SuggestsNothingForANameThatIsFarFromAll) {
  EXPECT_EQ(error_of(R"({"name": "odd", "haskell": "M.hs:build"})"),
            R"(/haskell: found an unknown key, expected one of "name", "input", "layers", "loss", "optimizer")");
}

TEST(ModelJson, NamesTheValueThatIsWrong) {
  EXPECT_EQ(error_of("[]"), ": found a list, expected an object");
  EXPECT_EQ(error_of("{}"), R"(: found an object without it, expected the key "name")");
  EXPECT_EQ(error_of(with_layers(R"([{"dense": 3.5}])")),
            "/layers/0/dense: found 3.5, expected a whole number from 1 to 2147483647");
  EXPECT_EQ(error_of(with_layers(R"([{"dense": 2147483648}])")),
            "/layers/0/dense: found 2147483648, expected a whole number from 1 to 2147483647");
  EXPECT_EQ(error_of(with_layers(R"([{"dense": 18446744073709551615}])")),
            "/layers/0/dense: found 18446744073709551615, expected a whole number from 1 to 2147483647");
  EXPECT_EQ(error_of(with_layers(R"([{"dropout": -0.5}])")),
            "/layers/0/dropout: found -0.5, expected a number of at least 0, below 1");
  EXPECT_EQ(error_of(with_layers(R"([{"flatten": 3}])")),
            "/layers/0/flatten: found 3, expected true (this layer has no size)");
  EXPECT_EQ(error_of(with_layers(R"(["flatten"])")),
            R"(/layers/0: found "flatten", expected an object that names a layer)");
  EXPECT_EQ(error_of(with_layers("[]")), "/layers: found a list, expected a list of 1 to 10000 layers");
  EXPECT_EQ(error_of(with_layers(R"([{"lstm": 3, "return_sequences": 1}])", "[4, 5]")),
            "/layers/0/return_sequences: found 1, expected true or false");
  EXPECT_EQ(error_of(with_layers(R"([{"dense": 3}])", "[4, -5]")),
            "/input/1: found -5, expected a whole number from 1 to 2147483647");
  EXPECT_EQ(error_of(with_optimizer(R"({"adam": {"learning_rate": 0}})")),
            "/optimizer/adam/learning_rate: found 0, expected a number above 0");
  EXPECT_EQ(error_of(with_optimizer("{}")), R"(/optimizer: found an object with 0 keys, expected "sgd" or "adam")");
  EXPECT_EQ(error_of(R"({"name": "m", "matmul": 0})"),
            "/matmul: found 0, expected a whole number from 1 to 2147483647");
}

TEST(ModelJson, ShowsTheNumberThatIsNoSize) {
  const auto error_for = [](const std::string& number) {
    return error_of(with_layers("[{\"dense\": " + number + "}]"));
  };
  const auto found = [](const std::string& shown) {
    return "/layers/0/dense: found " + shown + ", expected a whole number from 1 to 2147483647";
  };
  EXPECT_EQ(error_for("9223372036854775808"), found("9223372036854775808"));
  EXPECT_EQ(error_for("18446744073709551615"), found("18446744073709551615"));
  EXPECT_EQ(error_for("18446744073709551616"), found("1.8446744073709552e+19"));
  EXPECT_EQ(error_for("1e15"), found("1e+15"));
  EXPECT_EQ(error_for("1e16"), found("1e+16"));
  EXPECT_EQ(error_for("1e5"), found("100000.0"));
  EXPECT_EQ(error_for("-0.0"), found("-0.0"));
  EXPECT_EQ(error_for("-0"), found("0"));
}

TEST(ModelJson, ShowsValuesThatAreNoSize) {
  const auto error_for = [](const std::string& value) { return error_of(with_layers("[{\"dense\": " + value + "}]")); };
  const auto found = [](const std::string& shown) {
    return "/layers/0/dense: found " + shown + ", expected a whole number from 1 to 2147483647";
  };
  EXPECT_EQ(error_for("null"), found("null"));
  EXPECT_EQ(error_for("[]"), found("a list"));
  EXPECT_EQ(error_for("[1]"), found("a list"));
  EXPECT_EQ(error_for("{}"), found("an object"));
  EXPECT_EQ(error_for("\"\u00e9\""), found("\"\\u00e9\""));
  EXPECT_EQ(error_for("\"a\\nb\""), found("\"a\\nb\""));
  EXPECT_EQ(error_for('"' + std::string(70, 'x') + '"'), found('"' + std::string(59, 'x') + "..."));
}

TEST(ModelJson, ShowsKeysThatAreUnknown) {
  const std::string expected =
      R"(: found an unknown key, expected one of "name", "input", "layers", "loss", "optimizer")";
  EXPECT_EQ(error_of("{\"na\u00efvet\u00e9\": 1}"), "/na\\u00efvet\\u00e9" + expected);
  EXPECT_EQ(error_of("{\"" + std::string(70, 'x') + "\": 1}"), '/' + std::string(59, 'x') + ".." + expected);
}

TEST(ModelJson, NamesPlacesDeepInside) {
  const auto error_for = [](const std::string& layers) { return error_of(with_layers(layers, "[4, 2]")); };
  EXPECT_EQ(error_for(R"([{"bidirectional": {"lstm": 3, "return_sequences": 1}}])"),
            "/layers/0/bidirectional/return_sequences: found 1, expected true or false");
  EXPECT_EQ(error_for(R"([{"bidirectional": {"lstm": 3, "activaton": "relu"}}])"),
            R"(/layers/0/bidirectional/activaton: found an unknown key, expected one of "lstm", "activation", )"
            R"("return_sequences"; did you mean "activation"?)");
  EXPECT_EQ(error_for(R"([{"conv1d": 3}])"), R"(/layers/0: found an object without it, expected the key "kernel")");
  EXPECT_EQ(error_for(R"([{"bidirectional": {}}])"),
            R"(/layers/0/bidirectional: found an object without it, expected the key "lstm")");
  EXPECT_EQ(error_for(R"([{"dense": 3, "dense": 4}])"),
            R"(: found key "dense" stands twice in one object, expected a model as JSON)");
  EXPECT_EQ(
      error_for("[{}]"),
      R"(/layers/0: found an empty object, expected one of "dense", "conv1d", "conv2d", "lstm", "bidirectional", )"
      R"("max_pool", "average_pool", "global_average_pool", "flatten", "dropout", "batch_norm", "layer_norm", )"
      R"("embedding")");
  EXPECT_EQ(error_of(with_layers(R"([{"dense": 3}])", "[]")),
            "/input: found a list, expected a list of 1 to 3 sizes, without the batch");
  EXPECT_EQ(error_of(R"({"name": "", "matmul": 3})"), R"(/name: found "", expected a text of at least one character)");
}

TEST(ModelJson, HasOneKindForEachLayer) {
  EXPECT_EQ(error_of(with_layers(R"([{"dense": 3, "flatten": true}])")),
            R"(/layers/0: found both "dense" and "flatten", expected one kind of layer)");
}

TEST(ModelJson, NamesTheLayerThatDoesNotFit) {
  EXPECT_EQ(error_of(with_layers(R"([{"conv1d": 3, "kernel": 2}, {"conv1d": 3, "kernel": 40}])", "[13, 2]")),
            "/layers/1: found a layer that does not fit, expected one that fits (odd at length 13: kernel 40 is longer "
            "than its "
            "input of 12 in layer 1 (conv1d); give a longer input or a shorter kernel)");
  EXPECT_EQ(error_of(with_layers(R"([{"dense": 3}])", "[13, 2]")),
            "/layers: found layers whose output has 2 axes, expected one axis (end with a flatten or a pooling)");
}

TEST(ModelJson, RefusesWhatIsNotOneJsonValue) {
  EXPECT_EQ(error_of(R"({"name": "a", "name": "b"})"),
            R"(: found key "name" stands twice in one object, expected a model as JSON)");
  EXPECT_EQ(error_of("{} {}"), ": found JSON that is malformed at byte 4, expected a model as JSON");
  EXPECT_EQ(error_of(""), ": found JSON that is malformed at byte 1, expected a model as JSON");
  EXPECT_EQ(error_of("{\"name\": \"\xff\"}"), ": found JSON that is malformed at byte 11, expected a model as JSON");
  EXPECT_EQ(error_of(std::string(100'000, '[')),
            ": found JSON that is nested deeper than 64 levels, expected a model as JSON");
  EXPECT_EQ(error_of(with_optimizer(R"({"sgd": {"learning_rate": 1e999}})")),
            ": found a number that no double holds, expected a model as JSON");
}

TEST(ModelJson, EscapesAnUnknownKeyInThePointer) {
  EXPECT_EQ(error_of(R"({"a/b~\n": 1})"),
            R"(/a~1b~0\n: found an unknown key, expected one of "name", "input", "layers", "loss", "optimizer")");
}

}  // namespace
}  // namespace regatta::model
