// The functions of NCCL that are used, as a table: the library is opened when ranks want it, so that a plugin loads
// where it is missing. Types are those of NCCL's documented C interface, as far as they are needed here: no header of
// NCCL is needed to build. Tests put a table of their own behind open_nccl().
#pragma once

#include <cuda_runtime_api.h>

#include <climits>
#include <cstddef>
#include <optional>
#include <string>

namespace regatta::engine::cuda {

/// The results of calls. Other values are errors, too.
enum class NcclResult : int { success = 0, system_error = 2, invalid_usage = 5, remote_error = 6, in_progress = 7 };
enum class NcclType : int { float32 = 7 };
enum class NcclOperator : int { sum = 0 };

using NcclComm = struct NcclCommunicator*;

struct NcclUniqueId {
  char bytes[128];
};

/// The beginning of NCCL's own, which every version since 2.17 reads as far as `bytes` says. Fields that are not set
/// are NCCL's choice.
struct NcclConfig {
  std::size_t bytes = sizeof(NcclConfig);
  unsigned magic = 0xcafebeef;
  unsigned version = 21700;
  int blocking = 0;
  int cluster_size = INT_MIN;
  int least_blocks = INT_MIN;
  int most_blocks = INT_MIN;
  const char* network = nullptr;
};

struct NcclLibrary {
  NcclResult (*get_version)(int* version) = nullptr;
  const char* (*error_string)(NcclResult result) = nullptr;
  const char* (*last_error)(NcclComm communicator) = nullptr;
  NcclResult (*get_unique_id)(NcclUniqueId* id) = nullptr;
  NcclResult (*init_rank)(NcclComm* communicator, int ranks, NcclUniqueId id, int rank, NcclConfig* config) = nullptr;
  NcclResult (*async_error)(NcclComm communicator, NcclResult* result) = nullptr;
  NcclResult (*all_reduce)(const void* from, void* to, std::size_t count, NcclType type, NcclOperator how,
                           NcclComm communicator, cudaStream_t stream) = nullptr;
  NcclResult (*finalize)(NcclComm communicator) = nullptr;
  NcclResult (*destroy)(NcclComm communicator) = nullptr;
};

struct OpenedNccl {
  std::optional<NcclLibrary> library;
  std::string missing;  ///< why there is none, and what to do
};

/// Never closed again: NCCL keeps threads and memory of its own. A library before 2.19 counts as missing.
OpenedNccl open_nccl();

/// The same from the library at `path`.
OpenedNccl open_nccl_at(const char* path);

/// "2.28.9", from what the library's get_version tells.
std::string nccl_version_text(int version);

/// An id as 256 hexadecimal digits, and back. Throws DeviceError for what is none.
std::string text_of(const NcclUniqueId& id);
NcclUniqueId unique_id_of(const std::string& text);

}  // namespace regatta::engine::cuda
