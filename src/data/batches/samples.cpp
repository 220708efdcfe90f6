#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/batches/batches.hpp"
#include "regatta/base/data_path.hpp"
#include "regatta/base/error.hpp"
#include "regatta/data/formats.hpp"

namespace regatta::data {
namespace {

[[noreturn]] void refuse_without_labels(const std::string& file, const char* key) {
  throw InputError(
      fmt::format("'{}' has no labels (a training step needs them); name a file \"{}\", or the "
                  "\"label_column\" of a CSV file",
                  file, key));
}

/// More than two arrays are told apart by their names alone.
[[noreturn]] void refuse_unknown(const std::string& file, const std::vector<Array>& arrays) {
  std::vector<std::string> names;
  for (const Array& array : arrays) names.push_back(array.name);
  throw InputError(
      fmt::format("'{}' holds the arrays {}: none is called x, or none y. Save the samples as x and their "
                  "labels as y",
                  file, fmt::join(names, ", ")));
}

/// Takes the array of groups out, which a table has where it was asked for.
std::optional<Array> take_group(std::vector<Array>& arrays, const OpenOptions& options) {
  if (options.csv.group.empty()) return std::nullopt;
  const auto found = std::ranges::find(arrays, "group", &Array::name);
  if (found == arrays.end()) return std::nullopt;
  std::optional<Array> group = std::move(*found);
  arrays.erase(found);
  return group;
}

/// Where samples and labels are read.
struct FileNames {
  std::string data;
  std::string labels;
  const char* labels_key;  ///< the key of the sweep that names the labels
};

std::vector<Array> arrays_of(const FileNames& place, const DataFiles& files, const OpenOptions& options) {
  std::vector<Array> arrays = open_data_file(place.data, options);
  if (!files.label_column.empty() && arrays.front().columns.empty()) {
    throw InputError(fmt::format("'{}' is no table (it has no column '{}'); name a file of its \"labels\"", place.data,
                                 files.label_column));
  }
  return arrays;
}

/// The part of a training that is read from a file.
enum class Wanted : std::uint8_t { training, test };

/// Samples and labels by their names. One array alone, or two, may have any names: the first holds the samples.
NamedParts parts_in(const std::vector<Array>& arrays, Wanted wanted) {
  NamedParts parts = named_parts(arrays);
  if (arrays.size() == 1) return {.x = &arrays.front()};
  const bool takes_test = wanted == Wanted::test || (parts.x == nullptr && parts.y == nullptr);
  if (takes_test && parts.test_x != nullptr) return {.x = parts.test_x, .y = parts.test_y};
  if (arrays.size() > 2) return parts;
  const auto other_than = [&](const Array* known) { return known == &arrays[0] ? &arrays[1] : &arrays[0]; };
  if (parts.x == nullptr) parts.x = other_than(parts.y);
  if (parts.y == nullptr) parts.y = other_than(parts.x);
  return parts;
}

/// The samples of the arrays that a file holds.
Samples samples_at(const FileNames& place, std::vector<Array>& arrays, const OpenOptions& options, Wanted wanted) {
  Samples samples;
  samples.group = take_group(arrays, options);
  if (arrays.empty()) refuse_unknown(place.data, arrays);
  const NamedParts parts = parts_in(arrays, wanted);
  if (parts.x == nullptr) refuse_unknown(place.data, arrays);
  samples.x = *parts.x;
  if (!place.labels.empty()) {
    samples.y = open_labels_file(place.labels, options).front();
  } else {
    if (parts.y == nullptr && arrays.size() > 2) refuse_unknown(place.data, arrays);
    if (parts.y == nullptr) refuse_without_labels(place.data, place.labels_key);
    samples.y = *parts.y;
  }
  if (samples.x.count == samples.y.count && samples.x.count > 0) return samples;
  throw InputError(
      fmt::format("'{}' has {} rows and its labels {} (each sample needs one); use files that belong together",
                  place.data, samples.x.count, samples.y.count));
}

OpenOptions options_of(const DataFiles& files) {
  OpenOptions options;
  options.csv = files.table;
  options.csv.label = files.label_column;
  options.csv.group = files.split.group_column;
  return options;
}

bool has_rule(const SplitRule& split) { return split != SplitRule(); }

/// The test part that a file of its own holds, or the data's own file.
std::optional<Samples> test_of(const DataFiles& files, const std::vector<Array>& arrays, OpenOptions options) {
  options.csv.group.clear();
  if (!files.test.empty()) {
    const FileNames place{files.test, files.test_labels, "test_labels"};
    std::vector<Array> test = arrays_of(place, files, options);
    return samples_at(place, test, options, Wanted::test);
  }
  const NamedParts parts = named_parts(arrays);
  const bool is_whole = parts.x != nullptr && parts.test_x != nullptr && parts.test_y != nullptr;
  if (is_whole && has_rule(files.split))
    throw InputError(
        fmt::format("'{}' brings its own test part ({}); leave out \"split\"", files.data, parts.test_x->name));
  if (is_whole) return Samples{.x = *parts.test_x, .y = *parts.test_y, .group = {}};
  const TestFiles beside = test_files_beside(files.data, files.labels);
  if (beside.data.empty() || has_rule(files.split)) return std::nullopt;
  const FileNames place{beside.data, beside.labels, "test_labels"};
  std::vector<Array> test = arrays_of(place, files, options);
  return samples_at(place, test, options, Wanted::test);
}

/// The validation part that a file of its own holds, written like the training part: with its names of arrays and all
/// its columns, that of the groups too.
std::optional<Samples> validation_of(const DataFiles& files, const OpenOptions& options) {
  if (files.validation.empty()) return std::nullopt;
  const FileNames place{files.validation, files.validation_labels, "validation_labels"};
  std::vector<Array> arrays = arrays_of(place, files, options);
  return samples_at(place, arrays, options, Wanted::training);
}

}  // namespace

Samples read_samples(const DataFiles& files) {
  const OpenOptions options = options_of(files);
  const FileNames place{files.data, files.labels, "labels"};
  std::vector<Array> arrays = arrays_of(place, files, options);
  return samples_at(place, arrays, options, Wanted::training);
}

SampleParts read_sample_parts(const DataFiles& files) {
  const OpenOptions options = options_of(files);
  const FileNames place{files.data, files.labels, "labels"};
  std::vector<Array> arrays = arrays_of(place, files, options);
  SampleParts parts{.all = samples_at(place, arrays, options, Wanted::training),
                    .test = test_of(files, arrays, options),
                    .validation = validation_of(files, options)};
  if (!files.split.group_column.empty() && !parts.all.group)
    throw InputError(fmt::format("'{}' is no table (it has no column '{}' of groups); leave out \"group_column\"",
                                 files.data, files.split.group_column));
  return parts;
}

}  // namespace regatta::data
