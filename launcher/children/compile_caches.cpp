#include "children/compile_caches.hpp"

#include <algorithm>
#include <fstream>
#include <system_error>

#include "regatta/base/files.hpp"
#include "regatta/sweep/engines.hpp"

namespace regatta::launcher {
namespace fs = std::filesystem;

CompileCaches::CompileCaches(const fs::path& run_folder) : folder_(fs::absolute(run_folder) / "cache") {}

// JAX keeps only what took a second to compile, unless it is told otherwise. Versions of TensorFlow that do not know
// the option for its cache end with an error: the worker, which knows the version, makes it an option.
std::map<std::string, std::string> CompileCaches::variables() const {
  return {{"TORCHINDUCTOR_CACHE_DIR", (folder_ / "inductor").string()},
          {"TRITON_CACHE_DIR", (folder_ / "triton").string()},
          {"JAX_COMPILATION_CACHE_DIR", (folder_ / "jax").string()},
          {"JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0"},
          {"JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "0"},
          {"REGATTA_XLA_CACHE", (folder_ / "tensorflow").string()},
          {"CUDA_CACHE_PATH", (folder_ / "cuda").string()}};
}

bool CompileCaches::are_warm(const Hash128& trial) const {
  std::error_code unseen;
  return fs::exists(folder_ / "filled" / to_string(trial), unseen);
}

void CompileCaches::note_filled(const Hash128& trial) const {
  create_private_folder(folder_);
  create_private_folder(folder_ / "filled");
  std::ofstream(folder_ / "filled" / to_string(trial)).flush();
}

void CompileCaches::remove() const {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

bool keeps_compiled(std::string_view engine) {
  const sweep::EngineInfo* const info = sweep::find_engine(engine);
  if (info == nullptr || info->worker != sweep::WorkerKind::python) return false;
  return std::ranges::any_of(info->modes, [](std::string_view mode) { return mode == "graph" || mode == "xla"; });
}

}  // namespace regatta::launcher
