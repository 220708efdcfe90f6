// The blocks and slices of each slot over time, in Chrome's trace event format.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "regatta/analysis/labels.hpp"
#include "regatta/report/export.hpp"
#include "regatta/stats/disturbance_flags.hpp"
#include "report/export/export.hpp"
#include "report/export/json_values.hpp"

namespace regatta::report {
namespace {

/// The readings of the device, by the names of /blocks.
Json device_json(const sweep::DeviceReadings& device) {
  Json told = Json::object();
  const auto add = [&](const std::string& name, double value) {
    if (!std::isnan(value)) told[name] = value;
  };
  for (const sweep::DeviceFigureInfo& row : sweep::device_figure_table) {
    const std::string name(row.column);
    if (!row.counts) add(name + "_before", sweep::figure_of(device.before, row.figure));
    add(row.counts ? name : name + "_after", sweep::figure_of(device.after, row.figure));
  }
  return told;
}

constexpr int blocks_track = 0;
constexpr int slices_track = 1;  // rank 0 of a trial; the other ranks follow
constexpr double microseconds = 1e6;

/// One uninterrupted run of one arm, on the host's steady clock.
struct Slice {
  TrialIndex trial;
  std::uint32_t slice = 0;
  std::uint16_t rank = 0;
  stats::Phase first_phase = stats::Phase::steady;
  double start_seconds = std::numeric_limits<double>::infinity();
  double end_seconds = -std::numeric_limits<double>::infinity();
  std::uint64_t steps = 0;
  std::uint8_t flags = 0;
};

using Slices = std::vector<std::vector<Slice>>;  ///< by block

/// Samples of one arm and slice stand together, those of different arms of one slice number do not mix.
Slices slices_of(const results::Results& results) {
  Slices slices(results.blocks.size());
  for (const results::SampleRow& row : results.samples) {
    const stats::Sample& sample = row.sample;
    std::vector<Slice>& own = slices[row.block.value];
    const bool goes_on = !own.empty() && own.back().trial == row.trial && own.back().slice == sample.slice &&
                         own.back().rank == sample.rank;
    if (!goes_on) own.push_back({row.trial, sample.slice, sample.rank, sample.phase});
    Slice& slice = own.back();
    slice.start_seconds = std::min(slice.start_seconds, sample.start_seconds);
    slice.end_seconds = std::max(slice.end_seconds, sample.start_seconds + sample.seconds);
    slice.steps += sample.steps;
    slice.flags = static_cast<std::uint8_t>(slice.flags | sample.flags);
  }
  return slices;
}

/// Where a block ran: the slot of an arm whose row was taken from it; -1 if no row tells.
std::int32_t device_of(const results::Results& results, const results::BlockRow& block) {
  for (const TrialIndex arm : block.arms) {
    const results::TrialRow& row = results.trials[arm.value];
    if (row.start_wall_seconds == block.start_wall_seconds) return row.device;
  }
  return -1;
}

/// The first sample's phase says what a slice was for: a slice with steady samples may begin with a re-entry.
const char* category(const Slice& slice) {
  if (!stats::has_steps(slice.first_phase)) return "start";
  return slice.first_phase == stats::Phase::first || slice.first_phase == stats::Phase::warmup ? "warm-up" : "measure";
}

class TraceWriter {
 public:
  TraceWriter(const results::Results& results, const Sink& sink)
      : results_(results), sink_(sink), axes_(analysis::axes_of(results)), slices_(slices_of(results)) {
    for (const results::BlockRow& block : results.blocks) {
      devices_.push_back(device_of(results, block));
      if (block.start_wall_seconds > 0) zero_seconds_ = std::min(zero_seconds_, block.start_wall_seconds);
    }
  }

  void write() {
    sink_("{\"displayTimeUnit\":\"ms\",\"otherData\":" +
          dumped(Json{{"sweep", results_.name},
                      {"command_line", results_.provenance.command_line},
                      {"regatta", results_.provenance.regatta_version},
                      {"zero_is_seconds_since_1970", has_zero() ? Json(zero_seconds_) : Json(nullptr)}}) +
          ",\"traceEvents\":[");
    name_processes();
    const std::vector<double> offsets = clock_offsets();
    for (std::size_t block = 0; block < results_.blocks.size(); ++block) write_block(block, offsets[block]);
    sink_("\n]}\n");
  }

