#include <filesystem>
#include <fstream>

#include "native.hpp"
#include "regatta/base/digest.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/own_paths.hpp"

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
  // Another build may have other kernels.
  return folder / ("kernels-" + to_string(hash128(key + '\n' + running_build())) + ".txt");
}

}  // namespace regatta::worker
