#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "regatta/sweep/program_results.hpp"

namespace regatta::sweep {
namespace {

/// One of it is factor * 10^exponent of the base unit of its quantity. The power stands apart because 10^-3 is no
/// double: 900 ms are 900 / 1000 s, which is 0.9 exactly as it is written.
struct Scale {
  std::string base;
  double factor = 1;
  int exponent = 0;
};

struct Word {
  std::string_view name, base;
  double factor = 1;
  int exponent = 0;
};

/// Units that have no prefix, and words for others. They come before prefixes: "min" is no milli-inch, "Pa" no peta-a.
constexpr std::array<Word, 42> words = {{{"1", "1"},
                                         {"%", "1", 1, -2},
                                         {"percent", "1", 1, -2},
                                         {"min", "s", 60},
                                         {"mins", "s", 60},
                                         {"minute", "s", 60},
                                         {"minutes", "s", 60},
                                         {"h", "s", 3600},
                                         {"hr", "s", 3600},
                                         {"hrs", "s", 3600},
                                         {"hour", "s", 3600},
                                         {"hours", "s", 3600},
                                         {"d", "s", 86400},
                                         {"day", "s", 86400},
                                         {"days", "s", 86400},
                                         {"sec", "s"},
                                         {"secs", "s"},
                                         {"second", "s"},
                                         {"seconds", "s"},
                                         {"msec", "s", 1, -3},
                                         {"millis", "s", 1, -3},
                                         {"millisecond", "s", 1, -3},
                                         {"milliseconds", "s", 1, -3},
                                         {"usec", "s", 1, -6},
                                         {"microsecond", "s", 1, -6},
                                         {"microseconds", "s", 1, -6},
                                         {"nsec", "s", 1, -9},
                                         {"nanosecond", "s", 1, -9},
                                         {"nanoseconds", "s", 1, -9},
                                         {"byte", "B"},
                                         {"bytes", "B"},
                                         {"Byte", "B"},
                                         {"Bytes", "B"},
                                         {"KB", "B", 1, 3},
                                         {"bits", "bit"},
                                         {"kelvin", "K"},
                                         {"Kelvin", "K"},
                                         {"Pa", "Pa"},
                                         {"mol", "mol"},
                                         {"eV", "eV"},
                                         {"ohm", "Ohm"},
                                         {"\xce\xa9", "Ohm"}}};

/// Units that take prefixes of SI. A name that ends in another one ("Hz" in none) needs no order.
constexpr std::array<std::string_view, 18> bases = {"s", "B", "bit", "K", "g",  "m",   "W",    "J",     "Hz",
                                                    "N", "V", "A",   "T", "Pa", "mol", "FLOP", "FLOPS", "eV"};

struct Prefix {
  std::string_view name;
  int exponent;
};

constexpr std::array<Prefix, 16> prefixes = {{{"f", -15},
                                              {"p", -12},
                                              {"n", -9},
                                              {"u", -6},
                                              {"\xc2\xb5", -6},
                                              {"\xce\xbc", -6},
                                              {"m", -3},
                                              {"c", -2},
                                              {"d", -1},
                                              {"k", 3},
                                              {"M", 6},
                                              {"G", 9},
                                              {"T", 12},
                                              {"P", 15},
                                              {"E", 18},
                                              {"a", -18}}};
constexpr std::array<std::string_view, 6> binary = {"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

bool is_base(std::string_view name) { return std::ranges::find(bases, name) != bases.end(); }

/// Nobody counts in millibytes, so "mB" is a slip, and "dB" no tenth of a byte: only lengths come in tenths.
bool takes(std::string_view base, const Prefix& prefix) {
  if (base == "B" || base == "bit" || base.starts_with("FLOP")) return prefix.exponent > 0;
  return prefix.exponent >= 3 || prefix.exponent <= -3 || base == "m";
}

std::optional<Scale> scale_of_one(std::string_view unit) {
  const auto word = std::ranges::find(words, unit, &Word::name);
  if (word != words.end()) return Scale{std::string(word->base), word->factor, word->exponent};
  if (is_base(unit)) return Scale{std::string(unit)};
  double factor = 1;
  for (const std::string_view prefix : binary) {
    factor *= 1024;
    const std::string_view rest = unit.substr(std::min(prefix.size(), unit.size()));
    if (unit.starts_with(prefix) && (rest == "B" || rest == "bit")) return Scale{std::string(rest), factor};
  }
  for (const Prefix& prefix : prefixes) {
    const std::string_view rest = unit.substr(std::min(prefix.name.size(), unit.size()));
    if (unit.starts_with(prefix.name) && is_base(rest) && takes(rest, prefix))
      return Scale{std::string(rest), 1, prefix.exponent};
  }
  return std::nullopt;
}

/// The scale of "GB/s" too: both sides of the line may have a prefix.
std::optional<Scale> scale_of(std::string_view unit) {
  const std::size_t line = unit.find('/');
  if (line == std::string_view::npos) return scale_of_one(unit);
  const auto above = scale_of_one(unit.substr(0, line)), below = scale_of_one(unit.substr(line + 1));
  if (!above || !below) return std::nullopt;
  return Scale{above->base + "/" + below->base, above->factor / below->factor, above->exponent - below->exponent};
}

double scaled(double value, const Scale& scale) {
  const double power = std::pow(10.0, std::abs(scale.exponent));
  const double whole = value * scale.factor;
  return scale.exponent < 0 ? whole / power : whole * power;
}

}  // namespace

std::optional<double> converted(double value, std::string_view from, std::string_view to) {
  if (from == to) return value;
  if ((from.empty() || from == "1") && (to.empty() || to == "1")) return value;
  const auto one = scale_of(from), other = scale_of(to);
  if (!one || !other || one->base != other->base) return std::nullopt;
  return scaled(value, {one->base, one->factor / other->factor, one->exponent - other->exponent});
}

double without_prefix(double value, std::string_view unit) {
  const auto scale = scale_of(unit);
  return scale ? scaled(value, *scale) : value;
}

}  // namespace regatta::sweep
