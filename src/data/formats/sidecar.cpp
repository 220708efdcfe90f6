#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "data/formats/formats.hpp"
#include "data/formats/stored.hpp"
#include "regatta/json/cursor.hpp"
#include "regatta/json/document.hpp"
#include "regatta/json/text.hpp"

namespace regatta::data {

namespace {

constexpr std::int64_t raw_version = 1;

struct RawFile {
  const FileBytes& file;
  std::int64_t bytes;

  [[nodiscard]] std::string told() const { return fmt::format("{} has {} bytes", json::show(file.name), bytes); }
};

/// A file name that leads to no other folder.
const std::string& read_file_name(const json::Cursor& cursor) {
  const std::string expected = "the name of a file in the same folder";
  const std::string& name = cursor.text(expected);
  if (name == "." || name == ".." || name.find('/') != std::string::npos) cursor.refuse(expected);
  return name;
}

std::vector<std::string> read_categories(const std::optional<json::Cursor>& cursor) {
  if (!cursor) return {};
  return cursor->texts("a list of texts");
}

ElementType read_type(const json::Cursor& cursor) {
  constexpr std::array types = {ElementType::uint8, ElementType::int32, ElementType::int64, ElementType::float32,
                                ElementType::float64};
  std::vector<std::string> names;
  for (const ElementType type : types) names.emplace_back(name_of(type));
  const std::string& name = cursor.choice(names);
  return types[static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin())];
}

/// The shape of a row that takes at most so many bytes.
std::vector<std::int64_t> read_shape(const json::Cursor& cursor, ElementType type, std::int64_t most_bytes) {
  const auto* sizes = cursor.node.as<json::Node::Array>();
  if (sizes != nullptr && sizes->empty()) return {};  // a row is one number
  const std::string expected = "a list of sizes, each at least 1";
  const std::vector<json::Cursor> axes = cursor.list(expected);
  if (axes.size() > max_axes) cursor.refuse(fmt::format("a list of at most {} sizes", max_axes));
  std::vector<std::int64_t> shape;
  std::int64_t left = most_bytes / static_cast<std::int64_t>(size_of(type));
  for (const json::Cursor& axis : axes) {
    shape.push_back(axis.integer(1, std::max<std::int64_t>(left, 0),
                                 fmt::format("a size of at least 1 (and rows of at most {} bytes)", most_bytes)));
    left /= shape.back();
  }
  return shape;
}

std::vector<Column> read_columns(const std::optional<json::Cursor>& cursor, const Array& array) {
  if (!cursor) return {};
  std::vector<Column> columns;
  const std::string expected = "a list of columns, one for each element of a row";
  for (const json::Cursor& each : cursor->list(expected)) {
    const json::Fields fields(each, "an object", {"name", "categories", "missing"});
    const json::Cursor name = fields.need("name", "a text");
    if (name.node.as<std::string>() == nullptr) name.refuse("a text");
    const auto missing = fields.find("missing");
    columns.push_back({.name = *name.node.as<std::string>(),
                       .categories = read_categories(fields.find("categories")),
                       .missing = missing ? missing->integer(0, array.count) : 0});
  }
  if (columns.size() * size_of(array.type) != row_bytes(array)) cursor->refuse(expected);
  return columns;
}

/// Where rows begin and how far they lie apart, so that the last one ends inside the file.
void read_place(const json::Fields& fields, const RawFile& raw, Array& array) {
  const auto row = static_cast<std::int64_t>(row_bytes(array));
  const std::int64_t last_offset = array.count > 0 ? raw.bytes - row : raw.bytes;
  const json::Cursor offset_cursor = fields.need("offset", "the offset of the first row");
  const std::int64_t offset = offset_cursor.integer(
      0, last_offset,
      fmt::format("an offset from 0 to {} ({}, a row {})", std::max<std::int64_t>(last_offset, 0), raw.told(), row));
  const auto stride_cursor = fields.find("stride");
  const std::int64_t stride =
      stride_cursor ? stride_cursor->integer(row, std::numeric_limits<std::int64_t>::max(),
                                             fmt::format("a distance of at least the {} bytes of a row", row))
                    : row;
  const std::int64_t most_rows = array.count > 0 ? (last_offset - offset) / stride + 1 : 0;
  if (array.count > most_rows) {
    fields.need("count", "")
        .refuse(fmt::format("at most {} rows ({}, rows begin at {} and lie {} apart)", most_rows, raw.told(), offset,
                            stride));
  }
  array.first = reinterpret_cast<const std::byte*>(raw.file.bytes.data()) + offset;
  array.stride_bytes = static_cast<std::size_t>(stride);
  array.owner = raw.file.owner;
}

Array read_array(const json::Cursor& cursor, const RawFile& raw) {
  const json::Fields fields(cursor, "an object",
                            {"name", "type", "shape", "count", "offset", "stride", "categories", "columns"});
  Array array;
  array.name = fields.need("name", "a text").text("a text");
  array.type = read_type(fields.need("type", "the type of an element"));
  array.count = fields.need("count", "the number of rows").integer(0, std::numeric_limits<std::int64_t>::max());
  array.shape =
      read_shape(fields.need("shape", "the sizes of a row"), array.type, array.count > 0 ? raw.bytes : max_row_bytes);
  read_place(fields, raw, array);
  array.categories = read_categories(fields.find("categories"));
  array.columns = read_columns(fields.find("columns"), array);
  return array;
}

void append_categories(std::string& text, const std::vector<std::string>& categories) {
  if (categories.empty()) return;
  text += ", \"categories\": [";
  for (std::size_t i = 0; i < categories.size(); ++i) {
    if (i > 0) text += ", ";
    json::append_quoted(text, categories[i]);
  }
  text += "]";
}

void append_columns(std::string& text, const std::vector<Column>& columns) {
  if (columns.empty()) return;
  text += ", \"columns\": [";
  for (std::size_t i = 0; i < columns.size(); ++i) {
    text += i > 0 ? ", {\"name\": " : "{\"name\": ";
    json::append_quoted(text, columns[i].name);
    if (columns[i].missing > 0) text += fmt::format(", \"missing\": {}", columns[i].missing);
    append_categories(text, columns[i].categories);
    text += "}";
  }
  text += "]";
}

}  // namespace

