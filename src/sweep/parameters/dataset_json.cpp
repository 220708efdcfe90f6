#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "regatta/json/text.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {
namespace {

/// SetMembers of an object, those that are set.
class SetMembers {
 public:
  void add(const char* key, const std::string& json) { all_.push_back(fmt::format("\"{}\":{}", key, json)); }
  void add_text(const char* key, const std::string& text) {
    if (!text.empty()) add(key, json::quote(text));
  }
  void add_number(const char* key, double number) { add(key, json::json_number(number)); }
  void add_texts(const char* key, const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    std::vector<std::string> quoted;
    for (const std::string& text : texts) quoted.push_back(json::quote(text));
    add(key, fmt::format("[{}]", fmt::join(quoted, ",")));
  }
  [[nodiscard]] std::string object() const { return fmt::format("{{{}}}", fmt::join(all_, ",")); }

 private:
  std::vector<std::string> all_;
};

void add_table(SetMembers& members, const TableKeys& table) {
  members.add_text("delimiter", table.delimiter);
  if (table.has_header) members.add("header", *table.has_header ? "true" : "false");
  members.add_text("decimal", table.decimal);
  members.add_texts("missing", table.missing);
  members.add_texts("columns", table.columns);
  members.add_texts("drop", table.drop);
  members.add_texts("categories", table.categories);
}

std::string split_json(const SplitKeys& split) {
  SetMembers members;
  if (split.test) members.add_number("test", *split.test);
  if (split.stratified) members.add("stratified", *split.stratified ? "true" : "false");
  if (split.order) members.add_text("order", *split.order == RowOrder::time ? "time" : "shuffled");
  members.add_text("group_column", split.group_column);
  return members.object();
}

}  // namespace

std::string to_json(const Dataset& dataset, Paths paths) {
  const bool as_written = paths == Paths::as_written;
  SetMembers members;
  members.add_text("data", as_written ? dataset.data_as_written : dataset.data);
  members.add_text("labels", as_written ? dataset.labels_as_written : dataset.labels);
  members.add_text("label_column", dataset.label_column);
  if (dataset.scale) members.add_number("scale", *dataset.scale);
  if (dataset.shift != 0) members.add_number("shift", dataset.shift);
  add_table(members, dataset.table);
  members.add_text("test", as_written ? dataset.test_as_written : dataset.test);
  members.add_text("test_labels", as_written ? dataset.test_labels_as_written : dataset.test_labels);
  if (dataset.split != SplitKeys()) members.add("split", split_json(dataset.split));
  members.add_text("validation", as_written ? dataset.validation_as_written : dataset.validation);
  members.add_text("validation_labels", as_written ? dataset.validation_labels_as_written : dataset.validation_labels);
  return members.object();
}

}  // namespace regatta::sweep
