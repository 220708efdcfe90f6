// What the first lines of a CSV file tell: the names of its columns.
#pragma once

#include <string>
#include <vector>

#include "regatta/data/formats.hpp"

namespace regatta::data {

struct CsvHeader {
  bool stands_in_first_line;
  std::vector<std::string> names;  ///< one for each column; its number from 0 if it has none
};

/// Throws InputError if the file has no lines, if it cannot be told whether the first one holds names, or if the file
/// seems to have another delimiter or encoding.
CsvHeader read_csv_header(const FileBytes& file, const CsvOptions& options, char delimiter);

/// The place of a column, by its name or by its number from 0. Throws InputError if there is none.
std::size_t find_csv_column(const FileBytes& file, const CsvHeader& header, const std::string& wanted);

}  // namespace regatta::data
