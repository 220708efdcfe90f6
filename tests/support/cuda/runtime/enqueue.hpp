// How emulated kernels and the fakes of libraries reach the fake CUDA runtime: work enters a stream here, and what a
// real device would answer with wrong results is complained of here.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/cuda/control.hpp"

namespace regatta::cuda_fakes {

/// Memory that work touches: checked when the work runs, not when it is issued. Null memory of 0 bytes is no memory.
struct Range {
  const void* memory = nullptr;
  std::size_t bytes = 0;
  bool is_written = false;
  const char* what = "";  ///< "A", "workspace": for the complaint
};

enum class WorkKind : std::int32_t { kernel, product, convolution, copy, fill, host, empty };

struct Work {
  std::string name;  ///< the kernel or the call; also what Control::fail_next and hang_next know it by
  WorkKind kind = WorkKind::kernel;
  std::function<void()> run = {};  ///< must not call the CUDA API; may throw std::exception, which becomes a complaint
  std::vector<Range> ranges = {};
  std::int64_t flop = 0;
  std::int64_t bytes = 0;  ///< moved to, from or within the device's memory; for counters and the clock
  double seconds = 0;      ///< on the emulated clock; 0: told from flop and bytes
  /// Asked once all before it is done, again and again until it says true: work of other processes comes first. Work in
  /// a graph is not asked.
  std::function<bool()> is_ready = {};
};

/// Puts work into a stream, or into the graph that captures it. Device memory is open only while work runs.
cudaError_t enqueue(cudaStream_t stream, Work work);

/// The same for a kernel: `work` has copied its arguments.
cudaError_t enqueue(cudaStream_t stream, std::string name, std::function<void()> work);

/// Reports a mistake that a real device answers with wrong results or not at all. From now on every call fails with a
/// sticky error whose text, cudaGetErrorString, tells this.
void complain(const std::string& what);

/// Why the call now returns an error: kept for Control::refusal and the text of the error. Not sticky.
void refuse(const std::string& why);

/// To be asked first by every call of every fake: the status that was ordered with Control::fail_next (that fake's own
/// statuses), or 0: go on.
int ordered_fault(const char* function);

/// The sticky error of the current device; cudaSuccess: none.
cudaError_t sticky_error();

/// Whether the stream is being captured.
bool is_capturing(cudaStream_t stream);

/// Empty where [memory, memory + bytes) is live memory of a device (or pinned) as things stand now; else what it is.
std::string why_not_device_memory(const void* memory, std::size_t bytes);

/// Handles of libraries: counted, and gone after a reset.
void* make_library_handle();
bool is_library_handle(const void* handle);
bool drop_library_handle(const void* handle);

/// A library was asked for an algorithm.
void count_heuristic();

/// The present orders; the emulator asks for the order of threads at each kernel.
Orders orders();

}  // namespace regatta::cuda_fakes
