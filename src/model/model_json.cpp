// Models as JSON, read and written. The grammar is stated in catalogue.hpp.
#include "model/json_cursor.hpp"
#include "model/user_model.hpp"
#include "regatta/model/catalogue.hpp"
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
double read_positive(const JsonCursor& cursor) { return cursor.number(0, 1e300, true, "a number above 0"); }
double read_share(const JsonCursor& cursor) { return cursor.number(share.low, share.high, false, share.expected); }

void need_true(const JsonCursor& cursor) {
  if (!cursor.value.is_boolean() || !cursor.value.get<bool>()) cursor.fail_value("true (this layer has no size)");
}

template <class Kind>
Kind read_kind(const JsonObject& layer);

// A layer's values, by type.
void read_value(const JsonCursor& cursor, std::int64_t& size) { size = read_size(cursor); }
void read_value(const JsonCursor& cursor, bool& value) { value = cursor.boolean(); }
void read_value(const JsonCursor& cursor, double& value, const NumberRange& range) {
  value = cursor.number(range.low, range.high, false, range.expected);
}
void read_value(const JsonCursor& cursor, Activation& activation) {
  static const Names names = names_of(activation_names);
  activation = static_cast<Activation>(cursor.choice(names));
}
void read_value(const JsonCursor& cursor, Padding& padding) {
  static const Names names = names_of(padding_names);
  padding = static_cast<Padding>(cursor.choice(names));
}
template <class Kind>
requires requires { Kind::kind; }
void read_value(const JsonCursor& cursor, Kind& inner) {
  inner = read_kind<Kind>(JsonObject(cursor, keys_of(layer_row(std::type_identity<Kind>{}))));
}

/// Reads the fields of a layer (layers.hpp) from an object.
struct FieldReader {
  const JsonObject& object;
  std::string_view name;

  void main(auto& value, const auto&... range) const { need(name, value, range...); }
  void need(std::string_view key, auto& value, const auto&... range) const {
    read_value(object.need(std::string(key)), value, range...);
  }
  void may(std::string_view key, auto& value, const auto&... range) const {
    if (object.has(std::string(key))) need(key, value, range...);
  }
};

template <class Kind>
Kind read_kind(const JsonObject& layer) {
  Kind read{};
  if constexpr (std::is_empty_v<Kind>)
    need_true(layer.need(std::string(Kind::kind.name)));
  else
    Kind::fields(read, FieldReader{layer, Kind::kind.name});
  return read;
}

struct LayerReader {
  Layer (*read)(const JsonObject& layer);
  Names keys;  ///< the first names the kind
};

template <class... Kinds>
std::vector<LayerReader> make_readers(std::type_identity<std::variant<Kinds...>> /*layers*/) {
  return {{[](const JsonObject& layer) -> Layer { return read_kind<Kinds>(layer); },
           keys_of(layer_row(std::type_identity<Kinds>{}))}...};
}

const std::vector<LayerReader>& layer_readers() {
  static const std::vector<LayerReader> readers = make_readers(std::type_identity<Layer>{});
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

template <class Kind>
Json write_kind(const Kind& layer);

// A layer's values, by type.
Json write_value(std::int64_t size) { return size; }
Json write_value(bool value) { return value; }
Json write_value(double value, const NumberRange& /*range*/) { return value; }
Json write_value(Activation activation) { return name_of(activation); }
Json write_value(Padding padding) { return name_of(padding); }
template <class Kind>
requires requires { Kind::kind; }
Json write_value(const Kind& inner) { return write_kind(inner); }

/// Writes the fields of a layer (layers.hpp) into an object.
struct FieldWriter {
  Json& object;
  std::string_view name;

  void main(const auto& value, const auto&... range) const { need(name, value, range...); }
  void need(std::string_view key, const auto& value, const auto&... range) const {
    object[std::string(key)] = write_value(value, range...);
  }
  void may(std::string_view key, const auto& value, const auto&... range) const { need(key, value, range...); }
};

template <class Kind>
Json write_kind(const Kind& layer) {
  if constexpr (std::is_empty_v<Kind>) {
    return {{std::string(Kind::kind.name), true}};
  } else {
    Json object;
    Kind::fields(layer, FieldWriter{object, Kind::kind.name});
    return object;
  }
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
    layers.push_back(std::visit([](const auto& kind) { return write_kind(kind); }, layer));
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
