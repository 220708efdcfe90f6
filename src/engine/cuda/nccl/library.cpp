#include "engine/cuda/nccl/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "regatta/base/error.hpp"

namespace regatta::engine::cuda {

namespace {

constexpr const char* kConsequence = "(ranks above 1 on GPUs sum their gradients with it)";
constexpr int kOldest = 21900;  // 2.19.0
constexpr int kMajor = 10000;
constexpr int kMinor = 100;
constexpr std::string_view kDigits = "0123456789abcdef";

template <class Function>
bool look_up(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

/// Name of the first function that the library lacks; null: none.
const char* fill(void* library, NcclLibrary& table) {
  const char* lacking = nullptr;
  const auto want = [&](const char* name, auto& function) {
    if (!look_up(library, name, function) && lacking == nullptr) lacking = name;
  };
  want("ncclGetVersion", table.get_version);
  want("ncclGetErrorString", table.error_string);
  want("ncclGetLastError", table.last_error);
  want("ncclGetUniqueId", table.get_unique_id);
  want("ncclCommInitRankConfig", table.init_rank);
  want("ncclCommGetAsyncError", table.async_error);
  want("ncclAllReduce", table.all_reduce);
  want("ncclCommFinalize", table.finalize);
  want("ncclCommDestroy", table.destroy);
  return lacking;
}

}  // namespace

OpenedNccl open_nccl_at(const char* path) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return {{},
            fmt::format("NCCL is missing: {} {}; install it, or add its folder to LD_LIBRARY_PATH", dlerror(),
                        kConsequence)};
  }
  NcclLibrary table;
  if (const char* const lacking = fill(library, table))
    return {{}, fmt::format("{} has no {} {}; install NCCL 2.19 or later", path, lacking, kConsequence)};
  int version = 0;
  if (table.get_version(&version) != NcclResult::success || version < kOldest) {
    return {{},
            fmt::format("{} is version {} of NCCL {}; install 2.19 or later", path, nccl_version_text(version),
                        kConsequence)};
  }
  return {table, ""};
}

std::string nccl_version_text(int version) {
  return fmt::format("{}.{}.{}", version / kMajor, version % kMajor / kMinor, version % kMinor);
}

std::string text_of(const NcclUniqueId& id) {
  std::string text;
  for (const char byte : id.bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += kDigits[value / 16];
    text += kDigits[value % 16];
  }
  return text;
}

NcclUniqueId unique_id_of(const std::string& text) {
  NcclUniqueId id{};
  const bool is_hexadecimal = text.find_first_not_of(kDigits) == std::string::npos;
  if (text.size() != 2 * sizeof id.bytes || !is_hexadecimal) {
    throw DeviceError("'" + text.substr(0, 32) +
                      "' is no id of a group of ranks. The worker of rank 0 makes one, of 256 hexadecimal digits. Use "
                      "launcher and worker of one build");
  }
  const auto digit = [&](std::size_t at) { return kDigits.find(text[at]); };
  for (std::size_t i = 0; i < sizeof id.bytes; ++i)
    id.bytes[i] = static_cast<char>(digit(2 * i) * 16 + digit(2 * i + 1));
  return id;
}

}  // namespace regatta::engine::cuda
