// What executors see of a device: memory, prebound calls, recordings, events. One implementation per
// kind of device; the one for CUDA lives in a plugin, so only plain types cross this line.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "regatta/engine/ops.hpp"

namespace regatta::engine {

/// One kernel with everything it needs. `launch(call, 0, call.units)` does all of it; a backend may
/// split the units among threads: no unit writes what another one touches.
struct Call {
  void (*launch)(const Call& call, std::int64_t begin, std::int64_t end) = nullptr;
  const void* spec = nullptr;     ///< the alternative held by the operation's OpSpec, which outlives the call
  const void* context = nullptr;  ///< of the backend
  std::int64_t units = 1;
  std::int64_t grain = 0;     ///< units a thread should take at least; 0: not worth splitting
  std::int64_t together = 1;  ///< neighbouring units that share what they read: fewer at a time cost more
  std::int64_t produces = 0;  ///< floats of operand 2 that each unit completes, one unit after the other; 0: other ones
  std::int64_t consumes = 0;  ///< floats that each unit reads of operand 1, one unit after the other; 0: other ones
  std::array<void*, kOperands> operands{};
};

/// The calls of one operation (preparing ones may come first).
struct BoundCalls {
  std::array<Call, 3> calls;
  int count = 0;
};

/// A sequence of calls, made ready to be run again and again.
class Recording {
 public:
  virtual ~Recording() = default;

  /// Replaces an operand of the call at `index`: how fed inputs reach a recording.
  virtual void set_operand(std::size_t index, int operand, void* memory) = 0;
};

/// A point in the backend's order of work; 0 is the beginning.
using Event = std::uint64_t;

class Backend {
 public:
  virtual ~Backend() = default;

  /// Instruction set or device of the kernels: "avx512", "avx2", "baseline", "reference".
  [[nodiscard]] virtual const char* isa() const = 0;

  /// Uninitialised memory, aligned to 64 bytes. Throws std::bad_alloc.
  virtual void* allocate(std::int64_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;

  /// Makes the caller's bytes readable by kernels: the same address where the device shares its
  /// memory with the host, else a copy at an address that stays the same for a `slot`.
  virtual void* import(int slot, const void* host, std::int64_t bytes) = 0;

  /// Copies from the host, after all work before it; nothing from the host means zeros.
  virtual void write(void* to, const void* host, std::int64_t bytes) = 0;

  /// The bytes as the host reads them, after all work before it: the same address where the device
  /// shares its memory with the host, else a copy that stays until the next view of this memory.
  virtual const void* host_view(const void* memory, std::int64_t bytes) = 0;

  /// Scratch memory that the operation wants in operand kScratch.
  [[nodiscard]] virtual std::int64_t scratch_bytes(const OpSpec& spec) const = 0;

  /// Other ways to compute the operation, with the same bits, that are worth timing.
  [[nodiscard]] virtual std::vector<KernelChoice> choices(const OpSpec& /*spec*/) const { return {}; }

  /// How many terms of a long sum make up one of its blocks; `terms` where sums are not cut. A sum may be taken in
  /// several operations, one after the other, that end where blocks end.
  [[nodiscard]] virtual std::int64_t sum_block(std::int64_t terms) const { return terms; }

  /// Whether a product of so many rows makes an outer product that is its b (MatMul::outer_b) faster than it reads one.
  [[nodiscard]] virtual bool makes_outer_b(std::int64_t /*rows*/) const { return false; }

  /// Chooses kernels for the operation and binds them to memory. `spec` must outlive the calls.
  [[nodiscard]] virtual BoundCalls bind(const OpSpec& spec, const std::array<void*, kOperands>& memory) const = 0;

  /// Issues one call now.
  virtual void run(const Call& call) = 0;

  [[nodiscard]] virtual std::unique_ptr<Recording> record(std::span<const Call> calls) = 0;
  virtual void replay(const Recording& recording) = 0;

  /// The point after all work issued so far, and waiting for it.
  virtual Event event() = 0;
  virtual void synchronize(Event event) = 0;
};

}  // namespace regatta::engine
