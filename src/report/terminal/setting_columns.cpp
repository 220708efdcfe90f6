#include "report/terminal/setting_columns.hpp"

#include <algorithm>
#include <iterator>

namespace regatta::report {
namespace {

bool is_number(sweep::Param param) { return sweep::is_number(sweep::info(param)); }

}  // namespace

std::vector<Column> setting_columns(const View& view, const std::vector<TrialIndex>& trials) {
  std::vector<Column> columns;
  for (const sweep::Param param : view.axes.stratum) {
    if (!is_number(param)) continue;
    Column column{std::string(sweep::name_of(param)), true, 0, {}, {}};
    bool is_read = false;
    for (const TrialIndex trial : trials) {
      const sweep::Value& value = view.results.trials[trial.value].parameters[param];
      is_read = is_read || !std::holds_alternative<std::monostate>(value);
      column.cells.push_back(sweep::to_text(value));
    }
    if (is_read) columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace regatta::report
