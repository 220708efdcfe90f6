#include "engine/run/gradient_ranges.hpp"

#include <algorithm>

#include "engine/ir/ir.hpp"

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

bool GradientRanges::passes_cut(std::int64_t told_bytes, std::int64_t end_bytes) const {
  const auto& cuts = context_.settings.gradient_cuts;
  if (cuts.empty()) return end_bytes > told_bytes;
  const auto next = std::ranges::upper_bound(cuts, told_bytes);
  return next != cuts.end() && *next <= end_bytes;
}

bool GradientRanges::completes(const Op& op) {
  const std::int64_t end = end_bytes(op);
  if (context_.settings.gradient_cuts.empty()) return end > 0;
  if (!passes_cut(planned_bytes_, end)) return false;
  planned_bytes_ = end;
  return true;
}

void GradientRanges::report(const Op& op) {
  const std::int64_t end = end_bytes(op);
  if (!passes_cut(completed_bytes_, end)) return;
  // The last parameter's gradient lies at offset 0.
  const auto first = static_cast<std::size_t>(context_.program.parameters.back().gradient);
  auto* const arena = static_cast<float*>(context_.addresses[first]);
  constexpr std::int64_t kFloat = sizeof(float);
  context_.settings.gradient_ready({arena + completed_bytes_ / kFloat, arena + end / kFloat});
  completed_bytes_ = end;
}

}  // namespace regatta::engine
