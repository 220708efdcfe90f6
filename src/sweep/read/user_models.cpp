#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "regatta/base/digest.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/json/text.hpp"
#include "regatta/model/python_imports.hpp"
#include "sweep/read/read.hpp"

namespace regatta::sweep {
namespace {

constexpr std::uint64_t max_source_bytes = std::uint64_t{4} << 20;

/// The value that names this file.
json::Cursor naming(const json::Cursor& level, const std::string& file) {
  const auto batch = level.member("batch");
  const auto python = level.member("python");
  const auto names = [&](const std::optional<json::Cursor>& member) {
    const auto* text = member ? member->node.as<std::string>() : nullptr;
    return text != nullptr && (*text == file || text->starts_with(file + ":"));
  };
  return !names(python) && batch ? *batch : python.value_or(level);
}

std::string digest_of(const std::filesystem::path& path, const json::Cursor& place) {
  try {
    return sha256_hex(read_file(path, max_source_bytes));
  } catch (const InputError& error) {
    place.refuse(fmt::format("a file that can be read ({})", error.what()));
  }
}

void expect_pinned(const json::Cursor& level, const std::string& file, const std::string& pinned,
                   const std::string& digest) {
  if (pinned == digest) return;
  level.member("sources").value().member(file).value().refuse(fmt::format(
      "{}, which {} has now (it was edited); take \"sources\" out to measure it as it is", json::quote(digest), file));
}

/// Whether the text of a loop, or what it imports from its folder, knows the word; where all settings are handed on in
/// one piece, and in trainings, whose reports count samples, nobody can tell.
bool may_read_batch(const std::filesystem::path& script) {
  std::vector<std::filesystem::path> files = model::local_imports(script);
  files.push_back(script);
  constexpr std::array<std::string_view, 5> signs = {"batch", "**", "settings()", "should_stop", "report"};
  return std::ranges::any_of(files, [&](const std::filesystem::path& file) {
    std::string text;
    try {
      text = read_file(file, max_source_bytes);
    } catch (const InputError&) {
      return true;
    }
    return std::ranges::any_of(signs, [&](std::string_view sign) { return text.find(sign) != std::string::npos; });
  });
}

}  // namespace

void find_sources(const json::Cursor& level, const Sweep& sweep, model::UserModel& user) {
  if (const auto folder = level.member("folder"))
    json::refuse(folder->place, {"the unknown key \"folder\"", json::one_of({"name", "python", "batch", "args"}), ""});
  const std::filesystem::path folder = std::filesystem::absolute(sweep.file).parent_path();
  user.folder = folder.string();
  if (sweep.outside.any) return;
  const bool is_told = level.member("reads_batch") || level.member("sources");
  if (model::is_loop(user) && !is_told) user.reads_batch = may_read_batch(folder / user.python);
  for (const std::string& file : model::files_of(user)) {
    const std::string digest = digest_of(folder / file, naming(level, file));
    const auto [known, is_new] = user.sources.try_emplace(file, digest);
    if (!is_new) expect_pinned(level, file, known->second, digest);
  }
}

std::string sources_json(const model::UserModel& user) {
  std::string text;
  for (const auto& [file, digest] : user.sources)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", json::quote(file), json::quote(digest));
  return fmt::format("{}, \"sources\": {{{}}}", user.reads_batch ? "" : ", \"reads_batch\": false", text);
}

}  // namespace regatta::sweep
