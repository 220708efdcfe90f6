#include "kernel_choices.hpp"

#include <filesystem>
#include <fstream>

#include "regatta/base/digest.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/own_paths.hpp"
#include "regatta/base/version.hpp"

namespace regatta::worker {
namespace {

using std::filesystem::path;

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line;
  }
  return "";
}

/// Another build may have other kernels.
std::string build_name() {
  std::error_code failure;
  const path program = std::filesystem::read_symlink("/proc/self/exe", failure);
  const auto bytes = std::filesystem::file_size(program, failure);
  const auto written = std::filesystem::last_write_time(program, failure).time_since_epoch().count();
  return regatta_version() + ' ' + std::to_string(bytes) + ' ' + std::to_string(written);
}

}  // namespace

std::string kernel_choices_file() {
  // Every trial asks for it, and neither processor nor build change under a process.
  static const std::string file = kernel_choices_file(processor_name());
  return file;
}

std::string kernel_choices_file(const std::string& key) {
  const path folder = user_cache_folder();
  if (folder.empty()) return "";
  try {
    create_private_folder(folder);
  } catch (const StorageError&) {  // chosen anew in each process
    return "";
  }
  return folder / ("kernels-" + to_string(hash128(key + '\n' + build_name())) + ".txt");
}

}  // namespace regatta::worker
