// Results of trials of several ranks, made by hand.
#pragma once

#include <optional>
#include <vector>

#include "report/sample_results.hpp"

namespace regatta::testing_support {

/// A cell of native graph: its ranks, shards, the seconds of its step and, of those, what the exchange exposes.
struct RankedCell {
  std::int64_t ranks = 1;
  std::int64_t shards = 1;
  double seconds = 0;
  std::optional<double> exposed = {};
};

inline Values ranked(const char* model, std::int64_t batch, const RankedCell& cell) {
  Values values = arm("native", "graph", batch);
  values[1].second = std::string(model);
  values.emplace_back(sweep::Param::ranks, cell.ranks);
  values.emplace_back(sweep::Param::shards, cell.shards);
  return values;
}

/// Adds a block of these cells, the first one its baseline; eight squares of each, which scatter by 2 %.
inline std::vector<TrialIndex> add_ranks(ResultsBuilder& made, const char* model,
                                         const std::vector<std::int64_t>& batches,
                                         const std::vector<RankedCell>& cells) {
  constexpr std::size_t squares = 8;
  std::vector<TrialIndex> trials;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::int64_t batch = batches[i % batches.size()];
    const TrialIndex trial = made.trial(ranked(model, batch, cells[i]));
    made.metrics(trial, cells[i].seconds / 1.05, static_cast<double>(batch));
    auto& row = made.results.trials[trial.value];
    if (cells[i].exposed) row.metrics["exposed_exchange"] = *cells[i].exposed;
    row.verified = sweep::Verified::yes;
    row.host = row.device = 0;
    trials.push_back(trial);
  }
  const BlockIndex block = made.block(trials);
  made.results.blocks.back().attempt = 1;
  for (std::size_t i = 0; i < cells.size(); ++i)
    made.slices(block, trials[i], around(cells[i].seconds, 2 * i, squares));
  return trials;
}

/// A step of this cell without its exchange takes so many seconds.
inline void add_exchange_off(ResultsBuilder& made, TrialIndex cell, double with, double without) {
  constexpr std::size_t squares = 8;
  made.explanation(cell, {{{sweep::InterventionKind::unchanged, 0}, around(with, 0, squares)},
                          {{sweep::InterventionKind::exchange_off, 0}, around(without, 3, squares)}});
}

/// mlp-784 pays up to 4 of 8 ranks, as its exchange grows; conv1d-small up to all 8; its batches grow in a third block.
inline ResultsBuilder ranks_made() {
  ResultsBuilder made;
  auto& results = made.results;
  results.name = "more-ranks";
  results.complete = true;
  results.axis_names = {"model", "batch", "ranks", "shards"};
  results.hosts = {{"box", "Example CPU 9", 1, 8, std::int64_t{8} << 30, "6.1", "performance"}};
  results.devices = {{0, "cpu", "cores 0", {}}};
  results.envs = {{"native", "native", "0.1.0"}};
  results.provenance = {R"({"regatta": 1, "name": "more-ranks"})",
                        "ranks.json",
                        "regatta run ranks.json --ranks 8",
                        "0.1.0",
                        "",
                        "2026-01-02T03:04:05Z",
                        {}};
  const auto small =
      add_ranks(made, "mlp-784", {256},
                {{1, 1, 8e-3}, {1, 8, 9e-3}, {2, 8, 4.9e-3, 0.4e-3}, {4, 8, 3.0e-3, 0.8e-3}, {8, 8, 3.6e-3, 2.3e-3}});
  const auto large = add_ranks(
      made, "conv1d-small", {256},
      {{1, 1, 40e-3}, {1, 8, 40.1e-3}, {2, 8, 20.9e-3, 0.1e-3}, {4, 8, 10.8e-3, 0.2e-3}, {8, 8, 5.9e-3, 0.3e-3}});
  add_ranks(made, "conv1d-small", {64, 128, 256}, {{1, 8, 10.2e-3}, {2, 8, 10.9e-3, 0.1e-3}, {4, 8, 11.5e-3, 0.2e-3}});
  add_exchange_off(made, small[4], 3.6e-3, 1.25e-3);
  add_exchange_off(made, large[4], 5.9e-3, 5.7e-3);
  return made;
}

}  // namespace regatta::testing_support
