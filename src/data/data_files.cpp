#include "regatta/data/data_files.hpp"

#include "regatta/json/cursor.hpp"
#include "regatta/json/document.hpp"

namespace regatta::data {
namespace {

constexpr double largest = 1e30;  // samples are fp32

std::string text_or_none(const json::Fields& fields, const std::string& key) {
  const auto found = fields.find(key);
  return found ? found->text("a text") : std::string();
}

/// Texts that may be empty: a column without a name has such a one.
std::vector<std::string> texts_or_none(const json::Fields& fields, const std::string& key) {
  std::vector<std::string> texts;
  const auto found = fields.find(key);
  if (!found) return texts;
  for (const json::Cursor& item : found->list("a list of texts")) {
    const auto* text = item.node.as<std::string>();
    if (text == nullptr) item.refuse("a text");
    texts.push_back(*text);
  }
  return texts;
}

std::optional<char> character_or_none(const json::Fields& fields, const std::string& key) {
  const std::string text = text_or_none(fields, key);
  return text.empty() ? std::nullopt : std::optional(text.front());
}

CsvOptions table_of(const json::Fields& fields) {
  CsvOptions table;
  table.delimiter = character_or_none(fields, "delimiter");
  if (const auto header = fields.find("header")) table.has_header = header->boolean();
  table.decimal = character_or_none(fields, "decimal");
  table.missing = texts_or_none(fields, "missing");
  table.columns = texts_or_none(fields, "columns");
  table.drop = texts_or_none(fields, "drop");
  table.categories = texts_or_none(fields, "categories");
  return table;
}

SplitRule split_of(const json::Cursor& cursor) {
  const json::Fields fields(cursor, "an object", {"test", "stratified", "order", "group_column"});
  SplitRule split;
  if (const auto test = fields.find("test")) split.test = test->number(0, 1);
  if (const auto stratified = fields.find("stratified")) split.stratified = stratified->boolean();
  if (const auto order = fields.find("order"))
    split.order = order->choice({"shuffled", "time"}) == "time" ? RowOrder::time : RowOrder::shuffled;
  split.group_column = text_or_none(fields, "group_column");
  return split;
}

}  // namespace

DataFiles parse_data_files(std::string_view json, const std::string& where) {
  const json::Node root = json::parse(json, where);
  const json::Fields fields(
      json::Cursor{root, {where, root.line, ""}}, "an object",
      {"data", "labels", "label_column", "scale", "shift", "delimiter", "header", "decimal", "missing", "columns",
       "drop", "categories", "test", "test_labels", "split", "validation", "validation_labels"});
  DataFiles files;
  files.data = fields.need("data", "the path of a file or folder").text("the path of a file or folder");
  files.labels = text_or_none(fields, "labels");
  files.label_column = text_or_none(fields, "label_column");
  if (const auto scale = fields.find("scale")) files.scale = scale->number(-largest, largest);
  if (const auto shift = fields.find("shift")) files.shift = shift->number(-largest, largest);
  files.table = table_of(fields);
  files.test = text_or_none(fields, "test");
  files.test_labels = text_or_none(fields, "test_labels");
  if (const auto split = fields.find("split")) files.split = split_of(*split);
  files.validation = text_or_none(fields, "validation");
  files.validation_labels = text_or_none(fields, "validation_labels");
  return files;
}

}  // namespace regatta::data
