#include "sweep/read/ranges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "regatta/base/digest.hpp"
#include "regatta/base/random.hpp"

namespace regatta::sweep {
namespace {

/// Appends a level unless rounding gave the one before.
void add_rounded(std::vector<std::int64_t>& levels, double level, Ends ends) {
  const std::int64_t rounded = std::clamp<std::int64_t>(std::llround(level), ends.first, ends.last);
  if (levels.empty() || levels.back() < rounded) levels.push_back(rounded);
}

/// The share of the way at level `i` of `count`.
double share(std::int64_t i, std::int64_t count) { return static_cast<double>(i) / static_cast<double>(count - 1); }

/// The number that six digits name; the ends stay what they are.
double six_digits(double level, RealEnds ends) {
  constexpr int digits = 6;
  if (level <= ends.first) return ends.first;
  if (level >= ends.last) return ends.last;
  const double rounded = std::stod(fmt::format("{:.{}g}", level, digits));
  return std::clamp(rounded, ends.first, ends.last);
}

/// Step `i`; the last one may lie at the end or a rounding beyond it.
double at_step(RealEnds ends, double step, std::int64_t i) {
  return six_digits(ends.first + static_cast<double>(i) * step, ends);
}

double width(Ends ends) { return static_cast<double>(ends.last - ends.first); }

}  // namespace

std::int64_t count_of_steps(Ends ends, std::int64_t step) { return (ends.last - ends.first) / step + 1; }

double count_of_steps(RealEnds ends, double step) {
  constexpr double rounding = 1e-6;  // a share of a step: 0.1 fits four times between 0.1 and 0.5
  return std::floor((ends.last - ends.first) / step + rounding) + 1;
}

std::vector<std::int64_t> linear_steps(Ends ends, std::int64_t step) {
  std::vector<std::int64_t> levels;
  const std::int64_t count = count_of_steps(ends, step);
  for (std::int64_t i = 0; i < count; ++i) levels.push_back(ends.first + i * step);
  return levels;
}

std::vector<std::int64_t> linear_count(Ends ends, std::int64_t count) {
  std::vector<std::int64_t> levels;
  for (std::int64_t i = 0; i < count; ++i)
    add_rounded(levels, static_cast<double>(ends.first) + width(ends) * share(i, count), ends);
  return levels;
}

std::vector<std::int64_t> geometric_steps(Ends ends, double factor) {
  constexpr double half = 0.5;  // rounds down to the last level
  std::vector<std::int64_t> levels;
  for (double level = static_cast<double>(ends.first); level < static_cast<double>(ends.last) + half; level *= factor)
    add_rounded(levels, level, ends);
  return levels;
}

std::vector<std::int64_t> geometric_count(Ends ends, std::int64_t count) {
  const double ratio = static_cast<double>(ends.last) / static_cast<double>(ends.first);
  std::vector<std::int64_t> levels;
  for (std::int64_t i = 0; i < count; ++i)
    add_rounded(levels, static_cast<double>(ends.first) * std::pow(ratio, share(i, count)), ends);
  return levels;
}

std::vector<double> linear_reals(RealEnds ends, std::int64_t count) {
  std::vector<double> levels;
  for (std::int64_t i = 0; i < count; ++i)
    levels.push_back(six_digits(ends.first + (ends.last - ends.first) * share(i, count), ends));
  return levels;
}

std::vector<double> linear_reals_by(RealEnds ends, double step) {
  std::vector<double> levels;
  const auto count = static_cast<std::int64_t>(count_of_steps(ends, step));
  for (std::int64_t i = 0; i < count; ++i) levels.push_back(at_step(ends, step, i));
  return levels;
}

std::vector<double> geometric_reals(RealEnds ends, std::int64_t count) {
  std::vector<double> levels;
  for (std::int64_t i = 0; i < count; ++i)
    levels.push_back(six_digits(ends.first * std::pow(ends.last / ends.first, share(i, count)), ends));
  return levels;
}

Draws::Draws(std::int64_t seed, std::string_view axis) : seed_(0) {
  const Hash128 hash = hash128(fmt::format("{} {}", seed, axis));
  for (std::size_t i = 0; i < sizeof seed_; ++i) seed_ = seed_ << 8 | hash.bytes[i];
}

double Draws::unit(std::uint64_t row) const {
  constexpr int kept_bits = 53;
  return static_cast<double>(random_bits(seed_, row) >> (64 - kept_bits)) * 0x1p-53;
}

std::int64_t Draws::uniform(Ends ends, std::int64_t step, std::uint64_t row) const {
  const std::int64_t count = count_of_steps(ends, step);
  const auto drawn = static_cast<std::int64_t>(unit(row) * static_cast<double>(count));
  return ends.first + std::min(drawn, count - 1) * step;
}

std::int64_t Draws::log_uniform(Ends ends, std::uint64_t row) const {
  const double low = std::log(static_cast<double>(ends.first));
  const double high = std::log(static_cast<double>(ends.last) + 1);
  return std::clamp(static_cast<std::int64_t>(std::exp(low + unit(row) * (high - low))), ends.first, ends.last);
}

double Draws::real(RealEnds ends, std::uint64_t row) const {
  return six_digits(ends.first + unit(row) * (ends.last - ends.first), ends);
}

double Draws::real_by(RealEnds ends, double step, std::uint64_t row) const {
  const double count = count_of_steps(ends, step);
  return at_step(ends, step, static_cast<std::int64_t>(std::min(std::floor(unit(row) * count), count - 1)));
}

double Draws::log_real(RealEnds ends, std::uint64_t row) const {
  return six_digits(ends.first * std::pow(ends.last / ends.first, unit(row)), ends);
}

std::size_t Draws::choice(std::size_t size, std::uint64_t row) const {
  return std::min(static_cast<std::size_t>(unit(row) * static_cast<double>(size)), size - 1);
}

}  // namespace regatta::sweep
