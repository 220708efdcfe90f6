#include "support/planted_load.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

#include "regatta/base/error.hpp"
#include "regatta/base/random.hpp"

namespace regatta::testing {
namespace {

constexpr double slow_after_resume_factor = 2;

template <class Number>
Number number(std::string_view option, std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < Number{})
    throw InputError(std::string(option) + ": found '" + std::string(text) + "', expected a number of at least 0");
  return value;
}

std::vector<std::int64_t> numbers(std::string_view option, std::string_view text) {
  std::vector<std::int64_t> values;
  for (;;) {
    const std::size_t comma = text.find(',');
    values.push_back(number<std::int64_t>(option, text.substr(0, comma)));
    if (comma == std::string_view::npos) return values;
    text.remove_prefix(comma + 1);
  }
}

/// "5ms" or "20us".
std::int64_t nanoseconds(std::string_view option, std::string_view text) {
  constexpr std::pair<std::string_view, double> units[] = {{"ms", 1e6}, {"us", 1e3}};
  for (const auto& [unit, scale] : units) {
    if (!text.ends_with(unit)) continue;
    const double value = number<double>(option, text.substr(0, text.size() - unit.size()));
    return std::llround(value * scale);
  }
  throw InputError(std::string(option) + ": found '" + std::string(text) + "', expected a time such as 5ms or 20us");
}

std::pair<std::string_view, std::string_view> halves(std::string_view option, std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos)
    throw InputError(std::string(option) + ": found '" + std::string(text) + "', expected two values with a : between");
  return {text.substr(0, colon), text.substr(colon + 1)};
}

bool set_disturbance(PlantedOptions& options, std::string_view name, std::string_view value) {
  if (name == "--slow-after-resume") {
    options.slow_after_resume_ns = nanoseconds(name, value);
  } else if (name == "--slow-first") {
    const auto [factor, path] = halves(name, value);
    options.slow_first = number<double>(name, factor);
    options.shared_path = path;
  } else if (name == "--free-steps") {
    options.free_steps = number<std::int64_t>(name, value);
  } else if (name == "--spikes") {
    const auto [share, factor] = halves(name, value);
    options.spike_every = std::llround(1 / number<double>(name, share));
    options.spike_factor = number<double>(name, factor);
  } else if (name == "--lattice") {
    options.lattice_ns = nanoseconds(name, value);
  } else if (name == "--call-jitter") {
    options.call_jitter = number<double>(name, value);
  } else {
    return false;
  }
  return true;
}

void set_option(PlantedOptions& options, std::string_view name, std::string_view value) {
  if (set_disturbance(options, name, value)) return;
  if (name == "--multiplies") {
    options.multiplies = numbers(name, value);
  } else if (name == "--speed-sigma") {
    options.speed_sigma = number<double>(name, value);
  } else if (name == "--seed") {
    options.seed = number<std::uint64_t>(name, value);
  } else if (name == "--standalone") {
    options.standalone_steps = number<std::int64_t>(name, value);
  } else {
    throw InputError("unknown option '" + std::string(name) + "'");
  }
}

/// Uniform in (0, 1).
double open_unit(std::uint64_t seed, std::uint64_t counter) {
  return (static_cast<double>(random_bits(seed, counter) >> 11) + 0.5) * 0x1p-53;
}

/// Standard normal (Box and Muller, 1958).
double normal(std::uint64_t seed) {
  return std::sqrt(-2 * std::log(open_unit(seed, 0))) * std::cos(2 * std::numbers::pi * open_unit(seed, 1));
}

constexpr std::uint64_t first_call_draw = 2;  // 0 and 1 give the speed

}  // namespace

const char* const planted_usage =
    "usage: planted-worker [--multiplies N[,N...]] [--seed N] [--speed-sigma SIGMA] [--slow-after-resume 5ms]\n"
    "                      [--slow-first FACTOR:SHARED_FILE] [--free-steps N] [--spikes SHARE:FACTOR]\n"
    "                      [--lattice 10us] [--call-jitter SHARE] [--fold] [--standalone STEPS]\n";

PlantedOptions parse_planted_options(const std::vector<std::string>& words) {
  PlantedOptions options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--fold") {
      options.fold = true;
      continue;
    }
    if (i + 1 == words.size()) throw InputError("option '" + words[i] + "' needs a value, or is unknown");
    set_option(options, words[i], words[i + 1]);
    ++i;
  }
  return options;
}

PlantedLoad::PlantedLoad(const PlantedOptions& options, std::uint64_t pid, Clock clock)
    : options_(options), draws_(random_bits(options.seed, pid)), clock_(std::move(clock)) {
  speed_ = std::exp(options_.speed_sigma * normal(draws_));
  prepare(0);
}

void PlantedLoad::prepare(std::int64_t repetition) {
  const auto at = std::min(static_cast<std::size_t>(repetition), options_.multiplies.size() - 1);
  multiplies_ = speed_ * static_cast<double>(options_.multiplies[at]);
}

void PlantedLoad::begin_slice(bool is_first) {
  slice_ = is_first ? options_.slow_first : 1;
  const std::int64_t now = clock_();
  const bool resumed = !slice_end_ns_ || now - *slice_end_ns_ > resume_gap_ns;
  if (!resumed) return;
  free_left_ = options_.free_steps;
  if (options_.slow_after_resume_ns > 0) slow_until_ns_ = now + options_.slow_after_resume_ns;
}

void PlantedLoad::begin_call() {
  if (options_.call_jitter == 0) return;
  const auto draw = first_call_draw + static_cast<std::uint64_t>(calls_++);
  call_ = 1 + options_.call_jitter * (2 * open_unit(draws_, draw) - 1);
}

std::int64_t PlantedLoad::next_step() {
  if (options_.fold) return 0;
  ++steps_;
  if (free_left_ > 0) {
    --free_left_;
    return 0;
  }
  double factor = slice_ * call_;
  if (options_.spike_every > 0 && steps_ % options_.spike_every == 0) factor *= options_.spike_factor;
  if (slow_until_ns_) {
    if (clock_() < *slow_until_ns_) {
      factor *= slow_after_resume_factor;
    } else {
      slow_until_ns_.reset();
    }
  }
  return std::llround(multiplies_ * factor);
}

std::int64_t PlantedLoad::call_end(std::int64_t start_ns, std::int64_t now_ns) const {
  if (options_.lattice_ns == 0) return now_ns;
  std::int64_t length = options_.lattice_ns;
  while (length < now_ns - start_ns) length *= 2;
  return start_ns + length;
}

void PlantedLoad::end_slice() { slice_end_ns_ = clock_(); }

}  // namespace regatta::testing
