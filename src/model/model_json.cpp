// Models as JSON, read and written. The grammar is stated in catalogue.hpp.
#include "model/json_cursor.hpp"
#include "model/user_model.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/model/layers.hpp"
#include "regatta/model/shapes.hpp"

namespace regatta::model {

namespace {

using Names = std::vector<std::string>;

/// The names of a table's rows.
template <class Table>
Names names_of(const Table& table) {
  Names names;
  for (const auto& row : table) {
    if constexpr (requires { row.name; })
      names.emplace_back(row.name);
    else
      names.emplace_back(row);
  }
  return names;
}

const Names& activation_choices() {
  static const Names names = names_of(activation_names);
  return names;
}
const Names& padding_names() {  // in the order of the enumeration
  static const Names names{"valid", "same"};
  return names;
}
const Names& loss_names() {
  static const Names names = names_of(loss_table);
  return names;
}

/// All keys of a layer in JSON; the first names it.
Names keys_of(const LayerInfo& row) {
  Names keys{std::string(row.name)};
  for (const std::string_view option : row.options) {
    if (!option.empty()) keys.emplace_back(option);
  }
  return keys;
}

constexpr std::size_t max_layers = 10'000;

std::int64_t read_size(const JsonCursor& cursor) { return cursor.whole(1, (std::uint64_t{1} << 31) - 1); }
std::size_t read_activation(const JsonCursor& cursor) { return cursor.choice(activation_choices()); }
std::size_t read_padding(const JsonCursor& cursor) { return cursor.choice(padding_names()); }
bool read_boolean(const JsonCursor& cursor) { return cursor.boolean(); }
double read_positive(const JsonCursor& cursor) { return cursor.number(0, 1e300, true, "a number above 0"); }
double read_share(const JsonCursor& cursor) { return cursor.number(0, 1, false, "a number of at least 0, below 1"); }

void need_true(const JsonCursor& cursor) {
  if (!cursor.value.is_boolean() || !cursor.value.get<bool>()) cursor.fail_value("true (this layer has no size)");
}

Layer read(Row<Dense> /*kind*/, const JsonObject& layer) {
  return Dense{read_size(layer.need("dense")), layer.get("activation", Activation::none, read_activation)};
}

template <class Convolution>
requires requires(Convolution convolution) { convolution.kernel; }
Layer read(Row<Convolution> kind, const JsonObject& layer) {
  return Convolution{read_size(layer.need(std::string(layer_row(kind).name))), read_size(layer.need("kernel")),
                     layer.get("stride", std::int64_t{1}, read_size),
                     layer.get("padding", Padding::valid, read_padding),
                     layer.get("activation", Activation::none, read_activation)};
}

Lstm read_plain_lstm(const JsonObject& layer) {
  return {read_size(layer.need("lstm")), layer.get("activation", Activation::tanh, read_activation),
          layer.get("return_sequences", false, read_boolean)};
}
Layer read(Row<Lstm> /*kind*/, const JsonObject& layer) { return read_plain_lstm(layer); }
Layer read(Row<Bidirectional> /*kind*/, const JsonObject& layer) {
  return Bidirectional{read_plain_lstm(JsonObject(layer.need("bidirectional"), keys_of(layer_row(Row<Lstm>{}))))};
}

Layer read(Row<MaxPool> /*kind*/, const JsonObject& layer) { return MaxPool{read_size(layer.need("max_pool"))}; }
Layer read(Row<AveragePool> /*kind*/, const JsonObject& layer) {
  return AveragePool{read_size(layer.need("average_pool"))};
}
Layer read(Row<Dropout> /*kind*/, const JsonObject& layer) { return Dropout{read_share(layer.need("dropout"))}; }
Layer read(Row<Embedding> /*kind*/, const JsonObject& layer) {
  const std::int64_t units = read_size(layer.need("embedding"));
  return Embedding{read_size(layer.need("vocabulary")), units};
}

template <class Kind>
requires std::is_empty_v<Kind> Layer read(Row<Kind> kind, const JsonObject& layer) {
  need_true(layer.need(std::string(layer_row(kind).name)));
  return Kind{};
}

struct LayerReader {
  Layer (*read)(const JsonObject& layer);
  Names keys;  ///< the first names the kind
};

template <class... Kinds>
std::vector<LayerReader> make_readers(Row<std::variant<Kinds...>> /*layers*/) {
  return {{[](const JsonObject& layer) { return read(Row<Kinds>{}, layer); }, keys_of(layer_row(Row<Kinds>{}))}...};
}

const std::vector<LayerReader>& layer_readers() {
  static const std::vector<LayerReader> readers = make_readers(Row<Layer>{});
  return readers;
}

Layer read_layer(const JsonCursor& cursor) {
  if (!cursor.value.is_object()) cursor.fail_value("an object that names a layer");
  const LayerReader* kind = nullptr;
  Names names;
  for (const LayerReader& candidate : layer_readers()) {
    names.push_back(candidate.keys.front());
    if (!cursor.value.contains(names.back())) continue;
    if (kind != nullptr)
      cursor.fail(fmt::format("both \"{}\" and \"{}\"", kind->keys.front(), names.back()), "one kind of layer");
    kind = &candidate;
  }
  if (kind != nullptr) return kind->read(JsonObject(cursor, kind->keys));
  if (cursor.value.empty()) cursor.fail("an empty object", one_of(names));
  const std::string& first = cursor.value.begin().key();
  JsonCursor{cursor.value, cursor.pointer + "/" + escaped(first)}.fail("no kind of layer", one_of(names),
                                                                       nearest_name(first, names));
}

Optimizer read_optimizer(const JsonCursor& cursor) {
  const JsonObject kinds(cursor, {"sgd", "adam"});
  if (cursor.value.size() != 1)
    cursor.fail(fmt::format("an object with {} keys", cursor.value.size()), "\"sgd\" or \"adam\"");
  if (cursor.value.contains("sgd")) {
    const JsonObject sgd(kinds.need("sgd"), {"learning_rate", "momentum"});
    return Sgd{read_positive(sgd.need("learning_rate")), sgd.get("momentum", 0.0, read_share)};
  }
  const JsonObject adam(kinds.need("adam"), {"learning_rate", "beta1", "beta2", "epsilon"});
  Adam read{read_positive(adam.need("learning_rate"))};
  read.beta1 = adam.get("beta1", read.beta1, read_share);
  read.beta2 = adam.get("beta2", read.beta2, read_share);
  read.epsilon = adam.get("epsilon", read.epsilon, read_positive);
  return read;
}

Shape read_input(const JsonCursor& cursor) {
  if (!cursor.value.is_array() || cursor.value.empty() || cursor.value.size() > 3) {
    cursor.fail_value("a list of 1 to 3 sizes, without the batch");
  }
  Shape input;
  for (std::size_t i = 0; i < cursor.value.size(); ++i) input.push_back(read_size(cursor.at(i)));
  return input;
}

std::vector<Layer> read_layers(const JsonCursor& cursor) {
  if (!cursor.value.is_array() || cursor.value.empty() || cursor.value.size() > max_layers) {
    cursor.fail_value(fmt::format("a list of 1 to {} layers", max_layers));
  }
  std::vector<Layer> layers;
  for (std::size_t i = 0; i < cursor.value.size(); ++i) layers.push_back(read_layer(cursor.at(i)));
  return layers;
}

/// Fails at the first layer whose input cannot hold it, and if the output is no vector.
void check_shapes(const Network& network, const JsonCursor& layers) {
  Network part{network.name, network.input, {}, network.loss, network.optimizer};
  try {
    parameters(network);
  } catch (const InputError&) {
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
      part.layers.push_back(network.layers[i]);
      try {
        parameters(part);
      } catch (const InputError& error) {
        layers.at(i).fail("a layer that does not fit", fmt::format("one that fits ({})", error.what()));
      }
    }
  }
  const std::size_t axes = infer_shapes(network).back().size();
  if (axes != 1)
    layers.fail(fmt::format("layers whose output has {} axes", axes), "one axis (end with a flatten or a pooling)");
}

Model read_model(const JsonCursor& cursor) {
  if (!cursor.value.is_object()) cursor.fail_value("an object");
  if (cursor.value.contains("python")) return read_user_model(cursor);
  if (cursor.value.contains("matmul")) {
    const JsonObject matmul(cursor, {"name", "matmul"});
    return Matmul{matmul.need("name").text(), read_size(matmul.need("matmul"))};
  }
  if (cursor.value.contains("scalar_gradient")) {
    const JsonObject scalar(cursor, {"name", "scalar_gradient"});
    need_true(scalar.need("scalar_gradient"));
    return ScalarGradient{scalar.need("name").text()};
  }
  if (cursor.value.contains("noop")) {
    const JsonObject noop(cursor, {"name", "noop"});
    need_true(noop.need("noop"));
    return Noop{noop.need("name").text()};
  }
  const JsonObject object(cursor, {"name", "input", "layers", "loss", "optimizer"});
  Network network{object.need("name").text(), read_input(object.need("input")), read_layers(object.need("layers")),
                  static_cast<Loss>(object.need("loss").choice(loss_names())),
                  read_optimizer(object.need("optimizer"))};
  check_shapes(network, object.need("layers"));
  return network;
}

Json write(const Dense& dense) { return {{"dense", dense.units}, {"activation", name_of(dense.activation)}}; }

template <class Convolution>
Json write_convolution(const Convolution& convolution) {
  return {{std::string(layer_row(Row<Convolution>{}).name), convolution.filters},
          {"kernel", convolution.kernel},
          {"stride", convolution.stride},
          {"padding", padding_names().at(static_cast<std::size_t>(convolution.padding))},
          {"activation", name_of(convolution.activation)}};
}
Json write(const Conv1d& convolution) { return write_convolution(convolution); }
Json write(const Conv2d& convolution) { return write_convolution(convolution); }
Json write(const Lstm& lstm) {
  return {{"lstm", lstm.units}, {"activation", name_of(lstm.activation)}, {"return_sequences", lstm.return_sequences}};
}
Json write(const Bidirectional& both) { return {{"bidirectional", write(both.inner)}}; }
Json write(const MaxPool& pool) { return {{"max_pool", pool.size}}; }
Json write(const AveragePool& pool) { return {{"average_pool", pool.size}}; }
Json write(const Dropout& dropout) { return {{"dropout", dropout.rate}}; }
Json write(const Embedding& embedding) {
  return {{"embedding", embedding.units}, {"vocabulary", embedding.vocabulary}};
}
template <class Sizeless>
Json write(const Sizeless& /*layer*/) {
  return {{std::string(layer_row(Row<Sizeless>{}).name), true}};
}

Json write_optimizer(const Sgd& sgd) {
  return {{"sgd", {{"learning_rate", sgd.learning_rate}, {"momentum", sgd.momentum}}}};
}
Json write_optimizer(const Adam& adam) {
  return {{"adam",
           {{"learning_rate", adam.learning_rate},
            {"beta1", adam.beta1},
            {"beta2", adam.beta2},
            {"epsilon", adam.epsilon}}}};
}

Json write_model(const Network& network) {
  Json layers = Json::array();
  for (const Layer& layer : network.layers) {
    layers.push_back(std::visit([](const auto& kind) { return write(kind); }, layer));
  }
  return {{"name", network.name},
          {"input", network.input},
          {"layers", std::move(layers)},
          {"loss", info(network.loss).name},
          {"optimizer", std::visit([](const auto& kind) { return write_optimizer(kind); }, network.optimizer)}};
}
Json write_model(const Matmul& matmul) { return {{"name", matmul.name}, {"matmul", matmul.size}}; }
Json write_model(const ScalarGradient& scalar) { return {{"name", scalar.name}, {"scalar_gradient", true}}; }
Json write_model(const Noop& noop) { return {{"name", noop.name}, {"noop", true}}; }
Json write_model(const UserModel& user) { return write_user_model(user); }

}  // namespace

Model parse_model(std::string_view json) {
  Json value;
  try {
    value = parse_strictly(json);
  } catch (const InputError& error) {
    throw InputError(fmt::format(": found {}, expected a model as JSON", error.what()));
  }
  return read_model({value, ""});
}

std::string to_json(const Model& model) {
  return std::visit([](const auto& kind) { return write_model(kind).dump(); }, model);
}

}  // namespace regatta::model
