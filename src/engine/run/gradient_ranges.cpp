#include "engine/run/gradient_ranges.hpp"

#include <algorithm>

#include "engine/ir/builder.hpp"

namespace regatta::engine {

std::int64_t GradientRanges::end_bytes(const Op& op) const {
  std::int64_t end = 0;
  for (const BufferIndex index : op.operands) {
    if (index == kNoBuffer || static_cast<std::size_t>(index) >= context_.program.buffers.size()) continue;
    const BufferSpec& buffer = context_.program.buffers[static_cast<std::size_t>(index)];
    if (buffer.role == Role::gradient) end = std::max(end, buffer.offset + aligned(buffer.bytes));
  }
  return end;
}

void GradientRanges::report(const Op& op) {
  const std::int64_t end = end_bytes(op);
  if (end <= completed_bytes_) return;
  // The last parameter's gradient lies at offset 0.
  const auto first = static_cast<std::size_t>(context_.program.parameters.back().gradient);
  auto* const arena = static_cast<float*>(context_.addresses[first]);
  constexpr std::int64_t kFloat = sizeof(float);
  context_.settings.gradient_ready({arena + completed_bytes_ / kFloat, arena + end / kFloat});
  completed_bytes_ = end;
}

}  // namespace regatta::engine
