#include "ranks/time_left.hpp"

namespace regatta::launcher {

void TimeLeft::add(const std::string& kind, double expected_seconds) {
  Kind& known = kinds_[kind];
  ++known.open;
  ++known.all;
  known.expected_seconds += (expected_seconds - known.expected_seconds) / static_cast<double>(known.all);
}

void TimeLeft::done(const std::string& kind, std::optional<double> seconds) {
  Kind& known = kinds_[kind];
  if (known.open > 0) --known.open;
  if (!seconds) return;
  ++known.done;
  known.done_seconds += *seconds;
}

double TimeLeft::scale() const {
  double expected = 0;
  double taken = 0;
  for (const auto& [name, kind] : kinds_) {
    expected += kind.expected_seconds * static_cast<double>(kind.done);
    taken += kind.done_seconds;
  }
  return expected > 0 ? taken / expected : 1;
}

double TimeLeft::cost(const Kind& kind, double scale) {
  return kind.done > 0 ? kind.done_seconds / static_cast<double>(kind.done) : kind.expected_seconds * scale;
}

double TimeLeft::seconds() const {
  const double off = scale();
  double left = 0;
  for (const auto& [name, kind] : kinds_) left += static_cast<double>(kind.open) * cost(kind, off);
  return left;
}

double TimeLeft::seconds_of(const std::string& kind) const {
  const auto known = kinds_.find(kind);
  return known == kinds_.end() ? 0 : cost(known->second, scale());
}

}  // namespace regatta::launcher
