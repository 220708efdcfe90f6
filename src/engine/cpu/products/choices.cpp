// The other ways to compute a product that are worth timing. Small products are not: the backend's own way
// is within what timing could tell.
#include "engine/cpu/calls/call.hpp"
#include "engine/cpu/calls/calls.hpp"
#include "engine/cpu/products/products.hpp"

namespace regatta::engine::cpu {

namespace {

constexpr double kWorthTiming = 2e6;  // operations: about 10 us

struct Choices {
  const KernelTable& kernels;

  template <class Convolution>
  std::vector<KernelChoice> operator()(const Convolution& op) const requires requires {
    op.shape.taps;
    op.choice;
  }
  {
    const auto& s = op.shape;
    if (s.fft) return {};
    const double work =
        2.0 * static_cast<double>(s.batch * s.positions) * static_cast<double>(s.taps * s.channels * s.filters);
    if (work < kWorthTiming) return {};
    std::vector<KernelChoice> found;
    for (const std::int64_t tiles : {10, 40, 80})
      found.push_back({static_cast<std::int32_t>(tiles * kernels.tile_rows), 0});
    return found;
  }

  std::vector<KernelChoice> operator()(const MatMul& op) const {
    const double work = 2.0 * static_cast<double>(op.m * op.n) * static_cast<double>(op.k);
    return work < kWorthTiming ? std::vector<KernelChoice>{} : matmul_choices(kernels, op);
  }

  std::vector<KernelChoice> operator()(const auto& /*one way*/) const { return {}; }
};

}  // namespace

std::vector<KernelChoice> choices(const Target& target, const OpSpec& spec) {
  if (target.kernels->bf16 != nullptr) return {};
  return std::visit(Choices{*target.kernels}, spec);
}

}  // namespace regatta::engine::cpu
