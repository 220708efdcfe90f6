#include <map>
#include <string>
#include <unordered_map>

#include "regatta/results/told_results.hpp"
#include "results/file/columns.hpp"
#include "results/file/file.hpp"

namespace regatta::results::hdf5 {
namespace {

class Columns {
 public:
  Columns(std::size_t rows, std::map<std::string, std::string> units) : rows_(rows), units_(std::move(units)) {
    for (const MetricInfo& metric : metric_table()) add(metric);
  }

  void take(std::size_t row, const std::map<std::string, double>& metrics) {
    std::size_t at = 0;
    for (const auto& [name, value] : metrics) columns_[place_of(name, at++)].values[row] = value;
  }

  std::vector<MetricColumn> all() { return std::move(columns_); }

 private:
  std::size_t add(MetricInfo metric) {
    place_.emplace(metric.name, columns_.size());
    columns_.push_back({std::move(metric), std::vector<double>(rows_, missing_number)});
    return columns_.size() - 1;
  }

  /// Most rows hold the same metrics as the one before, so that the one at the same place there is looked at first.
  std::size_t place_of(const std::string& name, std::size_t at) {
    if (at >= of_last_row_.size()) of_last_row_.resize(at + 1);
    std::size_t& place = of_last_row_[at];
    if (columns_[place].metric.name == name) return place;
    const auto known = place_.find(name);
    place = known != place_.end() ? known->second : add(of_unknown(name));
    return place;
  }

  [[nodiscard]] MetricInfo of_unknown(const std::string& name) const {
    const auto unit = units_.find(name);
    if (unit == units_.end()) return {name, "1", "as recorded"};
    return {name, unit->second, "told by the program: median over its scored runs"};
  }

  std::size_t rows_;
  std::map<std::string, std::string> units_;  ///< units that programs reported, by name
  std::vector<MetricColumn> columns_;
  std::unordered_map<std::string, std::size_t> place_;
  std::vector<std::size_t> of_last_row_;
};

}  // namespace

std::vector<MetricColumn> metric_columns(const std::vector<TrialRow>& trials) {
  Columns columns(trials.size(), result_units(trials));
  for (std::size_t row = 0; row < trials.size(); ++row) columns.take(row, trials[row].metrics);
  return columns.all();
}

}  // namespace regatta::results::hdf5
