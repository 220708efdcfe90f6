// Data files as arrays. No file is trusted: what is damaged, lies or needs too much memory is refused with an
// InputError that names the file and where, and nothing that stands in a file is ever run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "regatta/data/array.hpp"

namespace regatta::data {

/// Bytes that reading one file may hold in memory, besides the file itself.
inline constexpr std::uint64_t default_memory_cap_bytes = std::uint64_t{4} << 30;

/// NumPy's .npy, versions 1 to 3. The first axis counts the rows. Little-endian u1, i4, i8, f4, f8 and bool in C's
/// order are the file's own bytes; other integers, f2, big-endian numbers and Fortran's order are converted into
/// memory. Objects are refused, never unpickled; so are texts, complex numbers and structured records.
Array parse_npy(const FileBytes& file, std::uint64_t memory_cap_bytes = default_memory_cap_bytes);

/// NumPy's .npz: a ZIP archive of NAME.npy. All members together stay below the cap.
std::vector<Array> parse_npz(const FileBytes& file, std::uint64_t memory_cap_bytes = default_memory_cap_bytes);

/// The IDX format of the MNIST family (http://yann.lecun.com/exdb/mnist, section FILE FORMATS), gzipped or not.
/// Unsigned bytes are the file's own; other numbers, which are big-endian, are converted into memory.
Array parse_idx(const FileBytes& file, std::uint64_t memory_cap_bytes = default_memory_cap_bytes);

/// The labels at the start of a record in CIFAR's binary version: a class of 10, or one of 20 ("coarse") and one of
/// 100.
enum class CifarLabels : std::uint8_t { of_10, of_20_and_100 };

/// "x" (3, 32, 32) and "y", and of CIFAR-100 "coarse" too; all of them the file's own bytes.
std::vector<Array> parse_cifar(const FileBytes& file, CifarLabels labels);

struct CsvOptions {
  std::optional<char> delimiter = {};     ///< nothing: a comma
  std::optional<bool> has_header = {};    ///< nothing: told from the first two lines, or because it holds a name below
  std::string label = {};                 ///< the column that becomes "y": its name, or its number from 0; empty: none
  std::string group = {};                 ///< the one that becomes "group", numbers of its different cells; empty: none
  std::optional<char> decimal = {};       ///< a point or a comma; nothing: a point, and what may be none is refused
  std::vector<std::string> missing = {};  ///< texts that stand for no value, besides NA and NaN
  std::vector<std::string> columns = {};  ///< these alone become "x"; none: all
  std::vector<std::string> drop = {};     ///< these do not
  std::vector<std::string> categories = {};  ///< their cells are kinds, whatever they look like
};

/// "x" float32 (columns), and "y" if a label is asked for: int32 where it holds whole numbers or texts, else float32. A
/// file of labels alone has no "x".
/// A column of texts becomes 0, 1, ... in order of first appearance. An empty cell, NA or NaN is NaN, and counted.
/// Throws InputError where it cannot be told what the file means, naming the option that says it: a first line that may
/// hold names or values, texts that look like numbers, dates or missing values, a column that counts the rows.
std::vector<Array> parse_csv(const FileBytes& file, const CsvOptions& options,
                             std::uint64_t memory_cap_bytes = default_memory_cap_bytes);

/// The arrays that a JSON sidecar describes, in the file that it names, which lies beside it.
std::vector<Array> parse_raw(const FileBytes& sidecar);

/// Writes PATH.raw, each array at a multiple of 4096 bytes, and its sidecar PATH.json, each whole or not at all.
/// Returns the text of the sidecar. Array names are distinct and not empty. Throws StorageError, and InputError if the
/// names of arrays, columns and categories are too long to be read again.
std::string write_raw(const std::filesystem::path& path, const std::vector<Array>& arrays);

/// "x" (height, width, channels) and "y" of the pictures in a folder for each class, JPEG or PNG and equally large, as
/// bytes in memory. Classes count from 0 in the order of their names. Rows stand in an order that is drawn once, from
/// their number, so that the last of them are of all classes.
std::vector<Array> read_image_folder(const std::string& path,
                                     std::uint64_t memory_cap_bytes = default_memory_cap_bytes);

struct OpenOptions {
  std::uint64_t memory_cap_bytes = default_memory_cap_bytes;
  CsvOptions csv = {};
};

/// Any of these files, each gzipped or not, or the folder of pictures: told by its first bytes or, where these do not
/// tell, by its name. Arrays of a file without names have none.
std::vector<Array> open_data_file(const std::string& path, const OpenOptions& options);

/// Arrays that are told apart by the names that programs give them: x, x_train, train_images, data and so on.
struct NamedParts {
  const Array* x = nullptr;
  const Array* y = nullptr;
  const Array* test_x = nullptr;
  const Array* test_y = nullptr;
};

/// Each part is the first array that has one of its names; null: none has.
NamedParts named_parts(const std::vector<Array>& arrays);

/// A file of labels: the same, but that a table's one column is "y".
std::vector<Array> open_labels_file(const std::string& path, OpenOptions options);

}  // namespace regatta::data
