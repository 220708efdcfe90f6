// Tables as CSV and JSON.
#include <fmt/format.h>

#include <cmath>

#include "regatta/report/export.hpp"
#include "regatta/report/text.hpp"
#include "report/export/json_values.hpp"

namespace regatta::report {
namespace {

std::string csv_cell(const sweep::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return csv_field(*text);
  if (const auto* number = std::get_if<double>(&value))
    return std::isnan(*number) ? std::string() : fmt::format("{}", *number);
  return std::holds_alternative<std::monostate>(value) ? std::string() : sweep::to_json(value);
}

/// JSON has no word for what is infinite or no number.
Json json_cell(const sweep::Value& value) {
  const auto* number = std::get_if<double>(&value);
  return number != nullptr && !std::isfinite(*number) ? Json(nullptr) : results::json_of<Json>(value);
}

Json json_row(const results::Table& table, std::size_t row) {
  Members members;
  members.reserve(table.columns.size());
  for (const results::TableColumn& column : table.columns) members.emplace_back(column.name, json_cell(column.at(row)));
  return members;
}

}  // namespace

void write_csv(const results::Table& table, const Sink& sink) {
  std::string line;
  for (const results::TableColumn& column : table.columns) line += (line.empty() ? "" : ",") + csv_field(column.name);
  sink(line + "\n");
  for (const std::size_t row : table.rows) {
    line.clear();
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      line += (i == 0 ? "" : ",") + csv_cell(table.columns[i].at(row));
    sink(line + "\n");
  }
}

void write_jsonl(const results::Table& table, const Sink& sink) {
  for (const std::size_t row : table.rows) sink(dumped(json_row(table, row)) + "\n");
}

std::string json_table(const results::Table& table) {
  Json columns = Json::array();
  for (const results::TableColumn& column : table.columns)
    columns.push_back({{"name", column.name}, {"unit", column.unit}});
  Json rows = Json::array();
  for (const std::size_t row : table.rows) rows.push_back(json_row(table, row));
  return dumped(Json{{"name", table.name}, {"columns", std::move(columns)}, {"rows", std::move(rows)}}, 1) + "\n";
}

}  // namespace regatta::report
