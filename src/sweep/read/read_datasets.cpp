// Data that a sweep brings along.
#include <fmt/format.h>

#include "regatta/json/text.hpp"
#include "regatta/sweep/spec.hpp"
#include "sweep/read/read.hpp"
#include "sweep/read/sections.hpp"

namespace regatta::sweep {
namespace {

constexpr double largest = 1e30;  // samples are fp32

/// Texts of which one may be empty: a column without a name.
std::vector<std::string> texts_of(const json::Cursor& cursor, const std::string& expected) {
  std::vector<std::string> texts;
  for (const json::Cursor& item : cursor.list("a list such as " + expected)) {
    const auto* text = item.node.as<std::string>();
    if (text == nullptr) item.refuse("a text");
    texts.push_back(*text);
  }
  return texts;
}

TableKeys read_table(const json::Fields& fields) {
  TableKeys table;
  if (const auto delimiter = fields.find("delimiter"))
    table.delimiter = delimiter->choice({",", ";", "\t", "|", ":", " "});
  if (const auto header = fields.find("header")) table.has_header = header->boolean();
  if (const auto decimal = fields.find("decimal")) table.decimal = decimal->choice({".", ","});
  if (const auto missing = fields.find("missing")) table.missing = texts_of(*missing, "[\"?\"]");
  const auto columns = fields.find("columns");
  const auto drop = fields.find("drop");
  if (columns && drop) drop->refuse("only one of \"columns\" and \"drop\"");
  if (columns) table.columns = texts_of(*columns, "[\"length\", \"width\"]");
  if (drop) table.drop = texts_of(*drop, "[\"id\"]");
  if (const auto kinds = fields.find("categories")) table.categories = texts_of(*kinds, "[\"color\"]");
  return table;
}

SplitKeys read_split(const json::Cursor& cursor) {
  constexpr double least = 0.001;
  constexpr double most = 0.999;
  const json::Fields fields(cursor, "an object such as {\"test\": 0.2}",
                            {"test", "stratified", "order", "group_column"});
  SplitKeys split;
  if (const auto test = fields.find("test")) split.test = test->number(least, most);
  const auto stratified = fields.find("stratified");
  if (stratified) split.stratified = stratified->boolean();
  const auto order = fields.find("order");
  if (order) split.order = order->choice({"shuffled", "time"}) == "time" ? RowOrder::time : RowOrder::shuffled;
  const auto group = fields.find("group_column");
  if (group) split.group_column = group->text("the name of a column, or its number as a text (\"4\")");
  const bool is_series = split.order == RowOrder::time;
  if (is_series && group) group->refuse("no groups where rows are in the order of time");
  if (split.stratified.value_or(false) && (is_series || group))
    stratified->refuse("false, or no \"order\": \"time\" and no \"group_column\"");
  return split;
}

/// The file that a key names, as written and where it is.
void read_file_at(const json::Fields& fields, const char* key, const Sweep& sweep, std::string& as_written,
                  std::string& file) {
  const auto cursor = fields.find(key);
  if (!cursor) return;
  as_written = cursor->text("the path of a file or folder");
  file = named_data(*cursor, as_written, sweep).string();
}

/// Reads the files that the test part and the validation part come from.
void read_parts(const json::Fields& fields, const Sweep& sweep, Dataset& dataset) {
  read_file_at(fields, "validation", sweep, dataset.validation_as_written, dataset.validation);
  read_file_at(fields, "validation_labels", sweep, dataset.validation_labels_as_written, dataset.validation_labels);
  if (dataset.validation.empty() && !dataset.validation_labels.empty())
    fields.find("validation_labels")->refuse("a file \"validation\" that has these labels");
  read_file_at(fields, "test", sweep, dataset.test_as_written, dataset.test);
  read_file_at(fields, "test_labels", sweep, dataset.test_labels_as_written, dataset.test_labels);
  if (dataset.test.empty() && !dataset.test_labels.empty())
    fields.find("test_labels")->refuse("a file \"test\" that has these labels");
  const auto split = fields.find("split");
  if (!split) return;
  if (!dataset.test.empty()) split->refuse("only one of \"test\" and \"split\"");
  dataset.split = read_split(*split);
}

Dataset read_dataset(const json::Cursor::Member& member, const Sweep& sweep) {
  need_name(member);
  if (is_shipped_dataset(member.key)) {
    json::refuse(member.value.place,
                 {fmt::format("the key {}", json::show(member.key)), "a name that no dataset of Regatta has", ""});
  }
  const json::Fields fields(
      member.value, "an object",
      {"data", "labels", "label_column", "scale", "shift", "delimiter", "header", "decimal", "missing", "columns",
       "drop", "categories", "test", "test_labels", "split", "validation", "validation_labels"});
  Dataset dataset;
  dataset.name = member.key;
  const auto data = fields.need("data", "the path of a file or folder");
  dataset.data_as_written = data.text("the path of a file or folder");
  dataset.data = named_data(data, dataset.data_as_written, sweep).string();
  const auto labels = fields.find("labels");
  read_file_at(fields, "labels", sweep, dataset.labels_as_written, dataset.labels);
  if (const auto column = fields.find("label_column")) {
    if (labels) column->refuse("only one of \"labels\" and \"label_column\"");
    dataset.label_column = column->text("the name of a column, or its number as a text (\"4\")");
  }
  if (const auto scale = fields.find("scale")) dataset.scale = scale->number(-largest, largest);
  if (const auto shift = fields.find("shift")) dataset.shift = shift->number(-largest, largest);
  dataset.table = read_table(fields);
  read_parts(fields, sweep, dataset);
  return dataset;
}

}  // namespace

void read_datasets(const json::Cursor& cursor, Sweep& sweep) {
  for (const auto& member : cursor.members("an object of datasets"))
    sweep.datasets[member.key] = read_dataset(member, sweep);
}

}  // namespace regatta::sweep
