#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>

#include "loader_options.hpp"
#include "native.hpp"
#include "options.hpp"
#include "regatta/base/data_path.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/stream.hpp"
#include "regatta/base/units.hpp"
#include "regatta/data/formats.hpp"
#include "regatta/json/text.hpp"

namespace regatta::worker {
namespace {

using data::Array;

data::OpenOptions open_options(const Options& options) {
  data::OpenOptions open;
  open.csv = csv_options(options);
  open.memory_cap_bytes = memory_of(options, "8GiB").value_or(open.memory_cap_bytes);
  return open;
}

bool same_columns(const std::vector<data::Column>& a, const std::vector<data::Column>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const data::Column& one, const data::Column& other) {
    return one.name == other.name && one.categories == other.categories;
  });
}

void add_missing(std::vector<data::Column>& to, const std::vector<data::Column>& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i].missing += from[i].missing;
}

/// The rows of all parts, copied one behind the other.
Array appended(const std::vector<Array>& parts, const data::OpenOptions& options) {
  Array whole = parts.front();
  if (parts.size() == 1) return whole;
  for (auto part = parts.begin() + 1; part != parts.end(); ++part) {
    const bool fits = part->name == whole.name && part->type == whole.type && part->shape == whole.shape &&
                      part->categories == whole.categories && same_columns(part->columns, whole.columns);
    if (!fits) {
      throw InputError(
          "the files hold different arrays. Name, type, shape, columns and categories have to be the same to join "
          "them. Pack each by itself");
    }
    whole.count += part->count;
    add_missing(whole.columns, part->columns);
  }
  const std::size_t row = data::row_bytes(whole);
  const std::size_t bytes = row * static_cast<std::size_t>(whole.count);
  if (bytes > options.memory_cap_bytes) {
    throw InputError("the files together take " + format_size(bytes) + " of memory (at most " +
                     format_size(options.memory_cap_bytes) + " may be used); allow more with --memory");
  }
  const auto memory = std::make_shared<std::vector<std::byte>>(bytes);
  std::byte* to = memory->data();
  for (const Array& part : parts) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(part.count); ++i, to += row)
      std::memcpy(to, part.first + i * part.stride_bytes, row);
  }
  whole.first = memory->data();
  whole.stride_bytes = row;
  whole.owner = memory;
  return whole;
}

std::vector<Array> read_all(const std::vector<std::string_view>& files, const data::OpenOptions& options) {
  std::vector<std::vector<Array>> parts;  // one list for each array
  for (const std::string_view file : files) {
    std::vector<Array> arrays = data::open_data_file(std::string(file), options);
    if (parts.empty()) parts.resize(arrays.size());
    if (arrays.size() != parts.size())
      throw InputError(json::show(file) + " holds another number of arrays than the first file; pack it by itself");
    for (std::size_t i = 0; i < arrays.size(); ++i) parts[i].push_back(std::move(arrays[i]));
  }
  std::vector<Array> wholes;
  for (const std::vector<Array>& each : parts) wholes.push_back(appended(each, options));
  if (wholes.size() == 1 && wholes.front().name.empty()) wholes.front().name = "x";
  return wholes;
}

void add_labels(std::vector<Array>& arrays, std::string_view file, const data::OpenOptions& options) {
  std::vector<Array> labels = data::open_labels_file(std::string(file), options);
  if (labels.size() != 1 || arrays.size() != 1) {
    throw InputError("--labels puts one array of labels beside one of data (here are " + std::to_string(labels.size()) +
                     " and " + std::to_string(arrays.size()) + "); leave it out, or name files that hold one each");
  }
  if (labels.front().count != arrays.front().count) {
    throw InputError(json::show(file) + " has " + std::to_string(labels.front().count) + " labels for " +
                     std::to_string(arrays.front().count) +
                     " rows (each row has one); name files that belong together");
  }
  arrays.front().name = "x";
  labels.front().name = "y";
  arrays.push_back(std::move(labels.front()));
}

/// NAME.raw and NAME.json mean NAME.
std::filesystem::path base_name(std::string_view out) {
  std::filesystem::path path(out);
  if (path.extension() == ".raw" || path.extension() == ".json") path.replace_extension();
  if (!path.has_filename()) throw InputError("--out needs the name of a file");
  return path;
}

/// Neither of the two files that are written is one that is read: a sidecar reads the raw file beside it, too.
void expect_free_of_inputs(const std::filesystem::path& base, const std::vector<std::string_view>& files,
                           const Options& options) {
  std::vector<std::filesystem::path> inputs;
  const auto add = [&](std::string_view file) {
    const std::filesystem::path path = split_data_path(std::string(file)).file;
    inputs.push_back(path);
    if (path.extension() != ".raw" && path.extension() != ".json") return;
    for (const char* extension : {".raw", ".json"})
      inputs.push_back(std::filesystem::path(path).replace_extension(extension));
  };
  for (const std::string_view file : files) add(file);
  if (const auto labels = option(options, "--labels")) add(*labels);
  for (const char* extension : {".raw", ".json"}) expect_place_of_file("--out", base.string() + extension, inputs);
}

}  // namespace

std::string pack(const std::vector<std::string_view>& files, const Options& options) {
  const auto out = option(options, "--out");
  if (files.empty()) throw InputError("a data file is missing; see regatta-worker --help");
  if (!out) throw InputError("--out is missing; see regatta-worker --help");
  const std::filesystem::path base = base_name(*out);
  expect_free_of_inputs(base, files, options);
  const data::OpenOptions open = open_options(options);
  std::vector<Array> arrays = read_all(files, open);
  if (const auto labels = option(options, "--labels")) add_labels(arrays, *labels, open);
  return data::write_raw(base, arrays);
}

}  // namespace regatta::worker
