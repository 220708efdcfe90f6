// The executors' view of a device: memory, prebound calls, recordings, events. One implementation per kind of device;
// one may live in a plugin (plugin.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "regatta/base/error.hpp"
#include "regatta/engine/device_group.hpp"
#include "regatta/engine/ops.hpp"
#include "regatta/engine/settings.hpp"

namespace regatta::engine {

/// One kernel with everything it needs. `launch(call, 0, call.units)` does or issues all of it; a backend may split the
/// units: no unit writes what another one touches. Only the backend that bound a call may run it.
struct Call {
  void (*launch)(const Call& call, std::int64_t begin, std::int64_t end) = nullptr;
  const void* spec = nullptr;     ///< the alternative held by the operation's OpSpec, which outlives the call
  const void* context = nullptr;  ///< the backend's own data
  std::int64_t units = 1;
  std::array<std::int64_t, 4> notes{};  ///< for the backend's run and replay
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

/// Hints of a backend for planning; a hint at its default changes nothing.
struct PlanHints {
  std::int64_t sum_block = 0;  ///< a sum over a batch is taken in equal blocks of at most so many terms, one after the
                               ///< other, so a step may be cut where they end; 0: it is not cut
  std::int64_t outer_b_rows = 0;  ///< products of so many rows make an outer product that is their b (MatMul::outer_b)
                                  ///< faster than they read one
  std::int64_t large_update_bytes = 0;  ///< the update of a parameter of so many bytes follows the product that makes
                                        ///< its gradient; smaller ones are joined, and with 0 all of them
  bool rounds_images = false;           ///< with Precision::bf16 2-D convolutions are rounded too
  double choosing_seconds = 0;    ///< time in which Backend::choices may be timed, where the file below knows none
  std::string choices_file = {};  ///< keeps what was chosen; of this machine and build. Empty: nothing is kept
  std::string choices_key = {};   ///< the choice's key beside the operation
};

/// A point in the backend's order of work; 0 is the beginning.
using Event = std::uint64_t;

/// Serves one session at a time. Calls that fail throw DeviceError.
class Backend {
 public:
  virtual ~Backend() = default;

  /// Instruction set or device of the kernels: "avx512", "avx2", "baseline", "reference".
  [[nodiscard]] virtual const char* isa() const = 0;

  /// Backends that say the same give the same bits: "fused" multiply-add, "separate", "bf16", or their own kernels.
  [[nodiscard]] virtual const char* arithmetic() const { return isa(); }

  /// Precision of the products that it was made for.
  [[nodiscard]] virtual Precision precision() const = 0;

  /// Uninitialised memory, aligned to kAlignment. Throws std::bad_alloc.
  virtual void* allocate(std::int64_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;

  /// Makes the caller's bytes readable by kernels: the same address where the device shares its
  /// memory with the host, else a copy at an address that stays the same for a `slot`.
  virtual void* import(int slot, const void* host, std::int64_t bytes) = 0;

  /// Copies from the host, after all work before it; nothing from the host means zeros.
  virtual void write(void* to, const void* host, std::int64_t bytes) = 0;

  /// The bytes as the host reads them, after all work before it: the same address where the device
  /// shares its memory with the host, else a copy, which the next view of as many bytes renews in place.
  virtual const void* host_view(const void* memory, std::int64_t bytes) = 0;

  /// Memory of a device of its own that it holds, workspaces included; 0 where allocate() takes the host's.
  [[nodiscard]] virtual std::int64_t held_bytes() const { return 0; }

  /// Scratch memory that the operation wants in operand kScratch.
  [[nodiscard]] virtual std::int64_t scratch_bytes(const OpSpec& spec) const = 0;

  /// Whether the first call of bind() does nothing but copy operand 1 to kScratch, and the others read it there alone:
  /// then one run of that call serves all operations of the same shape and operand 1, until this changes.
  [[nodiscard]] virtual bool packs_first(const OpSpec& /*spec*/) const { return false; }

  /// Other ways to compute the operation, with the same bits, that are worth timing.
  [[nodiscard]] virtual std::vector<KernelChoice> choices(const OpSpec& /*spec*/) const { return {}; }

  [[nodiscard]] virtual PlanHints plan_hints() const { return {}; }

  /// Chooses kernels for the operation and binds them to memory. `spec` must outlive the calls.
  [[nodiscard]] virtual BoundCalls bind(const OpSpec& spec, const std::array<void*, kOperands>& memory) const = 0;

  /// Around the single calls of a step, on the thread that issues them. A replay needs neither.
  virtual void begin_calls() {}
  virtual void end_calls() noexcept {}

  /// Issues one call now.
  virtual void run(const Call& call) = 0;

  [[nodiscard]] virtual std::unique_ptr<Recording> record(std::span<const Call> calls) = 0;
  virtual void replay(const Recording& recording) = 0;

  /// Time in which replay() made recordings ready that were new to it, until now; 0 where record() does all of that.
  [[nodiscard]] virtual double graph_seconds() const { return 0; }

  /// Names what is issued until end_range() to a profiler that watches the device. Ranges nest. Without a profiler they
  /// are a test of a pointer.
  virtual void begin_range(const char* /*name*/) {}
  virtual void end_range() noexcept {}

  /// The point after all work issued so far, and waiting for it.
  virtual Event event() = 0;
  virtual void synchronize(Event event) = 0;

  /// From here on this backend sums with the others of the group. Throws InputError where devices of this kind do not.
  virtual void join(DeviceGroup& /*group*/) {
    throw InputError("ranks on this device sum no gradients (its backend cannot); take ranks 1");
  }
  /// Sums floats over all ranks in place, behind the work issued so far and beside what is issued next. All ranks ask
  /// for the same sums in the same order. A rank that does not come is met here, or by whoever waits for the device.
  virtual void sum_over_ranks(float* /*memory*/, std::int64_t /*count*/) {
    expect(false, "only ranks that joined sum");
  }
  /// Orders all work that is issued from here on behind all sums so far. Ends the sums of a step.
  virtual void await_sums() { expect(false, "only ranks that joined sum"); }
  /// Time that the device spent in await_sums() with nothing else to do, in all steps that are over.
  [[nodiscard]] virtual double exposed_exchange_seconds() { return 0; }
};

}  // namespace regatta::engine
