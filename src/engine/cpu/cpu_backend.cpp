#include "regatta/engine/cpu_backend.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <string>

#include "engine/cpu/calls/call.hpp"
#include "engine/cpu/calls/calls.hpp"
#include "engine/cpu/cpu.hpp"
#include "engine/reference/kernels.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine::cpu {

namespace {

/// A flat array of calls. One that makes, unit by unit, what the next one reads keeps its note of that.
class CallArray final : public Recording {
 public:
  explicit CallArray(std::span<const Call> calls) : calls_(calls.begin(), calls.end()) {
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (i + 1 == calls_.size() || !feeds(calls_[i], calls_[i + 1])) calls_[i].notes[kProduces] = 0;
    }
  }

  void set_operand(std::size_t index, int operand, void* memory) override {
    calls_[index].operands[static_cast<std::size_t>(operand)] = memory;
  }

  [[nodiscard]] const std::vector<Call>& calls() const { return calls_; }

 private:
  static bool feeds(const Call& from, const Call& to) {
    return from.notes[kProduces] > 0 && to.notes[kConsumes] > 0 && from.operands[2] == to.operands[1] &&
           (to.units - 1) * to.notes[kConsumes] < from.units * from.notes[kProduces];
  }

  std::vector<Call> calls_;
};

constexpr std::int64_t kHugePage = 2 << 20;  // on x86-64: a thousandth of the entries that translate addresses
constexpr std::int64_t kLargeUpdateBytes = 128 << 10;  // a parameter that no first-level cache keeps
constexpr std::int64_t kStreamedFloats = 32768;        // with the moments of Adam: half of a second-level cache

std::int64_t physical_memory_bytes() { return sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE); }

/// Memory, order of work and threads; which kernels run is up to the two classes below.
class CpuBackend : public Backend {
 public:
  explicit CpuBackend(int threads) : memory_bytes_(physical_memory_bytes()) {
    if (threads < 1) throw InputError("threads is " + std::to_string(threads) + " (it must be at least 1)");
    if (threads > 1) parallel_ = std::make_unique<Parallel>(threads);
  }

  void* allocate(std::int64_t bytes) override {
    // The system would promise more than there is and kill the process at first use.
    if (bytes > memory_bytes_) throw std::bad_alloc();
    const bool is_large = bytes >= kHugePage;
    const std::int64_t alignment = is_large ? kHugePage : kAlignment;
    const auto size = static_cast<std::size_t>(divide_up(bytes, alignment) * alignment);
    void* const memory = std::aligned_alloc(static_cast<std::size_t>(alignment), size);
    if (memory == nullptr) throw std::bad_alloc();
    if (is_large) madvise(memory, size, MADV_HUGEPAGE);
    return memory;
  }
  void release(void* memory) noexcept override { std::free(memory); }

  void* import(int /*slot*/, const void* host, std::int64_t /*bytes*/) override { return const_cast<void*>(host); }

  void write(void* to, const void* host, std::int64_t bytes) override {
    if (host == nullptr) {
      std::memset(to, 0, static_cast<std::size_t>(bytes));
    } else {
      std::memcpy(to, host, static_cast<std::size_t>(bytes));
    }
  }
  const void* host_view(const void* memory, std::int64_t /*bytes*/) override { return memory; }

  void begin_calls() override { flush_.emplace(); }
  void end_calls() noexcept override { flush_.reset(); }

  void run(const Call& call) override {
    if (is_split(call)) {
      parallel_->run(call);
    } else {
      call.launch(call, 0, call.units);
    }
  }

  [[nodiscard]] std::unique_ptr<Recording> record(std::span<const Call> calls) override {
    return std::make_unique<CallArray>(calls);
  }

  void replay(const Recording& recording) override {
    const FlushDenormals flush;
    const std::vector<Call>& calls = static_cast<const CallArray&>(recording).calls();
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (calls[i].notes[kProduces] > 0 && !is_split(calls[i])) {
        stream(calls[i], calls[i + 1]);
        ++i;
      } else {
        run(calls[i]);
      }
    }
  }

  // Calls have run when they return.
  Event event() override { return 0; }
  void synchronize(Event /*event*/) override {}

 private:
  [[nodiscard]] bool is_split(const Call& call) const {
    return parallel_ != nullptr && call.notes[kGrain] > 0 && call.units > call.notes[kGrain];
  }

  /// Some units of one call, then those of the next one that read what they made, while it is in the cache.
  static void stream(const Call& from, const Call& to) {
    const std::int64_t step = round_up(std::max<std::int64_t>(1, kStreamedFloats / from.notes[kProduces]),
                                       std::max<std::int64_t>(1, from.notes[kTogether]));
    std::int64_t done = 0;
    for (std::int64_t unit = 0; unit < from.units; unit += step) {
      const std::int64_t end = std::min(unit + step, from.units);
      from.launch(from, unit, end);
      const std::int64_t ready = end == from.units ? to.units : end * from.notes[kProduces] / to.notes[kConsumes];
      if (ready > done) to.launch(to, done, ready);
      done = std::max(done, ready);
    }
  }

  std::int64_t memory_bytes_;
  std::unique_ptr<Parallel> parallel_;   ///< only with more than one thread
  std::optional<FlushDenormals> flush_;  ///< during single calls
};

