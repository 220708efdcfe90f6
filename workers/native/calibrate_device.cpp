#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "native.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/json/text.hpp"

namespace regatta::worker {
namespace {

using engine::Backend;
using engine::BoundCalls;
using engine::Call;
using engine::OpSpec;

// Each size is twice the one before, until one takes long enough: what a small one takes is mostly launches. Emulated
// devices end with the first.
constexpr std::int64_t least_side = 128;
constexpr std::int64_t most_side = 8192;
constexpr double long_product_seconds = 8e-3;
constexpr std::int64_t least_count = std::int64_t{1} << 12;
constexpr std::int64_t most_count = std::int64_t{1} << 26;  // 256 MiB: no cache holds it
constexpr double long_pass_seconds = 2e-3;
constexpr std::int64_t copied_bytes = std::int64_t{64} << 20;
constexpr int repetitions = 4;
constexpr std::size_t small_calls = 200;  // fewer than a stream takes before its host has to wait
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Device memory for as long as this object.
class Memory {
 public:
  Memory(Backend& backend, std::int64_t bytes) : backend_(backend), data_(backend.allocate(bytes)) {
    backend.write(data_, nullptr, bytes);
  }
  ~Memory() { backend_.release(data_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  [[nodiscard]] void* data() const { return data_; }

 private:
  Backend& backend_;
  void* data_;
};

/// An operation on memory of its own.
class Bound {
 public:
  Bound(Backend& backend, const OpSpec& spec) : spec_(spec) {
    engine::OperandBytes bytes = engine::operand_bytes(spec_);
    bytes[engine::kScratch] = backend.scratch_bytes(spec_);
    std::array<void*, engine::kOperands> operands{};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (bytes[i] == 0) continue;
      memory_.push_back(std::make_unique<Memory>(backend, bytes[i]));
      operands[i] = memory_.back()->data();
    }
    calls_ = backend.bind(spec_, operands);
  }
  [[nodiscard]] std::span<const Call> calls() const {
    return {calls_.calls.data(), static_cast<std::size_t>(calls_.count)};
  }

 private:
  OpSpec spec_;  // the calls point at it
  std::vector<std::unique_ptr<Memory>> memory_;
  BoundCalls calls_;
};

void finish(Backend& backend) { backend.synchronize(backend.event()); }

/// The time of the quickest repetition, after one that is not counted; the device is idle before and after each.
double best_seconds(Backend& backend, const std::function<void()>& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= repetitions; ++i) {
    finish(backend);
    const double start = steady_seconds();
    work();
    finish(backend);
    if (i > 0) best = std::min(best, steady_seconds() - start);
  }
  return best;
}

void issue(Backend& backend, std::span<const Call> calls) {
  backend.begin_calls();
  for (const Call& call : calls) backend.run(call);
  backend.end_calls();
}

double run_seconds(Backend& backend, const OpSpec& spec) {
  const Bound bound(backend, spec);
  return best_seconds(backend, [&] { issue(backend, bound.calls()); });
}

double product_flops(const Device& device, engine::Precision precision) {
  try {
    const auto backend = make_backend_beside(device, precision);
    double best = 0;
    for (std::int64_t side = least_side; side <= most_side; side *= 2) {
      const double seconds = run_seconds(*backend, engine::MatMul{side, side, side});
      const auto length = static_cast<double>(side);
      best = std::max(best, 2 * length * length * length / seconds);
      if (seconds > long_product_seconds) break;
    }
    return best;
  } catch (const InputError&) {  // the device has no such arithmetic
    return unknown;
  }
}

double memory_rate(Backend& backend) {
  constexpr double bytes_each = 3 * sizeof(float);  // two are read, one is written
  double best = 0;
  for (std::int64_t count = least_count; count <= most_count; count *= 2) {
    const double seconds = run_seconds(backend, engine::Add{count});
    best = std::max(best, bytes_each * static_cast<double>(count) / seconds);
    if (seconds > long_pass_seconds) break;
  }
  return best;
}

/// A batch's whole way, through pinned memory: what a step waits for, and less than the link could do.
double upload_rate(Backend& backend) {
  const std::vector<char> host(copied_bytes, 1);
  return copied_bytes / best_seconds(backend, [&] { backend.import(0, host.data(), copied_bytes); });
}

double download_rate(Backend& backend) {
  const Memory memory(backend, copied_bytes);
  return copied_bytes / best_seconds(backend, [&] { backend.host_view(memory.data(), copied_bytes); });
}

/// Each of `small_calls` times the smallest kernel, one after the other.
std::vector<Call> small_kernels(const Bound& bound) { return std::vector<Call>(small_calls, bound.calls().front()); }

double launch_seconds(Backend& backend, const std::vector<Call>& calls) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= repetitions; ++i) {
    finish(backend);
    const double start = steady_seconds();
    issue(backend, calls);
    best = std::min(best, steady_seconds() - start);
  }
  finish(backend);
  return best / static_cast<double>(calls.size());
}

double node_seconds(Backend& backend, const std::vector<Call>& calls) {
  const auto recording = backend.record(calls);
  return best_seconds(backend, [&] { backend.replay(*recording); }) / static_cast<double>(calls.size());
}

}  // namespace

std::string calibrate_device(const Device& device) {
  const auto backend = make_backend_beside(device, engine::Precision::fp32);
  std::string text = R"({"uuid": )" + json::quote(device.uuid) + R"(, "name": )" + json::quote(device.description);
  const auto field = [&](const char* name, double value) {
    text += fmt::format(", \"{}\": ", name) + (std::isnan(value) ? "null" : fmt::format("{}", value));
  };
  field("fp32_flops_per_second", product_flops(device, engine::Precision::fp32));
  field("tf32_flops_per_second", product_flops(device, engine::Precision::tf32));
  field("bf16_flops_per_second", product_flops(device, engine::Precision::bf16));
  field("memory_bytes_per_second", memory_rate(*backend));
  field("upload_bytes_per_second", upload_rate(*backend));
  field("download_bytes_per_second", download_rate(*backend));
  const Bound smallest(*backend, engine::Fill{1, 0});
  const std::vector<Call> calls = small_kernels(smallest);
  field("launch_seconds", launch_seconds(*backend, calls));
  field("node_seconds", node_seconds(*backend, calls));
  return text + "}\n";
}

}  // namespace regatta::worker
