#include "model/user_model.hpp"

#include <set>

namespace regatta::model {

namespace {

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

std::string read_python(const JsonCursor& cursor) {
  const std::string text = cursor.text();
  if (!names_function(text) && !is_python_file(text)) {
    cursor.fail_value(
        "\"FILE.py:FUNCTION\" such as \"my_model.py:build\", or \"FILE.py\", the file of a loop of its own");
  }
  return text;
}

std::string read_batch(const JsonCursor& cursor) {
  const std::string text = cursor.text();
  if (!names_function(text)) cursor.fail_value("\"FILE.py:FUNCTION\" such as \"my_model.py:make_batch\"");
  return text;
}

/// The object as text with its own keys in order; what its values hold stays as it is, a dict of Python keeps an order.
std::string read_arguments(const JsonCursor& cursor) {
  if (!cursor.value.is_object()) cursor.fail_value("an object of arguments such as {\"width\": 64}");
  std::map<std::string, Json> sorted;
  for (const auto& [key, value] : cursor.value.items()) {
    if (!is_identifier(key)) {
      const JsonCursor member{value, cursor.pointer + "/" + escaped(key)};
      member.fail("a key that is no argument's name", "letters, digits and '_', beginning with no digit");
    }
    sorted[key] = value;
  }
  Json arguments = Json::object();
  for (auto& [key, value] : sorted) arguments[key] = std::move(value);
  return arguments.dump();
}

std::map<std::string, std::string> read_sources(const JsonCursor& cursor, const std::vector<std::string>& files) {
  const JsonObject object(cursor, files);
  std::map<std::string, std::string> sources;
  for (const std::string& file : files) {
    const JsonCursor digest = object.need(file);
    const std::string text = digest.text();
    const bool fits = text.size() == digest_digits && std::all_of(text.begin(), text.end(), [](char c) {
                        return is_digit(c) || (c >= 'a' && c <= 'f');
                      });
    if (!fits) digest.fail_value("the SHA-256 of the file, 64 lower-case hexadecimal digits");
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

UserModel read_user_model(const JsonCursor& cursor) {
  const JsonObject object(cursor, {"name", "python", "args", "batch", "sources", "folder"});
  const auto text = [](const JsonCursor& member) { return member.text(); };
  UserModel model;
  model.python = read_python(object.need("python"));
  model.name = object.get("name", default_name(model.python), text);
  model.arguments = object.get("args", model.arguments, read_arguments);
  if (!is_loop(model)) {
    model.batch = read_batch(object.need("batch"));
  } else if (cursor.value.contains("batch")) {
    cursor.at("batch").fail_value(
        "no such key (a loop of its own makes its batches; a function is named FILE.py:FUNCTION)");
  }
  const auto sources = [&](const JsonCursor& member) { return read_sources(member, files_of(model)); };
  model.sources = object.get("sources", model.sources, sources);
  model.folder = object.get("folder", model.folder, text);
  return model;
}

Json write_user_model(const UserModel& model) {
  Json json = {{"name", model.name}, {"python", model.python}};
  if (!model.batch.empty()) json["batch"] = model.batch;
  json["args"] = Json::parse(model.arguments);
  if (!model.sources.empty()) json["sources"] = model.sources;
  if (!model.folder.empty()) json["folder"] = model.folder;
  return json;
}

}  // namespace regatta::model
