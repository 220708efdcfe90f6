// Quantities as people write them: "300s", "8GiB", "1%". Values inside are seconds, bytes and fractions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace regatta {

/// "20us", "5ms", "300s", "10m", "2h" -> seconds. Nothing for anything else, negative or not finite.
std::optional<double> parse_duration(std::string_view text);

/// "4096B", "4KiB", "64MiB", "8GiB", "8GB" (decimal) -> bytes.
std::optional<std::uint64_t> parse_size(std::string_view text);

/// "1%", "0.5%" -> 0.01, 0.005.
std::optional<double> parse_percent(std::string_view text);

/// 1.23e-6 -> "1.23 us": three significant digits and a unit that keeps the number readable.
std::string format_duration(double seconds);

/// 8589934592 -> "8.0 GiB".
std::string format_size(std::uint64_t bytes);

}  // namespace regatta
