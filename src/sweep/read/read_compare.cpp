#include <fmt/format.h>

#include <algorithm>

#include "regatta/json/text.hpp"
#include "sweep/read/levels.hpp"
#include "sweep/read/read.hpp"
#include "sweep/read/sections.hpp"

namespace regatta::sweep {
namespace {

Pairs read_pairs(const json::Cursor& cursor) {
  const std::string& text = cursor.choice({"baseline", "all", "one-factor"});
  if (text == "all") return Pairs::all;
  return text == "one-factor" ? Pairs::one_factor : Pairs::baseline;
}

Match read_baseline(const json::Cursor& cursor, const std::vector<std::string>& over, const Sweep& sweep) {
  Match baseline;
  for (const auto& member : cursor.members("an object of parameters and levels")) {
    const Param param = need_param(member.value.place, member.key, sweep);
    if (std::find(over.begin(), over.end(), member.key) == over.end()) {
      json::refuse(member.value.place, {fmt::format("the parameter {}", json::quote(member.key)),
                                        fmt::format("only what \"over\" names ({})", json::one_of(over)), ""});
    }
    baseline.emplace_back(param, read_level(member.value, param, sweep));
  }
  if (baseline.empty()) cursor.refuse("at least one parameter");
  return baseline;
}

/// A name, or a list that may be empty.
std::vector<json::Cursor> names_in(const json::Cursor& cursor) {
  const auto* list = cursor.node.as<json::Node::Array>();
  return list != nullptr && list->empty() ? std::vector<json::Cursor>() : cursor.list_or_one("at least one parameter");
}

std::vector<Param> read_replicates(const json::Cursor& cursor, const std::vector<Param>& over, const Sweep& sweep) {
  std::vector<Param> replicates;
  for (const json::Cursor& item : names_in(cursor)) {
    const std::string& name = item.choice(axis_names(sweep));
    const Param param = need_param(item.place, name, sweep);
    const auto refuse = [&](const std::string& found, const char* wanted) {
      json::refuse(item.place, {json::describe(item.node) + found, wanted, ""});
    };
    if (std::ranges::find(over, param) != over.end())
      refuse(", which \"over\" compares", "an axis that is not compared, such as a seed");
    if (std::ranges::find(replicates, param) != replicates.end()) refuse(" a second time", "each parameter once");
    replicates.push_back(param);
  }
  return replicates;
}

/// Seeds and repeats ask the same question again, unless it is about them.
std::vector<Param> usual_replicates(const std::vector<Param>& over, const Sweep& sweep) {
  const std::string seed(name_of(Param::seed));
  std::vector<Param> replicates;
  for (const Param param : {find_own(sweep, seed).value_or(Param::seed), Param(Param::repeat)})
    if (std::ranges::find(over, param) == over.end()) replicates.push_back(param);
  return replicates;
}

}  // namespace

void read_compare(const json::Cursor& cursor, Sweep& sweep) {
  const json::Fields fields(cursor, "an object", {"over", "baseline", "pairs", "replicates"});
  Compare compare;
  std::vector<std::string> over;
  for (const json::Cursor& item :
       fields.need("over", "the parameters that are compared").list_or_one("at least one parameter")) {
    over.push_back(item.choice(param_names(sweep)));
    compare.over.push_back(need_param(item.place, over.back(), sweep));
    if (std::count(over.begin(), over.end(), over.back()) > 1)
      json::refuse(item.place, {json::describe(item.node) + " a second time", "each parameter once", ""});
  }
  if (const auto pairs = fields.find("pairs")) compare.pairs = read_pairs(*pairs);
  const auto replicates = fields.find("replicates");
  compare.replicates =
      replicates ? read_replicates(*replicates, compare.over, sweep) : usual_replicates(compare.over, sweep);
  auto baseline = fields.find("baseline");
  if (!baseline && compare.pairs == Pairs::baseline)
    baseline.emplace(
        fields.need("baseline", "the arm that others are compared with, such as {\"engine\": \"native\"}"));
  if (baseline) compare.baseline = read_baseline(*baseline, over, sweep);
  sweep.compare = std::move(compare);
}

}  // namespace regatta::sweep
