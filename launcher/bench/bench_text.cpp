#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bench/bench.hpp"
#include "regatta/base/version.hpp"

namespace regatta::launcher {
namespace {

/// Three digits, and no exponent.
std::string number_text(double value, std::string_view unit) {
  if (unit == "byte") return fmt::format("{:.1f} MB", value / 1e6);
  if (unit == "1") return fmt::format("{:.2f} %", 100 * value);
  if (unit == "s") return fmt::format("{:.3f} s", value);
  return fmt::format("{:.0f}/s", value);
}

std::string aim_text(const FigureRow& row, double value) {
  const auto meets = meets_aim(row, value);
  if (!meets) return {};
  return fmt::format("{} {}{}", row.aim == Aim::at_least ? "at least" : "at most", number_text(row.bound, row.unit),
                     *meets ? "" : "  missed");
}

}  // namespace

std::string to_text(const BenchFound& found) {
  std::string text = fmt::format("{:<54} {:>12}  {:^27}  {}\n", "", "median", "range", "aim");
  for (std::size_t i = 0; i < figure_table.size(); ++i) {
    if (found.values[i].empty()) continue;
    const FigureRow& row = figure_table[i];
    const Spread spread = spread_of(found.values[i]);
    const std::string range =
        fmt::format("{} to {}", number_text(spread.low, row.unit), number_text(spread.high, row.unit));
    std::string line = fmt::format("{:<54} {:>12}  {:^27}  {}", row.what, number_text(spread.median, row.unit), range,
                                   aim_text(row, spread.median));
    text += line.erase(line.find_last_not_of(' ') + 1) + '\n';
  }
  const std::size_t rounds = found.values.front().size();
  return text +
         fmt::format(
             "{} round{}; {} ranks for rates, {} where they start, {} where they idle. Aims are those of a quiet "
             "machine with as many cores.\n",
             rounds, rounds == 1 ? "" : "s", found.rate_ranks, found.start_ranks, found.idle_ranks);
}

std::string to_json(const BenchFound& found) {
  nlohmann::ordered_json document = {{"regatta", regatta_version()},
                                     {"rounds", found.values.front().size()},
                                     {"ranks", found.rate_ranks},
                                     {"start_ranks", found.start_ranks},
                                     {"idle_ranks", found.idle_ranks}};
  nlohmann::ordered_json spreads;
  for (std::size_t i = 0; i < figure_table.size(); ++i) {
    const std::string key(figure_table[i].key);
    if (found.values[i].empty()) continue;
    const Spread spread = spread_of(found.values[i]);
    document[key] = spread.median;
    spreads[key] = {spread.low, spread.high};
  }
  document["spread"] = std::move(spreads);
  return document.dump() + '\n';
}

}  // namespace regatta::launcher
