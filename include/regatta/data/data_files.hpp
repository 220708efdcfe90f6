// Files of the user's own, as a sweep names them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "regatta/data/formats.hpp"

namespace regatta::data {

/// The order in which rows stand.
enum class RowOrder : std::uint8_t {
  shuffled,  ///< none that matters: the test part is drawn
  time,      ///< rows are a series: its end is the test part
};

/// The rule by which rows of the data become the test part.
struct SplitRule {
  std::optional<double> test = {};      ///< their share; not set: a fifth
  std::optional<bool> stratified = {};  ///< the same share of each class; not set: where labels are classes
  RowOrder order = RowOrder::shuffled;
  std::string group_column = {};  ///< in a CSV file: rows with the same value stay together; empty: none
  bool operator==(const SplitRule&) const = default;
};

struct DataFiles {
  std::string data;
  std::string labels;           ///< empty: `data` holds them too
  std::string label_column;     ///< in a CSV file
  std::optional<double> scale;  ///< samples are value * scale + shift; not set: bytes are divided by 255
  double shift = 0;
  CsvOptions table = {};  ///< its label and group are not read: label_column and the split's are
  std::string test = {};  ///< a file of the test part; empty: what the data bring along, or rows of theirs
  std::string test_labels = {};
  SplitRule split = {};
  std::string validation = {};  ///< a file of the validation part; empty: each run draws rows of the training part
  std::string validation_labels = {};
};

/// An entry of a sweep's `datasets` as JSON, with paths that lead to its files. Throws InputError for anything else;
/// `where` is what errors call the text.
DataFiles parse_data_files(std::string_view json, const std::string& where);

}  // namespace regatta::data