 private:
  [[nodiscard]] bool has_zero() const { return zero_seconds_ < std::numeric_limits<double>::infinity(); }

  void event(const Json& json) {
    sink_((first_ ? "\n" : ",\n") + dumped(json));
    first_ = false;
  }

  void name(const char* what, std::int32_t device, int track, const std::string& text) {
    event({{"ph", "M"}, {"pid", device + 1}, {"tid", track}, {"name", what}, {"args", {{"name", text}}}});
  }

  void name_processes() {
    const std::set<std::int32_t> used(devices_.begin(), devices_.end());
    for (const std::int32_t device : used) {
      std::string text = "slot not recorded";
      if (device >= 0) {
        const results::SlotRow& slot = results_.devices[static_cast<std::size_t>(device)];
        text = fmt::format("{} {} {}", results_.hosts[static_cast<std::size_t>(slot.host)].name, slot.kind, slot.name);
      }
      name("process_name", device, blocks_track, text);
      name("thread_name", device, blocks_track, "blocks");
      name("thread_name", device, slices_track, "slices");
    }
  }

  /// For each block the offset that turns the steady clock of its samples into wall time.
  std::vector<double> clock_offsets() {
    std::vector<BlockTimes> times(results_.blocks.size());
    for (std::size_t i = 0; i < times.size(); ++i) {
      const std::int32_t device = devices_[i];
      times[i].host = device < 0 ? -1 : results_.devices[static_cast<std::size_t>(device)].host;
      times[i].start_wall_seconds = results_.blocks[i].start_wall_seconds;
      times[i].end_wall_seconds = results_.blocks[i].end_wall_seconds;
      for (const Slice& slice : slices_[i]) {
        times[i].first_seconds = std::min(times[i].first_seconds, slice.start_seconds);
        times[i].last_seconds = std::max(times[i].last_seconds, slice.end_seconds);
      }
    }
    return offsets_of(times);
  }

  void write_block(std::size_t index, double offset_seconds) {
    const results::BlockRow& block = results_.blocks[index];
    if (block.attempt == 0) return;  // not done
    Json arms = Json::array();
    for (const TrialIndex arm : block.arms) arms.push_back(label(arm));
    Json args = {{"block", to_string(block.hash)},
                 {"attempt", block.attempt},
                 {"flags", stats::text_of(block.flags)},
                 {"arms", arms}};
    if (!block.device.empty()) args["device"] = device_json(block.device);
    event({{"ph", "X"},
           {"pid", devices_[index] + 1},
           {"tid", blocks_track},
           {"cat", "block"},
           {"name", fmt::format("block {}", index)},
           {"ts", microseconds * (block.start_wall_seconds - zero_seconds_)},
           {"dur", microseconds * (block.end_wall_seconds - block.start_wall_seconds)},
           {"args", args}});
    for (const Slice& slice : slices_[index]) write_slice(index, slice, offset_seconds);
  }

  void write_slice(std::size_t block, const Slice& slice, double offset_seconds) {
    event({{"ph", "X"},
           {"pid", devices_[block] + 1},
           {"tid", slices_track + slice.rank},
           {"cat", category(slice)},
           {"name", label(slice.trial)},
           {"ts", microseconds * (slice.start_seconds + offset_seconds - zero_seconds_)},
           {"dur", microseconds * (slice.end_seconds - slice.start_seconds)},
           {"args",
            {{"trial", to_string(results_.trials[slice.trial.value].hash)},
             {"slice", slice.slice},
             {"steps", slice.steps},
             {"flags", slice.flags},
             {"disturbed", stats::disturbance_text(slice.flags)}}}});
  }

  const std::string& label(TrialIndex trial) {
    const auto [entry, fresh] = labels_.try_emplace(trial);
    if (fresh) entry->second = analysis::trial_label(results_.trials[trial.value].parameters, axes_);
    return entry->second;
  }

  const results::Results& results_;
  const Sink& sink_;
  analysis::Axes axes_;
  Slices slices_;
  std::vector<std::int32_t> devices_;  ///< device of each block
  std::map<TrialIndex, std::string> labels_;
  double zero_seconds_ = std::numeric_limits<double>::infinity();
  bool first_ = true;
};

}  // namespace

void write_trace(const results::Results& results, const Sink& sink) { TraceWriter(results, sink).write(); }

}  // namespace regatta::report