std::vector<Array> parse_sidecar(const FileBytes& sidecar, const OpenRaw& open) {
  const json::Node root = json::parse(sidecar.bytes, sidecar.name);
  const json::Fields fields({root, {sidecar.name, root.line, ""}}, "an object",
                            {"regatta_raw", "file", "bytes", "arrays"});
  static_cast<void>(
      fields.need("regatta_raw", "the version of the format").integer(raw_version, raw_version, "1, the only version"));
  const FileBytes file = open(read_file_name(fields.need("file", "the name of the raw file")));
  const RawFile raw{.file = file, .bytes = static_cast<std::int64_t>(file.bytes.size())};
  if (const auto bytes = fields.find("bytes"))
    static_cast<void>(bytes->integer(raw.bytes, raw.bytes,
                                     fmt::format("{} ({}; if it is cut short, get it again)", raw.bytes, raw.told())));
  std::vector<Array> arrays;
  for (const json::Cursor& each : fields.need("arrays", "a list of arrays").list("a list of arrays")) {
    arrays.push_back(read_array(each, raw));
    const auto same_name = [&](const Array& array) { return array.name == arrays.back().name; };
    if (std::any_of(arrays.begin(), arrays.end() - 1, same_name))
      each.member("name")->refuse("names that differ from one another");
  }
  return arrays;
}

std::string sidecar_text(const std::string& name, std::size_t bytes, const std::vector<Array>& arrays,
                         const std::vector<std::size_t>& offsets) {
  std::string text = fmt::format("{{\"regatta_raw\": {}, \"file\": {}, \"bytes\": {}, \"arrays\": [", raw_version,
                                 json::quote(name), bytes);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Array& array = arrays[i];
    if (i > 0) text += ", ";
    text +=
        fmt::format(R"({{"name": {}, "type": "{}", "shape": [{}], "count": {}, "offset": {})", json::quote(array.name),
                    name_of(array.type), fmt::join(array.shape, ", "), array.count, offsets[i]);
    append_categories(text, array.categories);
    append_columns(text, array.columns);
    text += "}";
  }
  return text + "]}\n";
}

}  // namespace regatta::data
