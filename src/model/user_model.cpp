#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/model.hpp"
#include "regatta/json/cursor.hpp"

namespace regatta::model {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view python_suffix = ".py";
constexpr std::size_t digest_digits = 64;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A name that Python takes for a function or an argument (ASCII only).
bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

bool is_python_file(std::string_view text) {
  return text.size() > python_suffix.size() && text.ends_with(python_suffix);
}

struct Place {
  std::string_view file;
  std::string_view function;  ///< empty: none is named
};

Place split(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return {text, {}};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

bool names_function(const std::string& text) {
  const Place place = split(text);
  return is_python_file(place.file) && is_identifier(place.function);
}

constexpr const char* a_text = "a text of at least one character";
constexpr const char* a_python_name =
    "\"FILE.py:FUNCTION\" such as \"my_model.py:build\", or \"FILE.py\", the file of a loop of its own";
constexpr const char* a_batch_name = "\"FILE.py:FUNCTION\" such as \"my_model.py:make_batch\"";
constexpr const char* a_digest = "the SHA-256 of the file, 64 lower-case hexadecimal digits";

std::string read_python(const json::Cursor& cursor) {
  std::string text = cursor.text(a_python_name);
  if (!names_function(text) && !is_python_file(text)) cursor.refuse(a_python_name);
  return text;
}

std::string read_batch(const json::Cursor& cursor) {
  std::string text = cursor.text(a_batch_name);
  if (!names_function(text)) cursor.refuse(a_batch_name);
  return text;
}

Json tree_of(const json::Node& node) {
  if (const auto* flag = node.as<bool>()) return *flag;
  if (const auto* integer = node.as<std::int64_t>()) return *integer;
  if (const auto* real = node.as<json::Real>()) return Json::parse(real->written);
  if (const auto* text = node.as<std::string>()) return *text;
  if (const auto* array = node.as<json::Node::Array>()) {
    Json tree = Json::array();
    for (const json::Node& element : *array) tree.push_back(tree_of(element));
    return tree;
  }
  if (const auto* object = node.as<json::Node::Object>()) {
    Json::object_t tree;
    for (const json::Member& member : *object) tree.emplace_back(member.key, tree_of(member.node));
    return tree;
  }
  return nullptr;
}

/// The object as text with its own keys in order; what its values hold stays as it is, a dict of Python keeps an order.
std::string read_arguments(const json::Cursor& cursor) {
  std::map<std::string, Json> sorted;
  for (const auto& [key, value] : cursor.members("an object of arguments such as {\"width\": 64}")) {
    if (!is_identifier(key))
      json::refuse(value.place,
                   {"a key that is no argument's name", "letters, digits and '_', beginning with no digit", ""});
    sorted[key] = tree_of(value.node);
  }
  Json arguments = Json::object();
  for (auto& [key, value] : sorted) arguments[key] = std::move(value);
  return arguments.dump();
}

std::map<std::string, std::string> read_sources(const json::Cursor& cursor, const std::vector<std::string>& files) {
  const json::Fields object(cursor, "an object", files);
  std::map<std::string, std::string> sources;
  for (const std::string& file : files) {
    const json::Cursor digest = object.need(file, a_digest);
    const std::string& text = digest.text(a_digest);
    const bool fits = text.size() == digest_digits && std::all_of(text.begin(), text.end(), [](char c) {
                        return is_digit(c) || (c >= 'a' && c <= 'f');
                      });
    if (!fits) digest.refuse(a_digest);
    sources[file] = text;
  }
  return sources;
}

/// "models/my_model.py:build" -> "my_model".
std::string default_name(const std::string& python) {
  const std::string_view file = split(python).file;
  const std::size_t begin = file.rfind('/') + 1;  // npos + 1 is 0
  return std::string(file.substr(begin, file.size() - begin - python_suffix.size()));
}

}  // namespace

bool is_loop(const UserModel& model) { return split(model.python).function.empty(); }

std::vector<std::string> files_of(const UserModel& model) {
  std::set<std::string> files = {std::string(split(model.python).file)};
  if (!model.batch.empty()) files.insert(std::string(split(model.batch).file));
  return {files.begin(), files.end()};
}

UserModel read_user_model(const json::Cursor& cursor) {
  const json::Fields object(cursor, "an object",
                            {"name", "python", "args", "batch", "reads_batch", "sources", "folder"});
  UserModel model;
  model.python = read_python(object.need("python", a_python_name));
  const auto name = object.find("name");
  model.name = name ? name->text(a_text) : default_name(model.python);
  if (const auto arguments = object.find("args")) model.arguments = read_arguments(*arguments);
  const auto batch = object.find("batch");
  if (is_loop(model) && batch)
    batch->refuse("no such key (a loop of its own makes its batches; a function is named FILE.py:FUNCTION)");
  if (!is_loop(model)) model.batch = read_batch(object.need("batch", a_batch_name));
  if (const auto reads = object.find("reads_batch")) {
    if (!is_loop(model)) reads->refuse("no such key (a function that makes batches is given how large they are)");
    model.reads_batch = reads->boolean();
  }
  if (const auto sources = object.find("sources")) model.sources = read_sources(*sources, files_of(model));
  if (const auto folder = object.find("folder")) model.folder = folder->text(a_text);
  return model;
}

Json write_user_model(const UserModel& model) {
  Json json = {{"name", model.name}, {"python", model.python}};
  if (!model.batch.empty()) json["batch"] = model.batch;
  json["args"] = Json::parse(model.arguments);
  if (!model.reads_batch) json["reads_batch"] = false;
  if (!model.sources.empty()) json["sources"] = model.sources;
  if (!model.folder.empty()) json["folder"] = model.folder;
  return json;
}

}  // namespace regatta::model
