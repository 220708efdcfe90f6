#include <cmath>

#include "engine/cuda/kernels/dropout.hpp"
#include "engine/cuda/kernels/issue.hpp"
#include "engine/cuda/kernels/launches.hpp"

namespace regatta::engine::cuda {

DropElements elements_of(const Dropout& op, const Memory& memory) {
  const double rate = static_cast<float>(op.rate);  // compared with a random float of 24 bits
  return {.x = floats_of(memory, 0),
          .y = floats_of(memory, 1),
          .mask = floats_of(memory, 2),
          .state = static_cast<const StepState*>(memory[3]),
          .key = op.key,
          .first = op.first_sample,
          .units = op.units,
          .bound = static_cast<std::uint64_t>(std::ceil(rate * 0x1p24)),
          .kept = static_cast<float>(1 / (1 - op.rate))};
}

namespace {

void issue(const Target& target, const Dropout& op, const Memory& memory) {
  const DropElements drop = elements_of(op, memory);
  launch_elements(target, "dropout", drop, op.batch * op.units, take_packs({drop.x, drop.y, drop.mask}));
}

void issue(const Target& target, const DropoutGradient& op, const Memory& memory) {
  const MultiplyElements multiply{floats_of(memory, 0), floats_of(memory, 1), floats_of(memory, 2)};
  launch_elements(target, "dropout_gradient", multiply, op.count, take_packs({multiply.a, multiply.b, multiply.to}));
}

}  // namespace

void enter_dropout(IssueTable& table) {
  enter<Dropout, DropoutGradient>(
      table, [](const Target& target, const auto& op, const Memory& memory) { issue(target, op, memory); });
}

}  // namespace regatta::engine::cuda
