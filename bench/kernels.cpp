// Each kernel of the named models by itself, on one core: bench_kernels --benchmark_filter=medium. FLOP/s count the
// products without padding taps; bytes count what an update reads and writes.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "engine/cpu/calls/conv1d_ranges.hpp"
#include "engine/cpu/cpu.hpp"
#include "engine/cpu/kernels/kernel_table.hpp"
#include "regatta/base/random.hpp"
#include "regatta/engine/cpu_backend.hpp"
#include "regatta/engine/ops.hpp"

namespace {

using namespace regatta;
using namespace regatta::engine;

struct Kernel {
  std::string name;
  OpSpec spec;
};

Conv1dShape convolution(std::int64_t batch, std::int64_t length, std::int64_t channels, std::int64_t filters,
                        std::int64_t taps, std::int64_t stride, bool same) {
  const std::int64_t positions = same ? (length + stride - 1) / stride : (length - taps) / stride + 1;
  const std::int64_t pad = same ? (std::max((positions - 1) * stride + taps, length) - length) / 2 : 0;
  return {batch, length, channels, positions, filters, taps, stride, pad};
}

std::vector<Kernel> all_kernels() {
  std::vector<Kernel> kernels{
      {"mlp-10/forward", MatMul{.m = 32, .n = 50, .k = 10, .add_bias = true, .activation = Activation::relu}},
      {"mlp-10/weights", MatMul{.m = 10, .n = 50, .k = 32, .transpose_a = true, .sum_columns = true}},
      {"mlp-10/weights_1000", MatMul{.m = 10, .n = 50, .k = 1000, .transpose_a = true, .sum_columns = true}},
      {"mlp-10/output", MatMul{.m = 1000, .n = 1, .k = 50, .add_bias = true}},
      {"mlp-10/input_1000", MatMul{.m = 1000, .n = 50, .k = 1, .transpose_b = true, .derivative = Activation::relu}},
      {"mlp-784/forward", MatMul{.m = 32, .n = 128, .k = 784, .add_bias = true, .activation = Activation::relu}},
      {"mlp-784/weights", MatMul{.m = 784, .n = 128, .k = 32, .transpose_a = true, .sum_columns = true}},
      {"mlp-784/adam", AdamUpdate{101770, 0.9, 0.999, 1e-7F}},
      {"small/adam_in_cache", AdamUpdate{4096, 0.9, 0.999, 1e-7F}},
      {"matmul-1000", MatMul{.m = 1000, .n = 1000, .k = 1000}},
      {"question/dense", MatMul{.m = 32, .n = 64, .k = 12800}},
      {"bilstm/forward", MatMul{.m = 12800, .n = 2048, .k = 1024, .add_bias = true}},
      {"bilstm/weights", MatMul{.m = 1024, .n = 2048, .k = 12800, .transpose_a = true, .sum_columns = true}},
      {"bilstm/input", MatMul{.m = 12800, .n = 1024, .k = 2048, .transpose_b = true}},
      {"bilstm/recurrent_forward", Lstm{.shape = {32, 400, 512, 1024, 0, false}, .activation = Activation::relu}},
      {"bilstm/recurrent_gates", LstmGradient{{32, 400, 512, 1024, 0, false}, Activation::relu, false}},
      {"bilstm/recurrent_weights", LstmRecurrentGradient{{32, 400, 512, 1024, 0, false}, true}},
  };
  const std::vector<std::pair<std::string, Conv1dShape>> convolutions{
      {"small", convolution(32, 140, 30, 128, 40, 4, true)},
      {"small_1400", convolution(32, 1400, 30, 128, 40, 4, true)},
      {"question", convolution(32, 400, 16, 128, 400, 4, true)},
      {"medium_2", convolution(32, 121, 64, 128, 20, 1, false)},
      {"medium_4", convolution(32, 83, 256, 256, 20, 1, false)},
      {"bilstm", convolution(32, 400, 512, 128, 400, 4, true)},
      {"large", convolution(32, 52, 256, 256, 12, 1, true)},
  };
  for (const auto& [name, shape] : convolutions) {
    kernels.push_back({name + "/forward", Conv1d{.shape = shape, .add_bias = true}});
    kernels.push_back({name + "/weights", Conv1dKernelGradient{.shape = shape, .sum_columns = true}});
    kernels.push_back({name + "/input", Conv1dInputGradient{.shape = shape}});
  }
  return kernels;
}

double flop_of(const OpSpec& spec) {
  if (const auto* product = std::get_if<MatMul>(&spec)) {
    return 2.0 * static_cast<double>(product->m * product->n) * static_cast<double>(product->k);
  }
  return std::visit(
      [](const auto& op) {
        double flop = 0;
        if constexpr (requires {
                        op.shape.positions;
                        op.shape.taps;
                      }) {
          for (std::int64_t position = 0; position < op.shape.positions; ++position) {
            const auto terms = cpu::taps_inside(op.shape, position).size() * op.shape.channels;
            flop += 2.0 * static_cast<double>(op.shape.batch * op.shape.filters) * static_cast<double>(terms);
          }
        } else if constexpr (requires { op.shape.units; }) {  // states times the recurrent kernel, at each position
          const auto states = static_cast<double>(op.shape.batch * op.shape.units * (op.shape.length - 1));
          flop = 8 * states * static_cast<double>(op.shape.units);
        }
        return flop;
      },
      spec);
}

void run(benchmark::State& state, const Kernel& kernel) {
  const auto backend = cpu::make_backend();
  std::array<std::int64_t, kOperands> bytes = operand_bytes(kernel.spec);
  bytes[kScratch] = backend->scratch_bytes(kernel.spec);
  std::array<void*, kOperands> memory{};
  for (std::size_t i = 0; i < kOperands; ++i) {
    if (bytes[i] == 0) continue;
    memory[i] = backend->allocate(bytes[i]);
    auto* const values = static_cast<float*>(memory[i]);
    for (std::int64_t at = 0; at < bytes[i] / 4; ++at) values[at] = random_unit(i, static_cast<std::uint64_t>(at));
  }
  const auto* adam = std::get_if<AdamUpdate>(&kernel.spec);
  if (adam != nullptr) *static_cast<StepState*>(memory[4]) = {3, 0.729, 0.997, 3.69004F, 333.5F, 0.001F};
  const BoundCalls bound = backend->bind(kernel.spec, memory);
  const auto recording = backend->record({bound.calls.data(), static_cast<std::size_t>(bound.count)});
  const FlushDenormals flush;  // as in a step
  for (auto _ : state) backend->replay(*recording);
  const auto steps = static_cast<double>(state.iterations());
  if (adam != nullptr) {
    state.counters["bytes"] = {28.0 * static_cast<double>(adam->count) * steps, benchmark::Counter::kIsRate};
  } else {
    state.counters["flop"] = {flop_of(kernel.spec) * steps, benchmark::Counter::kIsRate};
  }
  for (void* const each : memory) {
    if (each != nullptr) backend->release(each);
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (const Kernel& kernel : all_kernels()) {
    benchmark::RegisterBenchmark(kernel.name.c_str(), [kernel](benchmark::State& state) { run(state, kernel); });
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
