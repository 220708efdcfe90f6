#include "sweep/plan/read_sets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "regatta/base/random.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/sweep/capabilities.hpp"
#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

/// Values to try for a parameter.
std::vector<Value> values_of(const ParamInfo& row) {
  std::vector<Value> values;
  for (const std::string_view level : row.levels) values.emplace_back(std::string(level));
  if (row.type == ParamType::real) values = {row.least, row.most};
  if (row.type == ParamType::integer) values = {row.minimum, std::int64_t{2}, std::int64_t{200}};
  if (row.param == Param::model)
    for (const std::string& name : model::model_names()) values.emplace_back(name);
  if (row.param == Param::command) values.emplace_back(std::string("c"));
  return values;
}

template <class Params>
bool is_among(const Params& params, Param param) {
  return std::ranges::find(params, param) != params.end();
}

/// Parameters with values picked at random, and one of those that are not among `params` picked again.
template <class Params, class Check>
void try_others(const Params& params, const Check& check) {
  for (std::uint64_t round = 0; round < 4000; ++round) {
    Parameters first;
    for (const ParamInfo& row : parameter_table()) {
      const auto values = values_of(row);
      first.set(row.param, values[random_bits(round, static_cast<std::size_t>(row.param.known())) % values.size()]);
    }
    Parameters second = first;
    const ParamInfo& changed = parameter_table()[random_bits(round, 100) % param_count];
    if (is_among(params, changed.param)) continue;
    const auto values = values_of(changed);
    second.set(changed.param, values[random_bits(round, 101) % values.size()]);
    check(first, second, changed);
  }
}

model::Model model_at(const Parameters& parameters) {
  return model::find_model(text_of(parameters, Param::model), std::get<std::int64_t>(parameters[Param::length]))
      .value();
}

TEST(Kinds, WhatIsReadIsDecidedByTheReadingParameters) {
  try_others(reading_params(), [](const Parameters& first, const Parameters& second, const ParamInfo& changed) {
    const model::Model a = model_at(first);
    const model::Model b = model_at(second);
    for (const ParamInfo& row : parameter_table())
      EXPECT_EQ(reads(first, &a, row.param), reads(second, &b, row.param)) << row.name << " by " << changed.name;
  });
}

TEST(Kinds, WhatIsSkippedIsDecidedByTheSkippingParameters) {
  try_others(skipping_params(), [](const Parameters& first, const Parameters& second, const ParamInfo& changed) {
    const model::Model a = model_at(first);
    const model::Model b = model_at(second);
    EXPECT_EQ(skip_reason(first, &a), skip_reason(second, &b)) << changed.name;
  });
}

/// Parameters that are picked at random are skipped for their engine and model, mostly: nothing else is looked at then.
TEST(Kinds, WhatIsSkippedOfTrainingStepsIsDecidedByTheSkippingParameters) {
  const Sweep sweep = sweep_with(R"("axes": {"model": "mlp-10", "batch": [96, 100, 104], "ranks": [1, 2, 4],
                                    "shards": [1, 8, 16], "precision": ["fp32", "bf16"], "mode": ["eager", "graph"]})");
  Kinds kinds(sweep);
  std::set<std::string> reasons;
  Points(sweep).each([&](const Point& point) {
    const model::Model model = model_at(point.values);
    const auto reason = skip_reason(point.values, &model);
    EXPECT_EQ(kinds.skip_of(point.values), reason) << to_json(point.values);
    if (reason) reasons.insert(*reason);
  });
  EXPECT_TRUE(reasons.contains(
      "a batch of 100 has no 8 equal shards. Choose a multiple of 8, or other 'shards' (8 where a sweep has "
      "ranks above 1 and names none)"));
  EXPECT_TRUE(reasons.contains(
      "a batch of 104 has no 16 equal shards. Choose a multiple of 16, or other 'shards' (8 where a sweep has "
      "ranks above 1 and names none)"));
}

TEST(Kinds, TellWhyATrialIsSkipped) {
  const Sweep sweep = sweep_with(R"("axes": {"engine": ["native", "numpy"], "model": "noop", "batch": [1, 2]})");
  Kinds kinds(sweep);
  std::vector<std::optional<std::string>> reasons;
  Points(sweep).each([&](const Point& point) { reasons.push_back(kinds.skip_of(point.values)); });
  const std::string reason = "the engine numpy has no noop (it has dense networks and matmul)";
  EXPECT_EQ(reasons, (std::vector<std::optional<std::string>>{{}, {}, reason, reason}));
}

}  // namespace
}  // namespace regatta::sweep
