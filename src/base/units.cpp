#include "regatta/base/units.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace regatta {
namespace {

struct Quantity {
  double number;
  std::string_view unit;
};

std::optional<Quantity> split(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !std::isfinite(number) || number < 0) return std::nullopt;
  return Quantity{number, text.substr(static_cast<std::size_t>(end - text.data()))};
}

using Scale = std::pair<std::string_view, double>;

constexpr std::array<Scale, 6> duration_units = {
    {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}}};
constexpr std::array<Scale, 8> size_units = {{{"B", 1},
                                              {"KiB", 1024},
                                              {"MiB", 1048576},
                                              {"GiB", 1073741824},
                                              {"TiB", 1099511627776},
                                              {"KB", 1e3},
                                              {"MB", 1e6},
                                              {"GB", 1e9}}};

template <std::size_t N>
std::optional<double> scaled(std::string_view text, const std::array<Scale, N>& units) {
  const auto quantity = split(text);
  if (!quantity) return std::nullopt;
  for (const auto& [unit, factor] : units) {
    if (quantity->unit == unit && std::isfinite(quantity->number * factor)) return quantity->number * factor;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> parse_duration(std::string_view text) { return scaled(text, duration_units); }

std::optional<std::uint64_t> parse_size(std::string_view text) {
  const auto bytes = scaled(text, size_units);
  if (!bytes || *bytes > 9e18) return std::nullopt;
  return static_cast<std::uint64_t>(*bytes);
}

std::optional<double> parse_percent(std::string_view text) {
  const auto quantity = split(text);
  if (!quantity || quantity->unit != "%") return std::nullopt;
  return quantity->number / 100;
}

std::string format_duration(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  constexpr std::array<Scale, 4> shown = {{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};
  for (const auto& [unit, factor] : shown) {
    if (std::abs(seconds) >= factor || unit == "ns") {
      const double value = seconds / factor;
      return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, unit);
    }
  }
  return "-";
}

std::string format_size(std::uint64_t bytes) {
  constexpr std::array<Scale, 4> shown = {
      {{"TiB", 1099511627776}, {"GiB", 1073741824}, {"MiB", 1048576}, {"KiB", 1024}}};
  for (const auto& [unit, factor] : shown) {
    if (static_cast<double>(bytes) >= factor)
      return fmt::format("{:.1f} {}", static_cast<double>(bytes) / factor, unit);
  }
  return fmt::format("{} B", bytes);
}

}  // namespace regatta
