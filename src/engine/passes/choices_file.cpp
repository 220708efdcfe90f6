#include "engine/passes/choices_file.hpp"

#include <fmt/format.h>

#include <sstream>

#include "regatta/base/cache_file.hpp"

namespace regatta::engine {

namespace {

/// Lines of "rows layout key"; what is no such line is skipped: the file is a cache.
std::map<std::string, KernelChoice> read(const std::string& path) {
  std::map<std::string, KernelChoice> known;
  for (const std::string& line : cached_lines(path)) {
    std::istringstream words(line);
    KernelChoice choice;
    std::string key;
    if (!(words >> choice.rows_at_once >> choice.b_layout) || choice.rows_at_once < 0) continue;
    if (!std::getline(words >> std::ws, key) || key.empty()) continue;
    known[key] = choice;
  }
  return known;
}

}  // namespace

const KernelChoice* ChoicesFile::find(const std::string& key) {
  if (!std::exchange(is_read_, true)) known_.merge(read(path_));  // choices added meanwhile stay
  const auto found = known_.find(key);
  return found == known_.end() ? nullptr : &found->second;
}

void ChoicesFile::add(const std::string& key, const KernelChoice& choice) { added_[key] = known_[key] = choice; }

void ChoicesFile::save() {
  if (path_.empty() || added_.empty()) return;
  std::map<std::string, KernelChoice> all = read(path_);
  for (const auto& [key, choice] : added_) all.emplace(key, choice);  // an earlier entry stays: all processes share it
  std::string text;
  for (const auto& [key, choice] : all) text += fmt::format("{} {} {}\n", choice.rows_at_once, choice.b_layout, key);
  added_.clear();
  write_cache(path_, text);
}

}  // namespace regatta::engine
