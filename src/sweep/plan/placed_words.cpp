#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "regatta/json/document.hpp"
#include "regatta/json/text.hpp"
#include "regatta/sweep/origins.hpp"
#include "regatta/sweep/reader.hpp"
#include "sweep/plan/plan.hpp"
#include "sweep/read/read.hpp"

namespace regatta::sweep {
namespace {

bool is_output_option(std::string_view word) { return word == "-o" || word == "--out" || word == "--output"; }

/// Empty where the word is an option that names no file to read.
std::string part_for_files(const std::string& word) {
  if (!word.starts_with('-')) return word;
  const std::size_t equals = word.find('=');
  return equals == std::string::npos || is_output_option(word.substr(0, equals)) ? "" : word.substr(equals + 1);
}

bool is_shell(const std::string& program) {
  constexpr std::array<std::string_view, 5> shells = {"sh", "bash", "dash", "zsh", "ksh"};
  return std::ranges::find(shells, program.substr(program.find_last_of('/') + 1)) != shells.end();
}

/// Whether the word is the script of a shell: `sh -c SCRIPT`, `bash -ec SCRIPT`.
bool is_script(const std::vector<std::string>& argv, std::size_t at) {
  const std::string& option = argv[at - 1];
  return at > 1 && is_shell(argv[0]) && option.starts_with('-') && !option.starts_with("--") && option.ends_with('c');
}

/// One that may stand in front of a command's name, as in "./heat".
std::string plain(const std::string& word) { return word.starts_with("./") ? word.substr(2) : word; }

/// Words between blanks, quotes and the signs of a shell, but those that the script writes somewhere.
std::vector<std::string> words_of_script(std::string_view script) {
  constexpr std::string_view signs = " \t\r\n;|&<>()'\"`$";
  std::vector<std::string> words;
  std::set<std::string> written;
  bool is_behind_arrow = false;
  while (!script.empty()) {
    const std::size_t size = std::min(script.find_first_of(signs), script.size());
    const std::string word(script.substr(0, size));
    const bool is_written = is_behind_arrow || (!words.empty() && is_output_option(words.back()));
    if (size > 0 && is_written) written.insert(plain(word));
    if (size > 0) words.push_back(word);
    const char sign = size < script.size() ? script[size] : ' ';
    const bool is_before_name = sign == ' ' || sign == '"' || sign == '\'';
    is_behind_arrow = sign == '>' || (is_behind_arrow && size == 0 && is_before_name);
    script.remove_prefix(std::min(size + 1, script.size()));
  }
  std::vector<std::string> read;
  for (const std::string& word : words) {
    const std::string part = part_for_files(word);
    if (!part.empty() && !written.contains(plain(part))) read.push_back(part);
  }
  return read;
}

/// The command line of `,"command_spec":{"argv":[...],...}`.
std::vector<std::string> argv_in(const std::string& written_out) {
  std::vector<std::string> argv;
  const json::Node root = json::parse("{" + written_out.substr(1) + "}", "command_spec");
  const json::Member* const spec = json::find_member(root, "command_spec");
  const json::Member* const words = spec == nullptr ? nullptr : json::find_member(spec->node, "argv");
  const auto* const list = words == nullptr ? nullptr : words->node.as<json::Node::Array>();
  if (list == nullptr) return argv;
  for (const json::Node& word : *list) argv.push_back(*word.as<std::string>());
  return argv;
}

/// The kind of text that the placeholders of a word make.
enum class Makes { nothing, a_level, a_text };

Makes made_by(const std::string& word) {
  const std::vector<std::string> names = placeholders_of(word);
  if (names.empty()) return Makes::nothing;
  return part_for_files(word) == "{" + names.front() + "}" ? Makes::a_level : Makes::a_text;
}

bool has_text(const Parameters& parameters) {
  return std::ranges::any_of(parameters.own(), [](const auto& own) {
    return own.param.kind() == Param::OwnKind::text || own.param.kind() == Param::OwnKind::json;
  });
}

}  // namespace

std::string word_for_file(const std::vector<std::string>& argv, std::size_t at) {
  if (at == 0 || is_script(argv, at) || is_output_option(argv[at - 1])) return {};
  return part_for_files(argv.at(at));
}

std::vector<std::string> words_for_files(const std::vector<std::string>& argv) {
  std::vector<std::string> found;
  for (std::size_t at = 1; at < argv.size(); ++at) {
    if (std::string part = word_for_file(argv, at); !part.empty()) found.push_back(std::move(part));
  }
  return found;
}

const PlacedWords::Template& PlacedWords::template_of(const std::string& written_out) {
  const auto known = templates_.find(written_out);
  if (known != templates_.end()) return known->second;
  Template made{argv_in(written_out)};
  Makes most = Makes::nothing;
  for (std::size_t at = 1; at < made.argv.size(); ++at)
    most = std::max(most, is_script(made.argv, at) ? Makes::a_text : made_by(made.argv[at]));
  made.needs_text = most == Makes::a_level;
  if (most == Makes::nothing) made.argv.clear();
  return templates_.emplace(written_out, std::move(made)).first->second;
}

std::vector<std::string> PlacedWords::of(const Trial& trial) {
  if (!std::holds_alternative<std::string>(trial.parameters[Param::command]) || trial.written_out.empty()) return {};
  const Template& made = template_of(trial.written_out);
  if (made.argv.empty() || (made.needs_text && !has_text(trial.parameters))) return {};
  const std::vector<std::string> written = words_for_files(made.argv);
  const std::vector<std::string> argv = argv_with_values(made.argv, trial.parameters);
  std::vector<std::string> placed = words_for_files(argv);
  for (std::size_t at = 1; at < argv.size(); ++at) {
    if (!is_script(argv, at)) continue;
    const std::vector<std::string> inside = words_of_script(argv[at]);
    placed.insert(placed.end(), inside.begin(), inside.end());
  }
  std::erase_if(placed, [&](const std::string& word) {
    return json::is_number(word) || std::ranges::find(written, word) != written.end();
  });
  return placed;
}

std::string origin_of_word(const std::string& word) { return "file " + word; }

}  // namespace regatta::sweep
