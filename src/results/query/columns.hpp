// Columns of a table from rows of one kind.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "regatta/results/parameters_of.hpp"
#include "regatta/results/table.hpp"
#include "regatta/sweep/parameters.hpp"

namespace regatta::results {

inline sweep::Value number(double value) { return std::isnan(value) ? sweep::Value() : sweep::Value(value); }
inline sweep::Value integer(std::int64_t value) { return value; }
inline sweep::Value date(double seconds) { return seconds == 0 ? sweep::Value() : sweep::Value(seconds); }

/// The table points into the rows.
template <class Row>
class Columns {
 public:
  Columns(Table& table, const std::vector<Row>& rows) : table_(table), rows_(rows) {
    table_.rows.resize(rows.size());
    std::iota(table_.rows.begin(), table_.rows.end(), std::size_t{0});
  }

  template <class Take>
  void text(std::string name, Take take) {
    add(std::move(name), "", false, [take](const Row& row) { return sweep::Value(std::string(take(row))); });
  }
  template <class Take>
  void add(std::string name, std::string unit, bool is_number, Take take) {
    table_.columns.push_back({std::move(name), std::move(unit), is_number,
                              [&rows = rows_, take](std::size_t row) -> sweep::Value { return take(rows[row]); }});
  }

 private:
  Table& table_;
  const std::vector<Row>& rows_;
};

/// One column for each parameter that is wanted, of the parameters that `of` finds for a row.
template <class Row, class Of>
void add_parameters(Columns<Row>& columns, const std::string& prefix, const std::vector<sweep::Param>& wanted, Of of) {
  for (const sweep::Param& param : wanted) {
    const sweep::ParamInfo& info = sweep::info(param);
    columns.add(prefix + std::string(sweep::name_of(param)), std::string(info.unit), sweep::is_number(info),
                [of, param](const Row& row) { return of(row)[param]; });
  }
}

}  // namespace regatta::results
