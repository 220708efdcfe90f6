#include "measure/forecast.hpp"

#include <algorithm>
#include <cmath>

#include "regatta/stats/rules.hpp"

namespace regatta::measure {
namespace {

namespace rules = stats::rules;

constexpr std::int64_t most_pairs = 100'000;  // so many are not counted one by one
constexpr double shortest_square_seconds = 1e-6;

/// Mean of those that were seen and that `counts` takes; nothing if there is none.
template <class Counts>
std::optional<double> mean_of_seen(std::span<const SeenArm> arms, const Counts& counts) {
  double seconds = 0;
  std::size_t seen = 0;
  for (const SeenArm& arm : arms) {
    if (!arm.seconds || !counts(arm)) continue;
    seconds += *arm.seconds;
    ++seen;
  }
  return seen > 0 ? std::optional(seconds / static_cast<double>(seen)) : std::nullopt;
}

/// The block as it goes on.
class Course {
 public:
  explicit Course(const SquaresToGo& squares)
      : square_seconds_(std::max(squares.square_seconds, shortest_square_seconds)),
        squares_(static_cast<double>(squares.squares)),
        left_(squares.squares_left),
        wall_seconds_(squares.wall_seconds) {}

  void wait(double seconds) { seconds_ += seconds; }

  /// Nobody leaves a pair that has begun but at the end of the time: after a square that just fits.
  void serve(double squares) {
    const double in_time = std::ceil(std::max(0.0, wall_seconds_ - seconds_) / square_seconds_);
    const double served = std::clamp(squares, 0.0, std::min(left_, in_time));
    seconds_ += served * square_seconds_;
    squares_ += served;
    left_ -= served;
  }

  void pay(double squares) { left_ -= squares; }

  /// Once an interval has enough squares without it, only whole pairs are begun.
  [[nodiscard]] bool has_squares(const SquaresToGo& plan, double price) const {
    const bool has_enough = plan.pays_starts && squares_ >= static_cast<double>(rules::fewest_units);
    return left_ >= (has_enough ? static_cast<double>(plan.squares_each) : 1) + price;
  }

  [[nodiscard]] bool has_wall_time(double seconds) const { return seconds_ + seconds <= wall_seconds_; }
  [[nodiscard]] double seconds() const { return seconds_; }
  [[nodiscard]] double square_seconds() const { return square_seconds_; }

 private:
  double square_seconds_;
  double squares_;
  double left_;
  double wall_seconds_;
  double seconds_ = 0;
};

}  // namespace

std::vector<double> filled(std::span<const SeenArm> arms) {
  const double of_all = mean_of_seen(arms, [](const SeenArm&) { return true; }).value_or(0);
  std::vector<double> seconds;
  for (const SeenArm& arm : arms) {
    const auto of_engine = mean_of_seen(arms, [&](const SeenArm& other) { return other.engine == arm.engine; });
    seconds.push_back(arm.seconds.value_or(of_engine.value_or(of_all)));
  }
  return seconds;
}

Forecast forecast(const SquaresToGo& squares) {
  Course course(squares);
  const auto each = static_cast<double>(squares.squares_each);
  double reckoned_seconds = squares.reckoned_start_seconds.value_or(squares.start_seconds);
  std::int64_t pairs = squares.pairs;
  course.wait(squares.before_seconds);
  course.serve(each - static_cast<double>(squares.served));
  while (pairs < most_pairs) {
    const bool pays = squares.pays_starts && pairs >= static_cast<std::int64_t>(rules::enough_process_pairs);
    const double price = pays ? std::max(0.0, reckoned_seconds / course.square_seconds() - each) : 0;
    if (!course.has_squares(squares, price)) break;
    if (!course.has_wall_time(reckoned_seconds + each * course.square_seconds())) break;
    reckoned_seconds = squares.start_seconds;  // by then it has seen one
    ++pairs;
    course.pay(price);
    course.wait(squares.start_seconds);
    course.serve(each);
  }
  return {pairs, course.seconds()};
}

}  // namespace regatta::measure
