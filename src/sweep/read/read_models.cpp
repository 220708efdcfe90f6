#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <system_error>

#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/json/comments.hpp"
#include "regatta/json/text.hpp"
#include "regatta/model/catalogue.hpp"
#include "sweep/read/read.hpp"

namespace regatta::sweep {
namespace {

/// Adds a model under its name, which stands at `name` in the model at `model_place`.
std::string add_model(model::Model model, const json::Cursor& written, Sweep& sweep) {
  const std::string name = model::name_of(model);
  const auto name_member = written.member("name");
  const json::Cursor name_cursor = name_member.value_or(written);
  if (!json::is_name(name))
    name_cursor.refuse(name_member ? json::name_rule : fmt::format("the key \"name\", {}", json::name_rule));
  if (auto* user = std::get_if<model::UserModel>(&model)) find_sources(written, sweep, *user);
  const auto taken = model::model_names();
  if (std::find(taken.begin(), taken.end(), name) != taken.end())
    name_cursor.refuse("a name of its own (a named model has this one)");
  if (!sweep.models.emplace(name, std::move(model)).second) {
    json::refuse(name_cursor.place,
                 {json::quote(name) + " a second time", name_member ? "each model once" : "a \"name\" of its own", ""});
  }
  return name;
}

bool is_path(const std::string& level) { return level.find('/') != std::string::npos || level.ends_with(".json"); }

std::string read_model_text(const std::filesystem::path& path, const json::Cursor& level) {
  std::error_code none;  // a missing file is reported by the one who opens it
  if (std::filesystem::exists(path, none) && !std::filesystem::is_regular_file(path, none))
    level.refuse(fmt::format("a file that can be read ('{}' is none)", path.string()));
  try {
    return read_file(path, json::max_bytes);
  } catch (const InputError& error) {
    level.refuse(fmt::format("a file that can be read ({})", error.what()));
  }
}

/// Replaces bytes [begin, end) of the text.
struct Edit {
  std::size_t begin;
  std::size_t end;
  std::string text;
};

void add_levels(const json::Node* axis, std::vector<const json::Node*>& levels) {
  if (axis == nullptr) return;
  if (const auto* choice = json::find_member(*axis, "choice")) return add_levels(&choice->node, levels);
  const auto* list = axis->as<json::Node::Array>();
  if (list == nullptr) return levels.push_back(axis);
  for (const json::Node& level : *list) levels.push_back(&level);
}

const json::Node* value_of(const json::Node* object, std::string_view key) {
  const json::Member* member = object != nullptr ? json::find_member(*object, key) : nullptr;
  return member != nullptr ? &member->node : nullptr;
}

/// Levels of the parameter `model` in the order in which they are read.
std::vector<const json::Node*> model_levels(const json::Node& root) {
  std::vector<const json::Node*> levels;
  const auto elements = [&](const char* key) -> const json::Node::Array* {
    const json::Node* list = value_of(&root, key);
    return list != nullptr ? list->as<json::Node::Array>() : nullptr;
  };
  add_levels(value_of(value_of(&root, "axes"), "model"), levels);
  if (const auto* whens = elements("when")) {
    for (const json::Node& when : *whens) add_levels(value_of(value_of(&when, "axes"), "model"), levels);
  }
  if (const auto* includes = elements("include")) {
    for (const json::Node& include : *includes) add_levels(value_of(&include, "model"), levels);
  }
  return levels;
}

/// ", "sources": {...}" at the end of a user's own model that does not hold it yet.
std::optional<Edit> sources_edit(const json::Node& level, const Sweep& sweep) {
  if (json::find_member(level, "python") == nullptr || json::find_member(level, "sources") != nullptr)
    return std::nullopt;
  const model::Model& model = sweep.models.at(model::name_of(model::read_model(json::Cursor{level, {}})));
  const auto& user = std::get<model::UserModel>(model);
  if (user.sources.empty()) return std::nullopt;
  return Edit{level.end - 1, level.end - 1, sources_json(user)};
}

/// The model itself in place of its file's name; where that stands again, the model's name.
std::optional<Edit> file_edit(const json::Node& level, const Sweep& sweep, std::set<std::string>& written) {
  const auto* text = level.as<std::string>();
  const auto file = text != nullptr ? sweep.model_files.find(*text) : sweep.model_files.end();
  if (file == sweep.model_files.end()) return std::nullopt;
  const bool is_first = written.insert(file->second).second;
  return Edit{level.begin, level.end,
              is_first ? model::to_json(sweep.models.at(file->second)) : json::quote(file->second)};
}

}  // namespace

Value read_written_out_model(const json::Cursor& cursor, Sweep& sweep) {
  return add_model(model::read_model(cursor), cursor, sweep);
}

std::optional<Value> read_model_file(const json::Cursor& cursor, Sweep& sweep) {
  const auto* level = cursor.node.as<std::string>();
  if (level == nullptr || !is_path(*level)) return std::nullopt;
  if (const auto known = sweep.model_files.find(*level); known != sweep.model_files.end()) return known->second;
  const std::filesystem::path path = std::filesystem::absolute(sweep.file).parent_path() / *level;
  const std::string text = read_model_text(path, cursor);
  const json::Node root = json::parse(json::without_comments(text), path.string());
  const json::Cursor written{root, {path.string(), root.line, ""}};
  if (!written.is_object()) written.refuse("a model written out");
  model::Model model = model::read_model(written);
  if (std::holds_alternative<model::UserModel>(model))
    written.refuse("a model of layers (one in Python is written out in the sweep itself, beside which its files are)");
  sweep.model_files[*level] = add_model(std::move(model), written, sweep);
  return sweep.model_files.at(*level);
}

void record_files(const json::Node& root, Sweep& sweep) {
  std::vector<Edit> edits;
  std::set<std::string> written;
  for (const json::Node* level : model_levels(root)) {
    if (auto sources = sources_edit(*level, sweep)) edits.push_back(std::move(*sources));
    if (auto file = file_edit(*level, sweep, written)) edits.push_back(std::move(*file));
  }
  std::ranges::sort(edits, std::ranges::greater(), &Edit::begin);  // from the end, so that places before it stay
  for (const Edit& edit : edits) sweep.text.replace(edit.begin, edit.end - edit.begin, edit.text);
}

}  // namespace regatta::sweep
