#include "regatta/analysis/wording.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

namespace regatta::analysis {
namespace {

std::string digits(double ratio) {
  const double size = std::abs(ratio);
  if (!std::isfinite(ratio)) return std::string(dash);
  if (size >= 99.95) return fmt::format("{:.0f}", ratio);
  if (size >= 9.995) return fmt::format("{:.1f}", ratio);
  if (size >= 0.9 && size < 1.1) return fmt::format("{:.3f}", ratio);
  if (size >= 0.0995) return fmt::format("{:.2f}", ratio);
  return fmt::format("{:.2g}", ratio);
}

}  // namespace

std::optional<double> metric(const results::TrialRow& trial, const std::string& name) {
  const auto found = trial.metrics.find(name);
  if (found == trial.metrics.end() || !std::isfinite(found->second)) return std::nullopt;
  return found->second;
}

std::string duration_text(std::optional<double> seconds) {
  return seconds ? format_duration(*seconds) : std::string(dash);
}

std::string rate_text(std::optional<double> per_second) {
  if (!per_second) return std::string(dash);
  constexpr std::array<std::pair<double, std::string_view>, 4> scales = {
      {{1e9, " G"}, {1e6, " M"}, {1e3, " k"}, {1, ""}}};
  for (const auto& [factor, suffix] : scales) {
    const double value = *per_second / factor;
    if (value >= 0.9995 || factor == 1) {
      return fmt::format("{:.{}f}{}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, suffix);
    }
  }
  return std::string(dash);
}

std::string size_text(std::optional<double> bytes) {
  return bytes && *bytes >= 0 ? format_size(static_cast<std::uint64_t>(*bytes)) : std::string(dash);
}

std::string ratio_text(double ratio) { return digits(ratio) + "x"; }

std::string interval_text(std::optional<double> low, std::optional<double> high) {
  return low && high ? fmt::format("[{}, {}]", digits(*low), digits(*high)) : std::string();
}

}  // namespace regatta::analysis
