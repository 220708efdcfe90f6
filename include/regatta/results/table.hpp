// Results as named columns: what `regatta query` chooses from.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/results/tables.hpp"
#include "regatta/sweep/parameters.hpp"

namespace regatta::results {

/// A column whose cells are made when they are asked for.
struct TableColumn {
  std::string name;  ///< as in the result file, without its f_ and m_: "batch", "step_time"
  std::string unit;  ///< UDUNITS spelling: "s", "byte", "s-1", "1"; empty if it has none
  bool number = false;
  std::function<sweep::Value(std::size_t)> at;  ///< the cell of a row; monostate (JSON null): not read, or not measured
};

/// Rows of one table of a result file. It refers to the results that it was made of: they must outlive it.
struct Table {
  std::string name;
  std::vector<TableColumn> columns;
  std::vector<std::size_t> rows;           ///< positions in the results, in the order that is asked for
  std::shared_ptr<const void> owner = {};  ///< rows that were made for the table
};

/// "trials", "contrasts", "samples", "legs", "curves".
const std::vector<std::string>& table_names();

/// All rows and columns of a table, in the file's order. Throws InputError for another name.
Table make_table(const Results& results, std::string_view name);

/// The column of this name, also as the result file spells it (f_batch, m_step_time). Throws InputError naming the
/// columns that there are.
const TableColumn& column_of(const Table& table, std::string_view name);

}  // namespace regatta::results
