#include "regatta/base/data_path.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace regatta {
namespace {

constexpr std::string_view separator = ":/";

bool is_there(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

DataPath split_at(const std::string& path, std::size_t colon) {
  return {path.substr(0, colon), path.substr(colon + 1)};
}

/// Endings of names that HDF5 files usually have.
bool names_hdf5(std::string_view file) {
  constexpr std::array<std::string_view, 5> endings = {".h5", ".hdf5", ".he5", ".nc", ".mat"};
  std::string lower(file);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view each) { return lower.ends_with(each); });
}

/// The path with the last `from` of its file's name, which ends in `behind`, replaced; empty if it has none.
std::string renamed(const std::string& path, std::string_view from, std::string_view behind, std::string_view to) {
  const std::size_t at = path.rfind(std::string(from) + std::string(behind));
  if (at == std::string::npos || path.find('/', at) != std::string::npos) return {};
  std::string other = path;
  return other.replace(at, from.size(), to);
}

}  // namespace

TestFiles test_files_beside(const std::string& data, const std::string& labels) {
  for (const std::string_view word : {"t10k", "test"}) {
    const TestFiles files{renamed(data, "train", "-images-idx3", word), renamed(labels, "train", "-labels-idx1", word)};
    if (!files.data.empty() && !files.labels.empty() && is_there(files.data) && is_there(files.labels)) return files;
  }
  return {};
}

DataPath split_data_path(const std::string& path) {
  if (path.find(separator) == std::string::npos || is_there(path)) return {path, {}};
  std::size_t by_name = std::string::npos;
  for (std::size_t at = path.find(separator); at != std::string::npos; at = path.find(separator, at + 1)) {
    const std::string file = path.substr(0, at);
    if (std::error_code error; std::filesystem::is_regular_file(file, error)) return split_at(path, at);
    if (by_name == std::string::npos && names_hdf5(file)) by_name = at;
  }
  return by_name == std::string::npos ? DataPath{path, {}} : split_at(path, by_name);
}

}  // namespace regatta
