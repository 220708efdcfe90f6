#include "regatta/sweep/origins.hpp"

#include <fmt/format.h>

#include <set>

#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {
namespace {

/// People want to see both versions; what else differs is told by checksums.
bool is_readable(const std::string& part) {
  return part.starts_with("the version of ") || part.starts_with("the interpreter of ") || part.starts_with("limits.");
}

std::string state_in(const Origin& origin, const std::string& part) {
  const auto found = origin.find(part);
  return found == origin.end() ? std::string() : found->second;
}

std::string shown(const std::string& state) { return state.empty() ? "none" : state; }

}  // namespace

std::string runner_of(const Parameters& parameters) {
  const std::string command = to_text(parameters[Param::command]);
  if (std::holds_alternative<std::string>(parameters[Param::command])) return "command " + command;
  const std::string& engine = text_of(parameters, Param::engine);
  const auto* dataset = std::get_if<std::string>(&parameters[Param::dataset]);
  return dataset == nullptr || is_shipped_dataset(*dataset) ? engine : engine + " on " + *dataset;
}

std::vector<std::string> differences(const Origin& then, const Origin& now) {
  std::vector<std::string> all;
  if (now.empty()) return all;
  std::set<std::string> parts;
  for (const Origin* origin : {&then, &now}) {
    for (const auto& [part, state] : *origin) parts.insert(part);
  }
  for (const std::string& part : parts) {
    const std::string before = state_in(then, part), after = state_in(now, part);
    if (before == after) continue;
    all.push_back(is_readable(part) ? fmt::format("{} ({} then, {} now)", part, shown(before), shown(after)) : part);
  }
  return all;
}

}  // namespace regatta::sweep
