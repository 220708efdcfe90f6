#include "report/findings/rank_lines.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace regatta::report {
namespace {

using analysis::RankScaling;

constexpr std::size_t groups_named = 4;
using analysis::RanksKnown;

std::string with_name(const RankScaling& group, const std::string& text) {
  return group.name.empty() ? text : group.name + ": " + text;
}

/// "mlp-784, conv1d-small and 3 more: whether more ranks pay is not known: ..."; empty without such groups.
std::string unknown_of(const View& view, RanksKnown known) {
  std::vector<const RankScaling*> groups;
  for (const RankScaling& group : view.ranks) {
    if (group.known == known) groups.push_back(&group);
  }
  if (groups.empty()) return {};
  std::string names;
  const std::size_t shown = std::min(groups.size(), groups_named);
  for (std::size_t i = 0; i < shown && !groups[i]->name.empty(); ++i)
    names += fmt::format("{}{}", i == 0 ? "" : ", ", groups[i]->name);
  if (groups.size() > shown) names += fmt::format(" and {} more", groups.size() - shown);
  return (names.empty() ? "" : names + ": ") + groups.front()->answer;
}

}  // namespace

std::vector<std::string> rank_answers(const View& view) {
  std::vector<std::string> lines;
  for (const RankScaling& group : view.ranks) {
    if (group.known == RanksKnown::judged) lines.push_back(with_name(group, group.answer));
  }
  return lines;
}

std::vector<std::string> unknown_rank_answers(const View& view) {
  std::vector<std::string> lines;
  for (const RanksKnown known : {RanksKnown::no_turns, RanksKnown::no_base}) {
    if (std::string line = unknown_of(view, known); !line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> rank_reasons(const View& view) {
  std::vector<std::string> lines;
  for (const RankScaling& group : view.ranks) {
    if (!group.reason.empty()) lines.push_back(with_name(group, group.reason));
  }
  return lines;
}

std::string capitalized(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') text.front() -= 'a' - 'A';
  return text;
}

}  // namespace regatta::report
