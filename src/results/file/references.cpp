#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <variant>

#include "regatta/base/error.hpp"
#include "results/file/file.hpp"

namespace regatta::results {
namespace {

template <class Rows, class Holds>
void expect_all(const char* table, const Rows& rows, const Holds& holds) {
  const auto wrong = std::ranges::find_if_not(rows, holds);
  if (wrong == rows.end()) return;
  throw InputError(
      fmt::format("/{}: row {} names a row of another table that is not there", table, wrong - rows.begin()));
}

template <class Rows>
bool has(const Rows& rows, std::uint32_t number) {
  return number < rows.size();
}

/// -1 is none.
template <class Rows>
bool has_or_none(const Rows& rows, std::int32_t number) {
  return number == -1 || (number >= 0 && has(rows, static_cast<std::uint32_t>(number)));
}

}  // namespace

void expect_references(const Results& all) {
  const auto& trials = all.trials;
  const auto& blocks = all.blocks;
  expect_all("trials", trials, [&](const TrialRow& row) {
    return has_or_none(all.envs, row.env) && has_or_none(all.hosts, row.host) && has_or_none(all.devices, row.device) &&
           has_or_none(all.sources, row.source);
  });
  expect_all("trials", trials, [](const TrialRow& row) {
    return std::holds_alternative<std::string>(row.parameters[sweep::Param::engine]);
  });
  expect_all("sessions", all.sessions, [&](const SessionRow& row) { return has_or_none(all.sources, row.source); });
  expect_all("blocks", blocks, [&](const BlockRow& row) {
    return std::ranges::all_of(row.arms, [&](TrialIndex arm) { return has(trials, arm.value); });
  });
  expect_all("samples", all.samples, [&](const SampleRow& row) {
    return has(trials, row.trial.value) && has(blocks, row.block.value) &&
           has(blocks[row.block.value].arms, row.sample.arm);
  });
  expect_all("contrasts", all.contrasts, [&](const ContrastRow& row) {
    return has(blocks, row.block.value) && has(trials, row.a.value) && has(trials, row.b.value);
  });
  expect_all("attempts", all.failed_attempts,
             [&](const AttemptRow& row) { return has(blocks, row.block.value) && has(trials, row.trial.value); });
  expect_all("interventions", all.interventions,
             [&](const InterventionRow& row) { return has(trials, row.trial.value); });
  expect_all("intervention_samples", all.intervention_samples,
             [&](const InterventionSampleRow& row) { return has(all.interventions, row.row); });
  expect_all("legs", all.legs,
             [&](const LegRow& row) { return has(trials, row.trial.value) && has_or_none(all.devices, row.device); });
  expect_all("devices", all.devices,
             [&](const SlotRow& row) { return row.host >= 0 && has_or_none(all.hosts, row.host); });
}

}  // namespace regatta::results
