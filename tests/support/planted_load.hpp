// The work of a planted worker's steps: numbers of dependent multiplies, decided by options, seed and clock alone.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace regatta::testing {

struct PlantedOptions {
  std::vector<std::int64_t> multiplies = {40000};  ///< in a step of repetition 0, 1, ...; the last for all that follow
  double speed_sigma = 0;                          ///< each process is slower by exp(N(0, sigma)), drawn at its start
  std::int64_t slow_after_resume_ns = 0;           ///< twice the multiplies for so long after a resume
  double slow_first = 1;                           ///< so much slower in the first scored slice after processes start
  std::string shared_path;                         ///< file in which the workers of a run see who is first
  std::int64_t free_steps = 0;                     ///< steps after a resume that cost nothing
  std::int64_t spike_every = 0;                    ///< each so-manieth step is a spike; 0: none
  double spike_factor = 1;
  std::int64_t lattice_ns = 0;  ///< calls end on lattice_ns * 2^k after their start; a call is one sample's steps
  double call_jitter = 0;       ///< each call's work is scaled by a draw from 1 - jitter to 1 + jitter
  bool fold = false;            ///< no step does anything
  std::uint64_t seed = 0;
  std::optional<std::int64_t> standalone_steps;  ///< run so many steps and exit, without a link
};

extern const char* const planted_usage;

/// Throws InputError, naming the option.
PlantedOptions parse_planted_options(const std::vector<std::string>& words);

/// The load of one process. Times are nanoseconds of the clock that it is given.
class PlantedLoad {
 public:
  using Clock = std::function<std::int64_t()>;
  PlantedLoad(const PlantedOptions& options, std::uint64_t pid, Clock clock);

  /// `repetition` chooses among `multiplies`.
  void prepare(std::int64_t repetition);
  /// `is_first`: no other scored slice has run since processes were started.
  void begin_slice(bool is_first);
  void begin_call();
  /// Multiplies of the next step.
  std::int64_t next_step();
  /// When a call that began at `start_ns` and whose work is done at `now_ns` ends.
  [[nodiscard]] std::int64_t call_end(std::int64_t start_ns, std::int64_t now_ns) const;
  void end_slice();

  /// A silence longer than this before a slice is a resume: the others ran.
  static constexpr std::int64_t resume_gap_ns = 5'000'000;

 private:
  PlantedOptions options_;
  std::uint64_t draws_;  ///< seed of this process
  Clock clock_;
  double multiplies_ = 0;
  double speed_ = 1;
  double call_ = 1;
  double slice_ = 1;
  std::int64_t calls_ = 0;
  std::int64_t steps_ = 0;
  std::int64_t free_left_ = 0;
  std::optional<std::int64_t> slow_until_ns_;
  std::optional<std::int64_t> slice_end_ns_;
};

}  // namespace regatta::testing
