#include "regatta/report/orchestration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "regatta/report/wording.hpp"

namespace regatta::report {
namespace {

std::string whole_percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

/// Lags have a step for all that is shorter.
std::string lag_text(double seconds) { return seconds == 0 ? "less than 1 us" : duration_text(seconds); }

std::string loop_text(const results::Orchestration& self) {
  return fmt::format("messages waited {} for rank 0 (99 of 100 at most {}), {:.0f} at once (at most {:.0f})",
                     lag_text(self.lag_median_seconds), lag_text(self.lag_p99_seconds), self.inbox_median,
                     self.inbox_most);
}

std::string sync_text(const results::Orchestration& self) {
  return fmt::format("{:.0f} syncs took {} (99 of 100 at most {})", self.syncs, duration_text(self.sync_median_seconds),
                     duration_text(self.sync_p99_seconds));
}

std::string slots_text(const results::Orchestration& self) {
  const std::string worst =
      self.slots > 1 ? fmt::format(", the most idle one for {}", whole_percent(self.idle_share_most)) : "";
  return fmt::format("slots were idle for {} ({} at the end, when nothing was left for them){}",
                     whole_percent(self.idle_share), whole_percent(self.tail_share), worst);
}

}  // namespace

std::string orchestration_text(const std::vector<results::SessionRow>& sessions) {
  const auto tells = [](const results::SessionRow& row) { return !std::isnan(row.self.elapsed_seconds); };
  const auto last = std::find_if(sessions.rbegin(), sessions.rend(), tells);
  if (last == sessions.rend()) return {};
  const results::Orchestration& self = last->self;
  std::string text =
      sessions.size() > 1 ? fmt::format("session {} of {} ", sessions.rend() - last, sessions.size()) : "";
  const std::string foretold =
      std::isnan(self.foretold_seconds) ? "" : fmt::format(" (estimated {:.1f} s)", self.foretold_seconds);
  text += fmt::format("took {:.1f} s{}; orchestration took {:.2f} s of rank 0; {}", self.elapsed_seconds, foretold,
                      self.cpu_seconds, loop_text(self));
  if (self.syncs > 0) text += "; " + sync_text(self);
  if (!std::isnan(self.idle_share)) text += "; " + slots_text(self);
  return text;
}

}  // namespace regatta::report
