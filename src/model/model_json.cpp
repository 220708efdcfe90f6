// Models as JSON, read and written. The grammar is stated in catalogue.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "model/model.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/suggestion.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/model/shapes.hpp"

namespace regatta::model {

namespace {

using json::Cursor;
using json::Fields;
using Json = nlohmann::ordered_json;
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
const Names& activations() {
  static const Names names = names_of(activation_names);
  return names;
}
const Names& paddings() {
  static const Names names = names_of(padding_names);
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
constexpr std::int64_t max_size = (std::int64_t{1} << 31) - 1;

// The expectations that errors state.
constexpr const char* an_object = "an object";
constexpr const char* a_text = "a text of at least one character";
constexpr const char* true_alone = "true (this layer has no size)";
constexpr const char* input_sizes = "a list of 1 to 3 sizes, without the batch";
constexpr const char* an_optimizer = "an object with the key \"sgd\" or \"adam\"";
std::string some_layers() { return fmt::format("a list of 1 to {} layers", max_layers); }

// The expected value of a layer that may not be left out, by type.
std::string wanted(const std::int64_t& /*size*/) { return fmt::format("a whole number from 1 to {}", max_size); }
std::string wanted(const double& /*value*/, const NumberRange& range) { return std::string(range.expected); }
template <class Kind>
requires requires { Kind::kind; }
std::string wanted(const Kind& /*inner*/) { return an_object; }

double read_number(const Cursor& cursor, const NumberRange& range) {
  const std::optional<double> number = cursor.as_number();
  if (!number || *number < range.low || *number >= range.high) cursor.refuse(std::string(range.expected));
  return *number;
}

double need_number(const Fields& object, const std::string& key, const NumberRange& range) {
  return read_number(object.need(key, std::string(range.expected)), range);
}

double may_number(const Fields& object, const std::string& key, const NumberRange& range, double otherwise) {
  const auto cursor = object.find(key);
  return cursor ? read_number(*cursor, range) : otherwise;
}

/// The value of an enum whose names, in its order, are `names`.
template <class Enum>
Enum read_choice(const Cursor& cursor, const Names& names) {
  return static_cast<Enum>(std::ranges::find(names, cursor.choice(names)) - names.begin());
}

void need_true(const Cursor& cursor) {
  const bool* flag = cursor.node.as<bool>();
  if (flag == nullptr || !*flag) cursor.refuse(true_alone);
}

template <class Kind>
Kind read_kind(const Fields& layer);

// A layer's values, by type.
void read_value(const Cursor& cursor, std::int64_t& size) { size = cursor.integer(1, max_size, wanted(size)); }
void read_value(const Cursor& cursor, bool& value) { value = cursor.boolean(); }
void read_value(const Cursor& cursor, double& value, const NumberRange& range) { value = read_number(cursor, range); }
void read_value(const Cursor& cursor, Activation& activation) {
  activation = read_choice<Activation>(cursor, activations());
}
void read_value(const Cursor& cursor, Padding& padding) { padding = read_choice<Padding>(cursor, paddings()); }
template <class Kind>
requires requires { Kind::kind; }
void read_value(const Cursor& cursor, Kind& inner) {
  inner = read_kind<Kind>(Fields(cursor, an_object, keys_of(layer_row(std::type_identity<Kind>{}))));
}

/// Reads the fields of a layer (layers.hpp) from an object.
struct FieldReader {
  const Fields& object;
  std::string_view name;

  void main(auto& value, const auto&... range) const { need(name, value, range...); }
  void alone() const { need_true(object.need(std::string(name), true_alone)); }
  void need(std::string_view key, auto& value, const auto&... range) const {
    read_value(object.need(std::string(key), wanted(value, range...)), value, range...);
  }
  void may(std::string_view key, auto& value, const auto&... range) const {
    if (const auto found = object.find(std::string(key))) read_value(*found, value, range...);
  }
};

template <class Kind>
Kind read_kind(const Fields& layer) {
  Kind read{};
  if constexpr (std::is_empty_v<Kind>)
    FieldReader{layer, Kind::kind.name}.alone();
  else
    Kind::fields(read, FieldReader{layer, Kind::kind.name});
  return read;
}

struct LayerReader {
  Layer (*read)(const Fields& layer);
  Names keys;  ///< the first names the kind
};

template <class... Kinds>
std::vector<LayerReader> make_readers(std::type_identity<std::variant<Kinds...>> /*layers*/) {
  return {{[](const Fields& layer) -> Layer { return read_kind<Kinds>(layer); },
           keys_of(layer_row(std::type_identity<Kinds>{}))}...};
}

const std::vector<LayerReader>& layer_readers() {
  static const std::vector<LayerReader> readers = make_readers(std::type_identity<Layer>{});
  return readers;
}

/// Fails at the first key of an object that names no kind of layer.
[[noreturn]] void refuse_layer(const Cursor& cursor, const std::vector<Cursor::Member>& members, const Names& kinds) {
  if (members.empty()) cursor.refuse(json::one_of(kinds));
  const Cursor::Member& first = members.front();
  json::refuse(first.value.place, {"no kind of layer", json::one_of(kinds), nearest_name(first.key, kinds)});
}

Layer read_layer(const Cursor& cursor) {
  const std::vector<Cursor::Member> members = cursor.members("an object that names a layer");
  const LayerReader* kind = nullptr;
  Names kinds;
  for (const LayerReader& candidate : layer_readers()) {
    kinds.push_back(candidate.keys.front());
    if (!cursor.member(kinds.back())) continue;
    if (kind != nullptr)
      json::refuse(cursor.place,
                   {fmt::format("both \"{}\" and \"{}\"", kind->keys.front(), kinds.back()), "one kind of layer", ""});
    kind = &candidate;
  }
  if (kind == nullptr) refuse_layer(cursor, members, kinds);
  return kind->read(Fields(cursor, an_object, kind->keys));
}

Optimizer read_optimizer(const Cursor& cursor) {
  const Fields kinds(cursor, an_optimizer, {"sgd", "adam"});
  const auto sgd = kinds.find("sgd");
  const auto adam = kinds.find("adam");
  if (sgd && adam) json::refuse(cursor.place, {"an object with both", an_optimizer, ""});
  if (!sgd && !adam) cursor.refuse(an_optimizer);
  if (sgd) {
    const Fields values(*sgd, an_object, {"learning_rate", "momentum"});
    return Sgd{need_number(values, "learning_rate", positive), may_number(values, "momentum", share, 0)};
  }
  const Fields values(*adam, an_object, {"learning_rate", "beta1", "beta2", "epsilon"});
  Adam read{need_number(values, "learning_rate", positive)};
  read.beta1 = may_number(values, "beta1", share, read.beta1);
  read.beta2 = may_number(values, "beta2", share, read.beta2);
  read.epsilon = may_number(values, "epsilon", positive, read.epsilon);
  return read;
}

std::int64_t read_size(const Cursor& cursor) {
  std::int64_t size = 0;
  read_value(cursor, size);
  return size;
}

Shape read_input(const Cursor& cursor) {
  const std::vector<Cursor> sizes = cursor.list(input_sizes);
  if (sizes.size() > 3) cursor.refuse(input_sizes);
  Shape input;
  for (const Cursor& size : sizes) input.push_back(read_size(size));
  return input;
}

std::vector<Cursor> layers_at(const Cursor& cursor) {
  std::vector<Cursor> layers = cursor.list(some_layers());
  if (layers.size() > max_layers) cursor.refuse(some_layers());
  return layers;
}

/// Fails at the first layer whose input cannot hold it, and if the output is no vector.
void check_shapes(const Network& network, const Cursor& layers) {
  Network part{network.name, network.input, {}, network.loss, network.optimizer};
  try {
    parameters(network);
  } catch (const InputError&) {
    const std::vector<Cursor> places = layers_at(layers);
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
      part.layers.push_back(network.layers[i]);
      try {
        parameters(part);
      } catch (const InputError& error) {
        json::refuse(places[i].place,
                     {"a layer that does not fit", fmt::format("one that fits ({})", error.what()), ""});
      }
    }
  }
  const std::size_t axes = infer_shapes(network).back().size();
  if (axes != 1)
    json::refuse(layers.place, {fmt::format("layers whose output has {} axes", axes),
                                "one axis (end with a flatten or a pooling)", ""});
}

Network read_network(const Cursor& cursor) {
  const Fields object(cursor, an_object, {"name", "input", "layers", "loss", "optimizer"});
  Network network;
  network.name = object.need("name", a_text).text(a_text);
  network.input = read_input(object.need("input", input_sizes));
  const Cursor layers = object.need("layers", some_layers());
  for (const Cursor& layer : layers_at(layers)) network.layers.push_back(read_layer(layer));
  network.loss = read_choice<Loss>(object.need("loss", json::one_of(loss_names())), loss_names());
  network.optimizer = read_optimizer(object.need("optimizer", an_optimizer));
  check_shapes(network, layers);
  return network;
}

/// The name of a model that has one key beside it.
std::string name_beside(const Cursor& cursor, const std::string& key) {
  return Fields(cursor, an_object, {"name", key}).need("name", a_text).text(a_text);
}

template <class Kind>
Model read_sizeless(const Cursor& cursor, const std::string& key) {
  Kind model{name_beside(cursor, key)};
  need_true(*cursor.member(key));
  return model;
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
  void alone() const { object[std::string(name)] = true; }
  void need(std::string_view key, const auto& value, const auto&... range) const {
    object[std::string(key)] = write_value(value, range...);
  }
  void may(std::string_view key, const auto& value, const auto&... range) const { need(key, value, range...); }
};

template <class Kind>
Json write_kind(const Kind& layer) {
  Json object;
  const FieldWriter writer{object, Kind::kind.name};
  if constexpr (std::is_empty_v<Kind>)
    writer.alone();
  else
    Kind::fields(layer, writer);
  return object;
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

Model read_model(const Cursor& cursor) {
  if (!cursor.is_object()) cursor.refuse(an_object);
  if (cursor.member("python")) return read_user_model(cursor);
  if (const auto size = cursor.member("matmul")) {
    std::string name = name_beside(cursor, "matmul");
    return Matmul{std::move(name), read_size(*size)};
  }
  if (cursor.member("scalar_gradient")) return read_sizeless<ScalarGradient>(cursor, "scalar_gradient");
  if (cursor.member("noop")) return read_sizeless<Noop>(cursor, "noop");
  return read_network(cursor);
}

Model parse_model(std::string_view json, const std::string& file) {
  const json::Node root = json::parse(json, file);
  return read_model({root, {file, root.line, ""}});
}

std::string to_json(const Model& model) {
  return std::visit([](const auto& kind) { return write_model(kind).dump(); }, model);
}

}  // namespace regatta::model
