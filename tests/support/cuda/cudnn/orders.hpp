// Orders of tests to the half-fake cuDNN, beside Control::fail_next with the names of its calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace regatta::cuda_fakes::cudnn {

struct Orders {
  /// Why the library cannot be opened; empty: it can.
  std::string missing = {};
  std::size_t version = 91900;
  /// Engines compute paddings that differ before and after an axis. The behaviour of a real device is not known yet.
  bool computes_uneven_padding = false;
  /// Heuristics of mode A propose nothing.
  bool only_falls_back = false;
  /// Descriptors of tensors, convolutions, operations and graphs are also made by the real library, which is opened at
  /// `real_library`: what it refuses is refused.
  bool forwards = false;
  std::string real_library = "libcudnn_graph.so.9";
};

/// Valid until the next call of set_orders(). At first what the environment variable REGATTA_EMULATED_CUDNN says:
/// missing, uneven_padding, forward, separated by commas; an unknown word ends the process.
const Orders& orders();
void set_orders(const Orders& orders);

/// Why the real library cannot be forwarded to; empty: it can.
std::string why_not_forwarding();

/// Descriptors that were made and not destroyed.
std::int64_t live_descriptors();
std::int64_t live_handles();

}  // namespace regatta::cuda_fakes::cudnn
