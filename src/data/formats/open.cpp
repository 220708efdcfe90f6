#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "data/formats/formats.hpp"
#include "regatta/base/data_path.hpp"
#include "regatta/base/error.hpp"
#include "regatta/data/formats.hpp"

namespace regatta::data {

namespace {

constexpr std::size_t cifar_10_record_bytes = 1 + 3072;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
  return text;
}

/// The signature stands at 0, or behind what another program wrote before it (MATLAB: 512 bytes).
bool is_hdf5(std::string_view bytes) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  constexpr std::size_t first_block_bytes = 512;
  for (std::size_t at = 0; at < bytes.size(); at = at == 0 ? first_block_bytes : 2 * at) {
    if (bytes.substr(at).starts_with(signature)) return true;
  }
  return false;
}

bool is_zip(std::string_view bytes) { return bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06"); }

bool is_idx(std::string_view bytes) {
  constexpr std::string_view types = "\x08\x09\x0b\x0c\x0d\x0e";
  return bytes.size() >= 4 && bytes[0] == 0 && bytes[1] == 0 && types.find(bytes[2]) != std::string_view::npos &&
         bytes[3] != 0;
}

bool is_sidecar(std::string_view bytes) {
  constexpr std::size_t head_bytes = 4096;  // the key stands first in what write_raw writes
  return bytes.starts_with('{') && bytes.substr(0, head_bytes).find("\"regatta_raw\"") != std::string_view::npos;
}

std::vector<Array> parse_table(const FileBytes& file, const OpenOptions& options) {
  return parse_csv(file, options.csv, options.memory_cap_bytes);
}

std::vector<Array> parse_table_with_tabs(const FileBytes& file, const OpenOptions& options) {
  CsvOptions csv = options.csv;
  if (!csv.delimiter) csv.delimiter = '\t';
  return parse_csv(file, csv, options.memory_cap_bytes);
}

std::vector<Array> parse_any_cifar(const FileBytes& file, const OpenOptions& /*options*/) {
  const bool is_cifar_10 = file.bytes.size() % cifar_10_record_bytes == 0;
  return parse_cifar(file, is_cifar_10 ? CifarLabels::of_10 : CifarLabels::of_20_and_100);
}

/// A kind of file that is read.
struct Format {
  std::string_view name;
  std::vector<std::string_view> suffixes;
  bool (*begins)(std::string_view bytes);  ///< whether these are the first bytes of one; null: they tell nothing
  std::vector<Array> (*read)(const FileBytes& file, const OpenOptions& options);
};

/// The first one that fits, by its first bytes or by the file's name, reads the file. CIFAR's first bytes may be those
/// of an IDX file, so that its name counts first.
const std::vector<Format>& formats() {
  static const std::vector<Format> table = {
      {"NPY",
       {".npy"},
       [](std::string_view bytes) { return bytes.starts_with("\x93NUMPY"); },
       [](const FileBytes& file, const OpenOptions& options) {
         return std::vector<Array>{parse_npy(file, options.memory_cap_bytes)};
       }},
      {"NPZ",
       {".npz"},
       is_zip,
       [](const FileBytes& file, const OpenOptions& options) { return parse_npz(file, options.memory_cap_bytes); }},
      {"raw arrays by their sidecar",
       {".json"},
       is_sidecar,
       [](const FileBytes& file, const OpenOptions& /*options*/) { return parse_raw(file); }},
      {"CIFAR", {".bin"}, nullptr, parse_any_cifar},
      {"IDX",
       {"-ubyte", ".idx"},
       is_idx,
       [](const FileBytes& file, const OpenOptions& options) {
         return std::vector<Array>{parse_idx(file, options.memory_cap_bytes)};
       }},
      {"tables with tabs", {".tsv"}, nullptr, parse_table_with_tabs},
      {"tables", {".csv", ".data", ".txt"}, nullptr, parse_table},
  };
  return table;
}

[[noreturn]] void refuse(const std::string& path) {
  std::string known;
  for (const Format& format : formats())
    known += fmt::format("{} ({}{}), ", format.name, fmt::join(format.suffixes, ", "),
                         format.begins == nullptr ? "" : ", or its first bytes");
  throw InputError(
      fmt::format("'{}' is no data file that is read: known are {}HDF5 (its first bytes) and pictures in the folders "
                  "of their classes. Each file but HDF5 may be gzipped. Convert it, with NumPy for example",
                  path, known));
}

}  // namespace

std::vector<Array> open_data_file(const std::string& path, const OpenOptions& options) {
  const DataPath parts = split_data_path(path);
  if (!parts.dataset.empty()) {
    if (is_hdf5(map_file(parts.file).bytes)) return read_hdf5(parts.file, parts.dataset, options.memory_cap_bytes);
    throw InputError(fmt::format("'{}' is no HDF5 file, so that it holds no dataset {}; name the file alone",
                                 parts.file, parts.dataset));
  }
  std::string name = lower(path);
  if (std::filesystem::is_directory(path)) return read_image_folder(path, options.memory_cap_bytes);
  if (name.ends_with(".raw")) return open_data_file(path.substr(0, path.size() - 4) + ".json", options);
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  const FileBytes packed = map_file(path);
  if (is_hdf5(packed.bytes)) return read_hdf5(path, {}, options.memory_cap_bytes);
  const FileBytes file = unpacked(packed, options.memory_cap_bytes);
  const auto fits = [&](const Format& format) {
    return (format.begins != nullptr && format.begins(file.bytes)) ||
           std::ranges::any_of(format.suffixes, [&](std::string_view suffix) { return name.ends_with(suffix); });
  };
  const auto format = std::ranges::find_if(formats(), fits);
  if (format == formats().end()) refuse(path);
  return format->read(file, options);
}

std::vector<Array> open_labels_file(const std::string& path, OpenOptions options) {
  options.csv.label.assign(1, '0');
  options.csv.group.clear();
  for (auto* of_samples : {&options.csv.columns, &options.csv.drop, &options.csv.categories}) of_samples->clear();
  return open_data_file(path, options);
}

}  // namespace regatta::data
