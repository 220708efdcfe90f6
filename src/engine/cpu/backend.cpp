#include "engine/cpu/backend.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "engine/builder.hpp"
#include "engine/cpu/bind.hpp"
#include "engine/cpu/isa.hpp"
#include "engine/cpu/parallel.hpp"
#include "engine/reference/kernels.hpp"

namespace regatta::engine::cpu {

namespace {

/// A flat array of calls.
class CallArray final : public Recording {
 public:
  explicit CallArray(std::span<const Call> calls) : calls_(calls.begin(), calls.end()) {}

  void set_operand(std::size_t index, int operand, void* memory) override {
    calls_[index].operands[static_cast<std::size_t>(operand)] = memory;
  }

  [[nodiscard]] const std::vector<Call>& calls() const { return calls_; }

 private:
  std::vector<Call> calls_;
};

std::int64_t physical_memory_bytes() { return sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE); }

/// Memory, order of work and threads; which kernels run is up to the two classes below.
class CpuBackend : public Backend {
 public:
  explicit CpuBackend(int threads) : memory_bytes_(physical_memory_bytes()) {
    if (threads > 1) parallel_ = std::make_unique<Parallel>(threads);
  }

  void* allocate(std::int64_t bytes) override {
    // The system would promise more than there is and kill the process at first use.
    if (bytes > memory_bytes_) throw std::bad_alloc();
    void* const memory = std::aligned_alloc(kAlignment, static_cast<std::size_t>(aligned(bytes)));
    if (memory == nullptr) throw std::bad_alloc();
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

  void run(const Call& call) override {
    if (parallel_ != nullptr && call.grain > 0 && call.units > call.grain) {
      parallel_->run(call);
    } else {
      call.launch(call, 0, call.units);
    }
  }

  [[nodiscard]] std::unique_ptr<Recording> record(std::span<const Call> calls) override {
    return std::make_unique<CallArray>(calls);
  }

  void replay(const Recording& recording) override {
    for (const Call& call : static_cast<const CallArray&>(recording).calls()) run(call);
  }

  // Calls have run when they return.
  Event event() override { return 0; }
  void synchronize(Event /*event*/) override {}

 private:
  std::int64_t memory_bytes_;
  std::unique_ptr<Parallel> parallel_;  ///< only with more than one thread
};

class FastBackend : public CpuBackend {
 public:
  FastBackend(Isa isa, int threads) : CpuBackend(threads), target_{&kernels_for(isa), threads} {}

  [[nodiscard]] const char* isa() const override { return target_.kernels->isa; }
  [[nodiscard]] std::int64_t scratch_bytes(const OpSpec& spec) const override {
    return cpu::scratch_bytes(target_, spec);
  }
  [[nodiscard]] BoundCalls bind(const OpSpec& spec, const Memory& memory) const override {
    return cpu::bind(target_, spec, memory);
  }

 private:
  Target target_;
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
  [[nodiscard]] std::int64_t scratch_bytes(const OpSpec&) const override { return 0; }
  [[nodiscard]] BoundCalls bind(const OpSpec& spec, const Memory& memory) const override {
    return reference::bind(spec, memory);
  }
};

}  // namespace

std::unique_ptr<Backend> make_backend(KernelSet kernels, Isa isa, int threads, bool empty_kernels) {
  if (empty_kernels) return std::make_unique<EmptiedBackend>(isa, threads);
  if (kernels == KernelSet::reference) return std::make_unique<ReferenceBackend>();
  return std::make_unique<FastBackend>(isa, threads);
}

}  // namespace regatta::engine::cpu
