// The engine's exp, log, sigmoid and tanh against double precision of the standard library.
#include <bit>

#include "engine/support.hpp"

namespace regatta::engine {
namespace {

/// Distance in units of the last place of the exact result.
double ulps(float got, double exact) {
  const auto rounded = static_cast<float>(exact);
  if (got == rounded || (std::isnan(got) && std::isnan(rounded))) return 0;
  if (!std::isfinite(got) || !std::isfinite(rounded)) return std::numeric_limits<double>::infinity();
  int exponent = 0;
  std::frexp(exact, &exponent);
  const double place = std::ldexp(1.0, std::max(exponent - 24, -149));
  return std::abs(got - exact) / place;
}

std::vector<float> spread(float low, float high) {
  std::vector<float> values;
  for (int i = 0; i <= 200000; ++i) values.push_back(low + (high - low) * static_cast<float>(i) / 200000.0F);
  return values;
}

/// Positive floats of all magnitudes.
std::vector<float> all_magnitudes() {
  std::vector<float> values;
  for (std::uint32_t bits = 1; bits < 0x7f800000U; bits += 9973) values.push_back(std::bit_cast<float>(bits));
  return values;
}

template <class Kernel, class Exact>
void expect_within(double bound, const std::vector<float>& inputs, const Kernel& kernel, const Exact& exact) {
  for (const Isa isa : supported_isas()) {
    std::vector<float> outputs = inputs;
    kernel(cpu::kernels_for(isa), outputs.data(), static_cast<std::int64_t>(outputs.size()));
    double worst = 0;
    float where = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const double distance = ulps(outputs[i], exact(static_cast<double>(inputs[i])));
      if (distance > worst) {
        worst = distance;
        where = inputs[i];
      }
    }
    EXPECT_LE(worst, bound) << "on " << isa_name(isa) << " at " << where;
  }
}

const auto exp_kernel = [](const cpu::KernelTable& kernels, float* x, std::int64_t n) { kernels.exponential(x, n); };
const auto log_kernel = [](const cpu::KernelTable& kernels, float* x, std::int64_t n) { kernels.logarithm(x, n); };
const auto sigmoid_kernel = [](const cpu::KernelTable& kernels, float* x, std::int64_t n) {
  kernels.activate(Activation::sigmoid, x, n);
};
const auto tanh_kernel = [](const cpu::KernelTable& kernels, float* x, std::int64_t n) {
  kernels.activate(Activation::tanh, x, n);
};
double exact_exp(double x) { return std::exp(x); }
double exact_log(double x) { return std::log(x); }
double exact_sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double exact_tanh(double x) { return std::tanh(x); }

TEST(VectorMath, ExponentialIsWithinTwoUlp) {
  expect_within(2, spread(-110, 92), exp_kernel, exact_exp);
  expect_within(2, spread(-1, 1), exp_kernel, exact_exp);
}

TEST(VectorMath, LogarithmIsWithinTwoUlp) {
  expect_within(2, all_magnitudes(), log_kernel, exact_log);
  expect_within(2, spread(0.5, 2), log_kernel, exact_log);
}

TEST(VectorMath, SigmoidIsWithinFourUlp) { expect_within(4, spread(-110, 110), sigmoid_kernel, exact_sigmoid); }

TEST(VectorMath, HyperbolicTangentIsWithinFourUlp) {
  expect_within(4, spread(-50, 50), tanh_kernel, exact_tanh);
  expect_within(4, spread(-1, 1), tanh_kernel, exact_tanh);
}

TEST(VectorMath, SpecialValuesGoWhereTheStandardSendsThem) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> special{infinity, -infinity, nan, 0.0F, -0.0F, -1.0F, 1e-40F, 3e38F};
  expect_within(2, special, exp_kernel, exact_exp);
  expect_within(2, special, log_kernel, exact_log);
  expect_within(4, special, sigmoid_kernel, exact_sigmoid);
  expect_within(4, special, tanh_kernel, exact_tanh);
}

}  // namespace
}  // namespace regatta::engine
