#include <gtest/gtest.h>

#include "json/input_error.hpp"
#include "regatta/model/catalogue.hpp"

namespace regatta::model {
namespace {

/// The problem with this model, after the place "model:1: ".
std::string error_of(const std::string& json) {
  constexpr std::string_view place = "model:1: ";
  const std::string error = input_error([&] { (void)parse_model(json); });
  return error.starts_with(place) ? error.substr(place.size()) : "without its place: " + error;
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
       BatchNorm{0.9, 1e-5}, Dropout{0.1}, GlobalAveragePool{}, Dense{3}},
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

TEST(ModelJson, BatchNormHasMomentumAndEpsilon) {
  const auto norm_of = [](const std::string& layer) {
    return std::get<BatchNorm>(std::get<Network>(parse_model(with_layers("[" + layer + "]"))).layers.front());
  };
  EXPECT_EQ(norm_of(R"({"batch_norm": true})"), (BatchNorm{.momentum = 0.99, .epsilon = 1e-3}));
  EXPECT_EQ(norm_of(R"({"batch_norm": true, "momentum": 0.9, "epsilon": 1e-5})"), (BatchNorm{0.9, 1e-5}));
  EXPECT_EQ(error_of(with_layers(R"([{"batch_norm": false}])")),
            "/layers/0/batch_norm: found false, expected true (this layer has no size)");
  EXPECT_EQ(error_of(with_layers(R"([{"batch_norm": true, "momentum": 1}])")),
            "/layers/0/momentum: found 1, expected a number of at least 0, below 1");
  EXPECT_EQ(error_of(with_layers(R"([{"batch_norm": true, "epsilon": 0}])")),
            "/layers/0/epsilon: found 0, expected a number above 0");
}

TEST(ModelJson, DoesNotDependOnTheOrderOfKeys) {
  EXPECT_EQ(parse_model(with_layers(R"([{"activation": "relu", "dense": 3}])")),
            parse_model(with_layers(R"([{"dense": 3, "activation": "relu"}])")));
}

TEST(ModelJson, SuggestsTheNameThatWasMeant) {
  EXPECT_EQ(
      error_of(R"({"nam": "x"})"),
      R"(/nam: found the unknown key "nam", expected "name", "input", "layers", "loss" or "optimizer"; did you mean "name"?)");
  EXPECT_EQ(
      error_of(with_layers(R"([{"dense": 3, "activaton": "relu"}])")),
      R"(/layers/0/activaton: found the unknown key "activaton", expected "dense" or "activation"; did you mean "activation"?)");
  EXPECT_EQ(error_of(with_layers(R"([{"dense": 4}, {"dense": 3, "activation": "rleu"}])")),
            R"(/layers/1/activation: found "rleu", expected "none", "relu", "sigmoid", "tanh" or "softmax"; )"
            R"(did you mean "relu"?)");
  EXPECT_EQ(
      error_of(with_layers(R"([{"conv_1d": 3}])")),
      R"(/layers/0/conv_1d: found no kind of layer, expected "dense", "conv1d", "conv2d", "lstm", "bidirectional", )"
      R"("max_pool", "average_pool", "global_average_pool", "flatten", "dropout", "batch_norm", "layer_norm" or "embedding"; )"
      R"(did you mean "conv1d"?)");
  EXPECT_EQ(error_of(with_optimizer(R"({"sdg": {"learning_rate": 1}})")),
            R"(/optimizer/sdg: found the unknown key "sdg", expected "sgd" or "adam"; did you mean "sgd"?)");
}

TEST(ModelJson, SuggestsNothingForANameThatIsFarFromAll) {
  EXPECT_EQ(error_of(R"({"name": "odd", "haskell": "M.hs:build"})"),
            R"(/haskell: found the unknown key "haskell", expected "name", "input", "layers", "loss" or "optimizer")");
}

TEST(ModelJson, NamesTheValueThatIsWrong) {
  EXPECT_EQ(error_of("[]"), "found an empty list, expected an object");
  EXPECT_EQ(error_of("{}"), "/name: found nothing, expected a text of at least one character");
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
  EXPECT_EQ(error_of(with_layers("[]")), "/layers: found an empty list, expected a list of 1 to 10000 layers");
  EXPECT_EQ(error_of(with_layers(R"([{"lstm": 3, "return_sequences": 1}])", "[4, 5]")),
            "/layers/0/return_sequences: found 1, expected true or false");
  EXPECT_EQ(error_of(with_layers(R"([{"dense": 3}])", "[4, -5]")),
            "/input/1: found -5, expected a whole number from 1 to 2147483647");
  EXPECT_EQ(error_of(with_optimizer(R"({"adam": {"learning_rate": 0}})")),
            "/optimizer/adam/learning_rate: found 0, expected a number above 0");
  EXPECT_EQ(error_of(with_optimizer(R"({"sgd": {"learning_rate": 1}, "adam": {"learning_rate": 1}})")),
            R"(/optimizer: found an object with both, expected an object with the key "sgd" or "adam")");
  EXPECT_EQ(error_of(with_optimizer("{}")),
            R"(/optimizer: found an empty object, expected an object with the key "sgd" or "adam")");
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
  EXPECT_EQ(error_for("18446744073709551616"), found("18446744073709551616"));
  EXPECT_EQ(error_for("1e15"), found("1e15"));
  EXPECT_EQ(error_for("1e16"), found("1e16"));
  EXPECT_EQ(error_for("1e5"), found("1e5"));
  EXPECT_EQ(error_for("-0.0"), found("-0.0"));
  EXPECT_EQ(error_for("-0"), found("0"));
}

TEST(ModelJson, ShowsValuesThatAreNoSize) {
  const auto error_for = [](const std::string& value) { return error_of(with_layers("[{\"dense\": " + value + "}]")); };
  const auto found = [](const std::string& shown) {
    return "/layers/0/dense: found " + shown + ", expected a whole number from 1 to 2147483647";
  };
  EXPECT_EQ(error_for("null"), found("null"));
  EXPECT_EQ(error_for("[]"), found("an empty list"));
  EXPECT_EQ(error_for("[1]"), found("a list"));
  EXPECT_EQ(error_for("{}"), found("an empty object"));
  EXPECT_EQ(error_for("\"\u00e9\""), found("\"\u00e9\""));
  EXPECT_EQ(error_for("\"a\\nb\""), found("\"a\\nb\""));
  EXPECT_EQ(error_for('"' + std::string(70, 'x') + '"'), found('"' + std::string(60, 'x') + "...\""));
}

TEST(ModelJson, ShowsKeysThatAreUnknown) {
  const auto found = [](const std::string& key) {
    return '/' + key + ": found the unknown key \"" + key +
           R"(", expected "name", "input", "layers", "loss" or "optimizer")";
  };
  EXPECT_EQ(error_of("{\"na\u00efvet\u00e9\": 1}"), found("na\u00efvet\u00e9"));
  EXPECT_EQ(error_of("{\"" + std::string(70, 'x') + "\": 1}"), found(std::string(60, 'x') + "..."));
}

TEST(ModelJson, NamesPlacesDeepInside) {
  const auto error_for = [](const std::string& layers) { return error_of(with_layers(layers, "[4, 2]")); };
  EXPECT_EQ(error_for(R"([{"bidirectional": {"lstm": 3, "return_sequences": 1}}])"),
            "/layers/0/bidirectional/return_sequences: found 1, expected true or false");
  EXPECT_EQ(error_for(R"([{"bidirectional": {"lstm": 3, "activaton": "relu"}}])"),
            R"(/layers/0/bidirectional/activaton: found the unknown key "activaton", expected "lstm", "activation" )"
            R"(or "return_sequences"; did you mean "activation"?)");
  EXPECT_EQ(error_for(R"([{"conv1d": 3}])"),
            "/layers/0/kernel: found nothing, expected a whole number from 1 to 2147483647");
  EXPECT_EQ(error_for(R"([{"bidirectional": {}}])"),
            "/layers/0/bidirectional/lstm: found nothing, expected a whole number from 1 to 2147483647");
  EXPECT_EQ(error_for(R"([{"dense": 3, "dense": 4}])"),
            R"(/layers/0/dense: found the key "dense" a second time (first on line 1), expected each key once)");
  EXPECT_EQ(error_for("[{}]"),
            R"(/layers/0: found an empty object, expected "dense", "conv1d", "conv2d", "lstm", "bidirectional", )"
            R"("max_pool", "average_pool", "global_average_pool", "flatten", "dropout", "batch_norm", "layer_norm" )"
            R"(or "embedding")");
  EXPECT_EQ(error_of(with_layers(R"([{"dense": 3}])", "[]")),
            "/input: found an empty list, expected a list of 1 to 3 sizes, without the batch");
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
            R"(/name: found the key "name" a second time (first on line 1), expected each key once)");
  EXPECT_EQ(error_of("{} {}"), "found more text after the end of the document, expected one JSON document");
  EXPECT_EQ(error_of(""), "found no JSON: the text is empty, expected JSON");
  EXPECT_EQ(error_of("{\"name\": \"\xff\"}"), "found the byte 0xff that is not UTF-8, expected JSON in UTF-8");
  EXPECT_EQ(error_of(std::string(100'000, '[')), "found lists or objects nested deeper than 64, expected at most 64");
  EXPECT_EQ(error_of(with_optimizer(R"({"sgd": {"learning_rate": 1e999}})")),
            "found a number that no double holds, expected one of at most 1.8e308");
}

TEST(ModelJson, IsNamedByWhoHasItsText) {
  EXPECT_EQ(input_error([] { (void)parse_model("\n[]", "--model"); }),
            "--model:2: found an empty list, expected an object");
}

TEST(ModelJson, EscapesAnUnknownKeyInThePointer) {
  EXPECT_EQ(error_of(R"({"a/b~\n": 1})"),
            R"(/a~1b~0\n: found the unknown key "a/b~\n", expected "name", "input", "layers", "loss" or "optimizer")");
}

}  // namespace
}  // namespace regatta::model
