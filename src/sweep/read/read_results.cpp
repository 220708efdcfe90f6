// The numbers that a command has to tell, and where those stand that are not in lines with JSON objects.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "regatta/base/error.hpp"
#include "regatta/json/text.hpp"
#include "regatta/sweep/facts.hpp"
#include "regatta/sweep/program_results.hpp"
#include "sweep/read/sections.hpp"

namespace regatta::sweep {
namespace {

/// A pattern with a number in it, or the error that says why it is none.
std::string read_pattern(const json::Cursor& cursor) {
  const std::string& pattern = cursor.text("a regular expression such as \"loss=(\\\\S+)\"");
  unsigned groups = 0;
  try {
    groups = result_pattern(pattern).mark_count();
  } catch (const InputError& error) {
    cursor.refuse(error.what());
  }
  if (groups == 0) cursor.refuse("a group in it, such as (.*), which is the number");
  return pattern;
}

/// A file that the program makes in the folder of its trial: in one folder for all, trials of several ranks would write
/// over it, and one that a run does not write would be an earlier run's.
std::string read_file_name(const json::Cursor& cursor, const Command& command) {
  const std::string& name = cursor.text("the path of a file that the program writes");
  const std::filesystem::path path(name);
  if (path.is_absolute() || std::ranges::find(path, "..") != path.end())
    cursor.refuse("a path inside the folder of the trial, such as \"forces.csv\"");
  if (command.folder == WorkFolder::none)
    cursor.refuse("\"folder\": \"kept\" or \"removed\" in this command, so that each run has a file of its own");
  return name;
}

/// {"pattern": ...}, {"file": ..., "column": ...}, {"file": ..., "key": ...}; {} is a line with a JSON object.
void read_source(const json::Cursor::Member& member, Command& command) {
  const json::Fields fields(member.value, "an object such as {\"pattern\": \"loss=(\\\\S+)\"}",
                            {"pattern", "file", "column", "key", "unit"});
  ResultSource source{.name = member.key};
  if (const auto file = fields.find("file")) source.file = read_file_name(*file, command);
  if (const auto pattern = fields.find("pattern")) source.pattern = read_pattern(*pattern);
  if (const auto column = fields.find("column")) source.column = column->text("the name of a column");
  if (const auto key = fields.find("key")) source.key = key->text("a key such as \"scores.accuracy\"");
  if (const auto unit = fields.find("unit")) {
    source.unit = unit->text("a unit");
    if (source.unit.size() > most_unit_bytes) unit->refuse(fmt::format("at most {} bytes", most_unit_bytes));
  }
  const std::size_t ways =
      (source.pattern.empty() ? 0 : 1) + (source.column.empty() ? 0 : 1) + (source.key.empty() ? 0 : 1);
  if (ways == 0 && source.file.empty() && source.unit.empty()) return;
  if (ways != 1) member.value.refuse("one of the keys \"pattern\", \"column\" and \"key\" in it");
  if (source.file.empty() && source.pattern.empty()) member.value.refuse("the key \"file\" in it");
  command.sources.push_back(std::move(source));
}

constexpr const char* name_rule =
    "a name that begins with a letter, has letters, digits, '_', '.' or '-', and is no column of the results (such as "
    "host)";

}  // namespace

void need_result_name(const json::Cursor& cursor, const std::string& name) {
  if (!may_be_result(name)) cursor.refuse(name_rule);
}

void read_results(const json::Cursor& cursor, Command& command) {
  if (cursor.is_object()) {
    const auto members = cursor.members("an object of numbers that the program tells");
    if (members.empty()) cursor.refuse("at least one number that the program tells");
    for (const auto& member : members) {
      if (!may_be_result(member.key))
        json::refuse(member.value.place, {"the name " + json::show(member.key), name_rule, ""});
      command.results.push_back(member.key);
      read_source(member, command);
    }
    return;
  }
  for (const json::Cursor& item : cursor.list("a list of names such as [\"residual\"], or an object")) {
    const std::string name = item.text("the name of a number that the program tells");
    need_result_name(item, name);
    if (std::ranges::find(command.results, name) != command.results.end()) item.refuse("each name once");
    command.results.push_back(name);
  }
}

}  // namespace regatta::sweep
