#include "replay.hpp"

#include <numeric>
#include <string>
#include <utility>

#include "regatta/base/random.hpp"

namespace regatta::search::testing {
namespace {

std::size_t column_of(std::int64_t seed) {
  return static_cast<std::size_t>(seed < sweep::first_fresh_seed ? seed - sweep::search_seed
                                                                 : seed - sweep::first_fresh_seed + 2);
}

}  // namespace

Problem problem_on(const Table& table, std::uint64_t search) {
  Problem problem;
  for (std::size_t i = 0; i < table.runs.size(); ++i)
    problem.configurations.push_back(hash128(std::to_string(search) + " " + std::to_string(i)));
  problem.search.rungs = static_cast<std::int64_t>(table.rungs);
  return problem;
}

std::vector<std::size_t> drawn_columns(const Table& table, std::uint64_t search) {
  std::vector<std::size_t> columns(table.runs.at(0).size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  for (std::size_t i = columns.size(); i > 1; --i) std::swap(columns[i - 1], columns[random_bits(search, i) % i]);
  return columns;
}

Done run_on(const Table& table, const std::vector<std::size_t>& columns, const Due& leg) {
  const TableRun& run = table.runs.at(leg.configuration).at(columns.at(column_of(leg.leg.seed)));
  const bool opens_test = leg.leg.purpose == sweep::Purpose::test;
  const bool to_the_end = leg.leg.to == 1;
  const auto score = to_the_end ? run.scores.back() : run.scores.at(leg.leg.rung);
  return {leg.configuration, leg.leg, score, opens_test ? run.test : std::nullopt};
}

std::vector<Done> replayed(const Problem& problem, const Table& table, const std::vector<std::size_t>& columns) {
  std::vector<Done> runs;
  for (std::vector<Due> legs = due(problem, runs); !legs.empty(); legs = due(problem, runs)) {
    for (const Due& leg : legs) runs.push_back(run_on(table, columns, leg));
  }
  return runs;
}

}  // namespace regatta::search::testing
