#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "data/formats/hdf5.hpp"
#include "data/formats/unpacked.hpp"
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

bool is_hdf5(std::string_view bytes) { return bytes.starts_with("\x89HDF\r\n\x1a\n"); }

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

std::vector<Array> parse_csv_file(const FileBytes& file, bool has_tabs, const OpenOptions& options) {
  CsvOptions csv = options.csv;
  if (has_tabs && !csv.delimiter) csv.delimiter = '\t';
  return parse_csv(file, csv, options.memory_cap_bytes);
}

}  // namespace

std::vector<Array> open_data_file(const std::string& path, const OpenOptions& options) {
  const DataPath parts = split_data_path(path);
  if (!parts.dataset.empty()) return read_hdf5(parts.file, parts.dataset, options.memory_cap_bytes);
  std::string name = lower(path);
  if (std::filesystem::is_directory(path)) return read_image_folder(path, options.memory_cap_bytes);
  if (name.ends_with(".raw")) return open_data_file(path.substr(0, path.size() - 4) + ".json", options);
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  const FileBytes packed = map_file(path);
  if (is_hdf5(packed.bytes)) return read_hdf5(path, {}, options.memory_cap_bytes);
  const FileBytes file = unpacked(packed, options.memory_cap_bytes);
  const auto is_named = [&](std::string_view suffix) { return name.ends_with(suffix); };
  if (file.bytes.starts_with("\x93NUMPY") || is_named(".npy")) return {parse_npy(file, options.memory_cap_bytes)};
  if (is_zip(file.bytes) || is_named(".npz")) return parse_npz(file, options.memory_cap_bytes);
  if (is_sidecar(file.bytes) || is_named(".json")) return parse_raw(file);
  if (is_named(".bin")) {
    const bool is_cifar_10 = file.bytes.size() % cifar_10_record_bytes == 0;
    return parse_cifar(file, is_cifar_10 ? CifarLabels::of_10 : CifarLabels::of_20_and_100);
  }
  if (is_idx(file.bytes) || is_named("-ubyte") || is_named(".idx")) return {parse_idx(file, options.memory_cap_bytes)};
  if (is_named(".tsv")) return parse_csv_file(file, true, options);
  if (is_named(".csv") || is_named(".data") || is_named(".txt")) return parse_csv_file(file, false, options);
  throw InputError(fmt::format(
      "'{}' is no data file that is read: NPY, NPZ, IDX and HDF5 are known by their first bytes, CIFAR by "
      ".bin, "
      "tables by .csv, "
      ".tsv, .txt or .data, raw arrays by their sidecar .json (each may be gzipped), pictures by the folders "
      "of their classes; convert it, with NumPy for example",
      path));
}

std::vector<Array> open_labels_file(const std::string& path, OpenOptions options) {
  options.csv.label.assign(1, '0');
  return open_data_file(path, options);
}

}  // namespace regatta::data
