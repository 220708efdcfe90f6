// The processor's backend behind one that a test changes a little.
#pragma once

#include <memory>

#include "regatta/engine/cpu_backend.hpp"

namespace regatta::engine {

/// Plans as a backend without hints does.
class ForwardingBackend : public Backend {
 public:
  [[nodiscard]] const char* isa() const override { return inner_->isa(); }
  [[nodiscard]] Precision precision() const override { return inner_->precision(); }
  void* allocate(std::int64_t bytes) override { return inner_->allocate(bytes); }
  void release(void* memory) noexcept override { inner_->release(memory); }
  void* import(int slot, const void* host, std::int64_t bytes) override { return inner_->import(slot, host, bytes); }
  void write(void* to, const void* host, std::int64_t bytes) override { inner_->write(to, host, bytes); }
  const void* host_view(const void* memory, std::int64_t bytes) override { return inner_->host_view(memory, bytes); }
  [[nodiscard]] std::int64_t scratch_bytes(const OpSpec& spec) const override { return inner_->scratch_bytes(spec); }
  [[nodiscard]] bool packs_first(const OpSpec& spec) const override { return inner_->packs_first(spec); }
  [[nodiscard]] BoundCalls bind(const OpSpec& spec, const std::array<void*, kOperands>& memory) const override {
    return inner_->bind(spec, memory);
  }
  void run(const Call& call) override { inner_->run(call); }
  [[nodiscard]] std::unique_ptr<Recording> record(std::span<const Call> calls) override {
    return inner_->record(calls);
  }
  void replay(const Recording& recording) override { inner_->replay(recording); }
  Event event() override { return inner_->event(); }
  void synchronize(Event event) override { inner_->synchronize(event); }

 private:
  std::unique_ptr<Backend> inner_ = cpu::make_backend();
};

}  // namespace regatta::engine
