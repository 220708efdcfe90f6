#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "regatta/sweep/parameters.hpp"
#include "sweep/read/read.hpp"

namespace regatta::sweep {
namespace {

/// Keys of a sweep below which levels stand.
constexpr std::array<std::string_view, 5> keys_with_levels = {"axes", "when", "include", "exclude", "compare"};

bool says_all(const json::Node& node) {
  const auto* text = node.as<std::string>();
  return text != nullptr && *text == all_threads;
}

/// Levels of `threads`: one, or a list, what is drawn from too.
using Found = std::vector<const json::Node*>;

void find_levels(const json::Node& node, Found& found) {
  if (const auto* list = node.as<json::Node::Array>())
    for (const json::Node& item : *list) find_levels(item, found);
  const auto* members = node.as<json::Node::Object>();
  if (members == nullptr) return;
  for (const json::Member& member : *members) {
    if (member.key == name_of(Param::threads)) {
      const json::Member* choice = json::find_member(member.node, "choice");
      found.push_back(choice != nullptr ? &choice->node : &member.node);
    }
    if (member.key != name_of(Param::model)) find_levels(member.node, found);  // a model has words of its own
  }
}

bool names_threads(const json::Node& node) {
  if (const auto* text = node.as<std::string>()) return *text == name_of(Param::threads);
  const auto* list = node.as<json::Node::Array>();
  return list != nullptr && std::ranges::any_of(*list, names_threads);
}

void write_over(std::string& text, const json::Node& node, const std::string& word) {
  std::string padded = word;
  padded.resize(node.end - node.begin, ' ');
  text.replace(node.begin, padded.size(), padded);
}

/// The item of a list, and a comma beside it.
void blank(std::string& text, const json::Node& item) {
  write_over(text, item, "");
  const std::size_t before = text.find_last_not_of(" \t\r\n", item.begin - 1);
  const std::size_t comma = text[before] == ',' ? before : text.find(',', item.end);
  if (comma != std::string::npos) text[comma] = ' ';
}

void replace_in_list(std::string& text, const json::Node::Array& list, std::int64_t cores, bool may_repeat) {
  bool is_there = std::ranges::any_of(list, [&](const json::Node& item) {
    const auto* number = item.as<std::int64_t>();
    return number != nullptr && *number == cores;
  });
  for (const json::Node& item : list) {
    if (!says_all(item)) continue;
    if (is_there && !may_repeat)
      blank(text, item);
    else
      write_over(text, item, std::to_string(cores));
    is_there = true;
  }
}

bool holds_all(const json::Node& levels) {
  const auto* list = levels.as<json::Node::Array>();
  return says_all(levels) || (list != nullptr && std::ranges::any_of(*list, says_all));
}

}  // namespace

std::string with_all_threads(std::string text, const json::Node& root, const std::function<std::int64_t()>& cores) {
  Found found;
  for (const std::string_view key : keys_with_levels)
    if (const json::Member* member = json::find_member(root, key)) find_levels(member->node, found);
  std::erase_if(found, [](const json::Node* levels) { return !holds_all(*levels); });
  if (found.empty() || !cores) return text;
  const std::int64_t count = cores();
  const json::Member* zip = json::find_member(root, "zip");
  const bool is_zipped = zip != nullptr && names_threads(zip->node);
  for (const json::Node* levels : found) {
    if (const auto* list = levels->as<json::Node::Array>())
      replace_in_list(text, *list, count, is_zipped);
    else
      write_over(text, *levels, std::to_string(count));
  }
  return text;
}

std::string with_all_threads(const std::string& assignment, const std::function<std::int64_t()>& cores) {
  const std::string name = std::string(name_of(Param::threads)) + "=";
  if (!assignment.starts_with(name) || !cores) return assignment;
  std::vector<std::string> levels;
  for (std::size_t begin = name.size(); begin <= assignment.size();) {
    const std::size_t end = std::min(assignment.find(',', begin), assignment.size());
    levels.push_back(assignment.substr(begin, end - begin));
    begin = end + 1;
  }
  if (std::ranges::find(levels, all_threads) == levels.end()) return assignment;
  const std::string count = std::to_string(cores());
  const bool is_there = std::ranges::find(levels, count) != levels.end();
  if (is_there) std::erase(levels, all_threads);
  std::ranges::replace(levels, std::string(all_threads), count);
  std::string written = name;
  for (const std::string& level : levels) written += (written == name ? "" : ",") + level;
  return written;
}

}  // namespace regatta::sweep
