// The cost of work in virtual time: the CPU time that the shipped code takes while it runs here, or a fixed figure. The
// link is not there: its costs are those that bench_link measured.
#pragma once

#include <cstddef>
#include <ctime>
#include <optional>
#include <utility>

namespace regatta::scale {

/// CPU time of this thread, in seconds.
inline double thread_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// A message costs so much, and so much more for each of its bytes.
struct MessageCost {
  double seconds = 0;
  double byte_seconds = 0;
  [[nodiscard]] double of(std::size_t bytes) const { return seconds + byte_seconds * static_cast<double>(bytes); }
};

/// CPU time of a rank in its MPI link (launcher/ranks/mpi_link.hpp).
struct LinkCosts {
  double probe_seconds = 0;  ///< a poll that finds nothing
  MessageCost receive = {};  ///< a poll that finds a message
  MessageCost send = {};
};

/// Says what running something costs.
class Meter {
 public:
  /// `fixed_seconds`: everything costs that, so that a run can be repeated exactly; nothing: what it takes.
  explicit Meter(std::optional<double> fixed_seconds) : fixed_seconds_(fixed_seconds) {
    if (!fixed_seconds) clock_seconds_ = clock_cost();
  }

  template <class Work>
  double operator()(Work&& work) const {
    if (fixed_seconds_) {
      work();
      return *fixed_seconds_;
    }
    const double start = thread_seconds();
    work();
    const double taken = thread_seconds() - start - clock_seconds_;
    return taken > 0 ? taken : 0;
  }

 private:
  static double clock_cost() {
    constexpr int calls = 10'000;
    const double start = thread_seconds();
    for (int i = 0; i < calls; ++i) static_cast<void>(thread_seconds());
    return (thread_seconds() - start) / calls;
  }

  std::optional<double> fixed_seconds_;
  double clock_seconds_ = 0;  ///< cost of one look at the clock
};

}  // namespace regatta::scale
