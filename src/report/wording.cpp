#include "regatta/report/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "regatta/base/units.hpp"

namespace regatta::report {
namespace {

using analysis::Difference;
using analysis::JudgedRatio;
using analysis::metric;

double at_least_one(double ratio) { return ratio < 1 ? 1 / ratio : ratio; }

std::string digits(double times) {
  if (!std::isfinite(times)) return std::string(dash);
  if (times >= 99.95) return fmt::format("{:.0f}", times);
  if (times >= 9.995) return fmt::format("{:.1f}", times);
  return fmt::format("{:.{}f}", times, times < 1.0995 ? 3 : 2);
}

/// Beside a figure that counts in its direction the ends need no words.
bool points_to(double end, bool faster) { return faster ? end <= 1 : end >= 1; }

}  // namespace

std::string quantile_text(const results::TrialRow& trial, sweep::Metric wanted) {
  const std::string name(sweep::info(wanted).name);
  const std::string value = duration_text(metric(trial, name));
  const auto low = metric(trial, name + "_low"), high = metric(trial, name + "_high");
  return low && high ? fmt::format("{} [{}, {}]", value, duration_text(low), duration_text(high)) : value;
}

std::string value_text(std::optional<double> value, sweep::Metric wanted) {
  return sweep::info(wanted).unit == "byte" ? size_text(value) : duration_text(value);
}

std::string figure_text(const results::TrialRow& trial, sweep::Metric wanted) {
  if (sweep::is_step_time(wanted)) return duration_text(metric(trial, "step_time"));
  return value_text(metric(trial, std::string(sweep::info(wanted).name)), wanted);
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

std::string steps_text(double steps) {
  return steps < 1e5 ? fmt::format("{:.0f}", std::ceil(steps * (1 - 1e-9))) : fmt::format("{:.2g}", steps);
}

std::string times_text(double ratio) { return digits(at_least_one(ratio)) + "x"; }

std::string takes_text(double ratio) {
  if (!std::isfinite(ratio)) return std::string(dash);
  if (ratio >= 99.95) return ratio < 1e5 ? fmt::format("{:.0f}", ratio) : fmt::format("{:.3g}", ratio);
  if (ratio >= 9.995) return fmt::format("{:.1f}", ratio);
  if (std::abs(ratio - 1) < 0.0995) return fmt::format("{:.3f}", ratio);
  return ratio >= 0.0995 ? fmt::format("{:.2f}", ratio) : fmt::format("{:.2g}", ratio);
}

std::string directed_text(double ratio, sweep::Metric wanted) {
  const std::string times = times_text(ratio);
  if (times == times_text(1)) return times;
  const sweep::MetricInfo& info = sweep::info(wanted);
  return fmt::format("{} {}", times, ratio < 1 ? info.less : info.more);
}

std::string directed_interval(double ratio, std::optional<double> low, std::optional<double> high,
                              sweep::Metric wanted) {
  if (!low || !high) return {};
  const bool faster = ratio < 1;
  if (!points_to(*low, faster) || !points_to(*high, faster))
    return fmt::format("[{}, {}]", directed_text(*low, wanted), directed_text(*high, wanted));
  return fmt::format("[{}, {}]", digits(at_least_one(faster ? *high : *low)),
                     digits(at_least_one(faster ? *low : *high)));
}

namespace {

/// More than a factor of 2 either way.
bool is_wide_open(const JudgedRatio& judged) {
  constexpr double wide = 2;
  return judged.low.value_or(1) < 1 / wide && judged.high.value_or(1) > wide;
}

/// As many decimals as its interval knows.
int decimals_of(const Difference& difference) {
  constexpr int most = 9;
  const double half =
      difference.low && difference.high ? (*difference.high - *difference.low) / 2 : std::abs(difference.value) / 10;
  if (!(half > 0)) return 2;
  const double places = std::floor(std::log10(half));
  const bool is_small = half / std::pow(10, places) < 2;  // 0.015 needs a digit more than 0.02
  return static_cast<int>(std::clamp(-places + (is_small ? 1 : 0), 0.0, static_cast<double>(most)));
}

/// "0.10 higher"; a difference that reads 0.00 has no direction.
std::string directed_difference(double value, int decimals, sweep::Metric wanted) {
  const std::string size = fmt::format("{:.{}f}", std::abs(value), decimals);
  if (size == fmt::format("{:.{}f}", 0.0, decimals)) return size;
  return fmt::format("{} {}", size, value < 0 ? sweep::info(wanted).less : sweep::info(wanted).more);
}

std::string difference_interval(const Difference& difference, int decimals, sweep::Metric wanted, bool needs_words) {
  if (!difference.low || !difference.high) return {};
  const double low = *difference.low, high = *difference.high;
  if (needs_words || (low < 0) != (high < 0))
    return fmt::format("[{}, {}]", directed_difference(low, decimals, wanted),
                       directed_difference(high, decimals, wanted));
  return fmt::format("[{:.{}f}, {:.{}f}]", std::abs(low < 0 ? high : low), decimals, std::abs(low < 0 ? low : high),
                     decimals);
}

RatioWords words_of_difference(const JudgedRatio& judged) {
  const Difference& difference = *judged.difference;
  const int decimals = decimals_of(difference);
  const bool points_somewhere = judged.verdict == stats::Verdict::faster || judged.verdict == stats::Verdict::slower;
  RatioWords words{directed_difference(difference.value, decimals, judged.metric),
                   difference_interval(difference, decimals, judged.metric, !points_somewhere),
                   {}};
  if (judged.verdict == stats::Verdict::same) words.figure = fmt::format("the same within {:.3g}", difference.margin);
  if (judged.verdict == stats::Verdict::undecided)
    words.figure = "not known yet";  // a figure would be believed
  else if (judged.early)
    words.remark = "early";
  return words;
}

}  // namespace

RatioWords words_of(const JudgedRatio& judged) {
  if (judged.difference) return words_of_difference(judged);
  RatioWords words{directed_text(judged.ratio, judged.metric),
                   directed_interval(judged.ratio, judged.low, judged.high, judged.metric),
                   {}};
  switch (judged.verdict) {
    case stats::Verdict::same:
      words.figure = times_text(judged.ratio) + ", same";
      break;
    case stats::Verdict::undecided:  // a figure would be believed
      words.figure = "not known yet";
      if (judged.low && judged.high) {  // no figure says which way they count: each has its word
        const std::string low = directed_text(*judged.low, judged.metric);
        const std::string high = directed_text(*judged.high, judged.metric);
        words.interval = is_wide_open(judged) ? fmt::format("[anything from {} to {}]", low, high)
                                              : fmt::format("[{}, {}]", low, high);
      }
      return words;
    case stats::Verdict::faster:
    case stats::Verdict::slower:
      break;
  }
  if (judged.early) words.remark = "early";
  return words;
}

std::string ratio_text(const JudgedRatio& judged, const std::string& behind) {
  const RatioWords words = words_of(judged);
  return words.figure + (words.interval.empty() ? "" : " " + words.interval) + behind +
         (words.remark.empty() ? "" : ", " + words.remark);
}

std::string interval_text(const JudgedRatio& judged) {
  const RatioWords words = words_of(judged);
  const bool both = !words.interval.empty() && !words.remark.empty();
  return words.interval + (both ? ", " : "") + words.remark;
}

}  // namespace regatta::report
