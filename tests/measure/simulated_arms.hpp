// Arms without processes: a model of what machines do to times, in virtual time, and a record of what they were asked.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "regatta/measure/arms.hpp"
#include "regatta/sweep/block_task.hpp"

namespace regatta::measure {

/// A slice that is about to run.
struct SimulatedSlice {
  std::uint32_t arm = 0;
  std::uint32_t process = 0;  ///< counts the processes of this arm from 0
  stats::Phase phase = stats::Phase::steady;
  std::uint64_t number = 0;  ///< counts the scored slices of all arms in the order of time
};

/// The machine's effect on a slice.
struct Disturbed {
  double log_time = 0;                     ///< the slice over its nominal time
  std::uint8_t flags = 0;                  ///< disturbances of it
  std::function<double()> each_call = {};  ///< log of what happens to each of its samples besides
};

struct SimulatedArm {
  double step_seconds = 1e-4;
  double start_seconds = 0.01;         ///< half of it for the model
  std::int64_t slow_when_fresh = 0;    ///< first steps of a process that take twice as long
  double lazy_factor = 1;              ///< factor on the second to fourth step of a process, which initialise something
  std::int64_t slow_when_resumed = 0;  ///< first steps after a pause that take twice as long
  std::int64_t steps_per_call = 1;
  double unreported_seconds = 0;       ///< time that a step takes and does not count
  std::uint64_t peak_bytes = 1 << 20;  ///< bytes that its worker says it needs
  std::uint64_t seen_bytes = 0;        ///< bytes that it is seen to use after a slice; 0: nobody looks
  std::uint64_t kept_bytes = 0;        ///< the same, more with each step
  std::optional<double> result = {};   ///< the result that it tells with each slice
  std::optional<protocol::DeviceMemory> device_memory = std::nullopt;
  std::vector<std::vector<double>> losses = {{1.0}};  ///< losses that check reports
  std::vector<std::vector<double>> shaken = {};       ///< with weights that are rounded otherwise
  std::vector<std::vector<double>> exact = {};        ///< in double precision
  std::optional<protocol::Evidence> evidence = {};    ///< beside `losses`
  std::optional<protocol::OwnWeights> own_weights = std::nullopt;
};

/// The requests to an arm.
enum class Verb : std::uint8_t {
  prepare,
  begin,
  renew,
  slice,
  train,
  check,
  park,
  resume,
  evict,
  clear,
  release,
  calibrate
};
struct Asked {
  Verb verb;
  std::uint32_t arm = 0;
  stats::Phase phase = stats::Phase::steady;  ///< for slices
  stats::ArmSlices length = {};               ///< for slices
  std::size_t block = 0;                      ///< the block that owns the arm, where a group shares the processes
  bool operator==(const Asked& other) const { return verb == other.verb && arm == other.arm && phase == other.phase; }
};

/// The stand that it was told, and when.
struct Told {
  double seconds = 0;
  protocol::BlockStand stand;
};

class SimulatedArms : public Arms {
 public:
  explicit SimulatedArms(std::vector<SimulatedArm> arms);

  // Settings for tests.
  std::vector<SimulatedArm> arms;
  std::function<Disturbed(const SimulatedSlice&)> noise = [](const SimulatedSlice&) { return Disturbed(); };
  /// Factor of what a process takes to start, its model included.
  std::function<double(std::uint32_t arm, std::uint32_t process)> start_factor = [](auto, auto) { return 1; };
  std::function<void(const Asked&)> before = [](const Asked&) {};  ///< may throw ArmEnded, ArmDied or Interrupted
  std::function<bool()> drain = [] { return false; };
  std::size_t places = 0;  ///< for processes that begin beside others
  std::uint64_t machine_bytes = std::uint64_t{1} << 40;
  std::vector<double> core_peaks;               ///< peaks that successive calibrations find
  std::vector<DevicePeaks> device_peaks_found;  ///< the same of the device
  bool whole_slices = false;                    ///< one sample for each phase of a slice: quick to judge
  bool constant_clock = false;                  ///< slices take their nominal time on the clock, whatever they report

  sweep::Learned learned;  ///< by each leg
  std::size_t block = 0;   ///< the block that owns the arms now

  // Records for tests to look at.
  std::vector<TrainRequest> trained;
  std::vector<Asked> asked;
  std::vector<Told> told;
  std::vector<std::string> broken_rules;  ///< an arm was asked for something while it, or not it alone, was awake

  [[nodiscard]] std::size_t count(Verb verb, std::uint32_t arm) const;
  [[nodiscard]] std::vector<Asked> slices(std::uint32_t arm, stats::Phase phase) const;

  Prepared prepare(ArmIndex arm) override;
  Prepared renew(ArmIndex arm) override;
  void begin_renewals(const std::vector<ArmIndex>& of) override;
  [[nodiscard]] std::size_t places_beside() const override { return places; }
  SliceResult slice(ArmIndex arm, const SliceRequest& request) override;
  sweep::Learned train(ArmIndex arm, const TrainRequest& request) override;
  protocol::Checked check(ArmIndex arm, std::int64_t steps, protocol::CheckAs as) override;
  void park(ArmIndex arm) override;
  void resume(ArmIndex arm) override;
  void evict(ArmIndex arm) override;
  void clear(ArmIndex arm) override;
  void release(ArmIndex arm) override;
  [[nodiscard]] sweep::ArmOutcome report(ArmIndex arm) const override;
  [[nodiscard]] std::uint64_t memory_bytes() const override { return machine_bytes; }
  std::optional<double> core_peak_flops_per_second(Calibrate how) override;
  std::optional<DevicePeaks> device_peaks(Calibrate how) override;
  [[nodiscard]] bool interrupted() const override { return drain(); }
  void tell(const protocol::BlockStand& stand) override { told.push_back({now_seconds_, stand}); }
  [[nodiscard]] double now() const override { return now_seconds_; }

 private:
  struct Process {
    bool lives = false;
    bool begins = false;          ///< beside others; renew waits for it
    double imported_seconds = 0;  ///< when it has imported what it needs, if it began beside others
    bool awake = false;
    std::uint32_t started = 0;  ///< processes of this arm so far
    std::int64_t steps = 0;     ///< steps of this process
    std::int64_t since_resume = 0;
    bool is_scored = false;  ///< it has run a scored slice
  };

  void ask(const Asked& what);
  void expect_alone(std::uint32_t arm, bool awake);
  Prepared start(std::uint32_t arm);
  Prepared build(std::uint32_t arm);
  double step_seconds(std::uint32_t arm);
  [[nodiscard]] std::uint64_t resident_bytes(std::uint32_t arm) const;
  void calibrate(Calibrate how, std::size_t& calibrations);
  void run_steps(SliceResult& result, std::uint32_t arm, const SliceRequest& request, stats::Phase phase,
                 std::int64_t steps, std::int64_t group, const Disturbed& disturbed);

  std::vector<Process> processes_;
  double now_seconds_ = 0;
  std::uint64_t scored_ = 0;
  std::size_t calibrations_ = 0;
  std::size_t device_calibrations_ = 0;
};

/// Noise by which every other process of an arm is slow and the others are fast: nothing is decided.
Disturbed undecidable(const SimulatedSlice& slice);

/// A block of so many arms with a baseline, that has this much time.
sweep::BlockTask comparison(std::size_t arms, double seconds);

}  // namespace regatta::measure
