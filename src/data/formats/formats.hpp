// From the bytes of a file to arrays, and back as a raw file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/formats/stored.hpp"
#include "regatta/data/array.hpp"
#include "regatta/data/formats.hpp"

namespace regatta::data {

// csv_looks.cpp: The kind of value that a program wrote as a text of a table.

enum class CsvLook : std::uint8_t {
  text,      ///< a word
  number,    ///< with marks, a unit or a currency
  time,      ///< a date or a time of day
  missing,   ///< "?", "n/a": no value
  doubtful,  ///< "None", "unknown": no value, or a kind
};

CsvLook look_of(std::string_view text);

// csv_header.cpp: The names of a CSV file's columns, from its first lines.

struct CsvHeader {
  bool stands_in_first_line;
  std::vector<std::string> names;  ///< one for each column; its number from 0 if it has none
  std::size_t column_bytes;        ///< memory that the columns take, whatever they hold
};

/// Throws InputError if its columns take more memory than they may, if the file has no lines, if it cannot be told
/// whether the first one holds names, or if the file seems to have another delimiter or encoding.
CsvHeader read_csv_header(const FileBytes& file, const CsvOptions& options, char delimiter,
                          std::uint64_t memory_cap_bytes);

/// The place of a column, by its name or by its number from 0. Throws InputError if there is none.
std::size_t find_csv_column(const FileBytes& file, const CsvHeader& header, const std::string& wanted);

// csv_uses.cpp: The use of each column of a CSV file.

enum class CsvUse : std::uint8_t { feature, label, group, nothing };

/// One for each column. Throws InputError for a column that is not there.
std::vector<CsvUse> csv_uses(const FileBytes& file, const CsvHeader& header, const CsvOptions& options);

/// The columns that may number or name the rows: those that are called so, or the first one where there are no names.
/// A column that somebody asked for is none of them.
std::vector<std::size_t> csv_index_candidates(const FileBytes& file, const CsvHeader& header,
                                              const CsvOptions& options);

// hdf5.cpp: Datasets of an HDF5 file.

/// The dataset of this name; without one "x" and, where they are there, "y", "x_test" and "y_test". The library crashes
/// on some damaged files: a process of its own reads it, the program regatta-read-hdf5, under limits. Throws InputError
/// for what is damaged, is no numbers, lies in other files or takes more than the cap; and where that program is not
/// built.
std::vector<Array> read_hdf5(const std::string& path, const std::string& dataset, std::uint64_t memory_cap_bytes);

// npy_header.cpp: The header of a .npy file: a dictionary of Python's in text.

/// Where its numbers lie and what they are; no axes for a single number. Throws InputError.
Layout npy_layout(const FileBytes& file);

// refusals.cpp: How the readers of data files refuse, and the memory that they take.

/// Throws InputError: "'x.npy' is damaged at offset 10: ...; get the file again".
[[noreturn]] void refuse_damaged(const FileBytes& file, std::uint64_t offset, const std::string& what);

/// Throws InputError if reading the file takes more memory than it may.
void check_memory(const FileBytes& file, std::uint64_t needed_bytes, std::uint64_t cap_bytes);

/// Memory for that many bytes, not yet written. Throws what check_memory throws, and InputError if there is none.
std::shared_ptr<std::byte[]> shared_memory(const FileBytes& file, std::uint64_t needed_bytes, std::uint64_t cap_bytes);

// sidecar.cpp: The JSON beside a raw file, which says where its arrays lie.

/// The bytes of the file of this name, which holds no folder.
using OpenRaw = std::function<FileBytes(const std::string& name)>;

/// The arrays that a sidecar describes. Throws InputError naming its line, and what `open` throws.
std::vector<Array> parse_sidecar(const FileBytes& sidecar, const OpenRaw& open);

/// A sidecar for these arrays, which lie in the file `name` of that many bytes, each at its offset, row behind row.
std::string sidecar_text(const std::string& name, std::size_t bytes, const std::vector<Array>& arrays,
                         const std::vector<std::size_t>& offsets);

// unpacked.cpp: Gzip (RFC 1952) around a data file.

/// The contents of a gzip file, in memory; any other file as it is. Throws InputError if it is damaged, cut short,
/// followed by more, or holds more than the cap.
FileBytes unpacked(const FileBytes& file, std::uint64_t memory_cap_bytes);

}  // namespace regatta::data