class FastBackend : public CpuBackend {
 public:
  FastBackend(const Settings& settings, Precision precision)
      : CpuBackend(settings.threads),
        target_{&kernels_for(settings.isa, precision), settings.threads},
        settings_(settings),
        precision_(precision) {}

  [[nodiscard]] const char* isa() const override { return target_.kernels->isa; }
  [[nodiscard]] const char* arithmetic() const override { return target_.kernels->arithmetic; }
  [[nodiscard]] Precision precision() const override { return precision_; }
  [[nodiscard]] std::int64_t scratch_bytes(const OpSpec& spec) const override {
    return cpu::scratch_bytes(target_, spec);
  }
  [[nodiscard]] bool packs_first(const OpSpec& spec) const override { return cpu::packs_first(target_, spec); }
  [[nodiscard]] std::vector<KernelChoice> choices(const OpSpec& spec) const override {
    return cpu::choices(target_, spec);
  }
  [[nodiscard]] PlanHints plan_hints() const override {
    const KernelTable& kernels = *target_.kernels;
    const bool in_fp32 = kernels.bf16 == nullptr;
    // Blocks of rows keep what layers leave for each other in one core's cache, and an outer product of the rows of one
    // tile is made once.
    return {.sum_block = in_fp32 && target_.threads == 1 ? kernels.block : 0,
            .outer_b_rows = in_fp32 && kernels.masked_loads ? kernels.tile_rows : 0,
            .large_update_bytes = kLargeUpdateBytes,
            .choosing_seconds = settings_.empty_kernels ? 0 : settings_.choosing_seconds,  // nothing to time
            .choices_file = settings_.choices_file,
            .choices_key = std::string(kernels.isa) + ' ' + std::to_string(target_.threads)};
  }
  [[nodiscard]] BoundCalls bind(const OpSpec& spec, const Memory& memory) const override {
    return cpu::bind(target_, spec, memory);
  }

 private:
  Target target_;
  Settings settings_;
  Precision precision_;
};

/// Chooses, binds, splits and issues as the fast one does; the kernels themselves are gone.
class EmptiedBackend final : public FastBackend {
 public:
  using FastBackend::FastBackend;

  [[nodiscard]] BoundCalls bind(const OpSpec& spec, const Memory& memory) const override {
    BoundCalls bound = FastBackend::bind(spec, memory);
    for (int i = 0; i < bound.count; ++i) bound.calls[static_cast<std::size_t>(i)].launch = &do_nothing;
    return bound;
  }

 private:
  static void do_nothing(const Call& /*call*/, std::int64_t /*begin*/, std::int64_t /*end*/) {}
};

class ReferenceBackend final : public CpuBackend {
 public:
  ReferenceBackend() : CpuBackend(1) {}

  [[nodiscard]] const char* isa() const override { return "reference"; }
  [[nodiscard]] Precision precision() const override { return Precision::fp32; }
  [[nodiscard]] std::int64_t scratch_bytes(const OpSpec&) const override { return 0; }
  [[nodiscard]] BoundCalls bind(const OpSpec& spec, const Memory& memory) const override {
    return reference::bind(spec, memory);
  }
};

}  // namespace

std::unique_ptr<Backend> make_backend(const Settings& settings, Precision precision) {
  if (precision == Precision::tf32) {
    throw InputError("this processor has no precision tf32 (it is a GPU's); take fp32 or bf16, or device cuda");
  }
  if (settings.empty_kernels) return std::make_unique<EmptiedBackend>(settings, precision);
  if (settings.kernels == KernelSet::cpu) return std::make_unique<FastBackend>(settings, precision);
  if (precision != Precision::fp32) {
    throw InputError("the reference kernels compute in fp32 only; take precision fp32");
  }
  return std::make_unique<ReferenceBackend>();
}

}  // namespace regatta::engine::cpu
