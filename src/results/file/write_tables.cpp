#include <fmt/format.h>

#include <algorithm>

#include "regatta/results/machine_json.hpp"
#include "regatta/results/parameters_of.hpp"
#include "regatta/results/slot_cores.hpp"
#include "results/file/columns.hpp"
#include "results/file/layout.hpp"
#include "results/file/netcdf_writer.hpp"
#include "results/file/sample_columns.hpp"

namespace regatta::results::hdf5 {
namespace {

std::int64_t count(const Results& results, const std::string& status) {
  return std::ranges::count_if(results.trials,
                               [&](const TrialRow& row) { return sweep::status_of(row.outcome) == status; });
}

void write_root(const File& file, const Results& results) {
  const Provenance& provenance = results.provenance;
  put_attribute(file, "Conventions", "CF-1.11");
  put_attribute(file, "title", results.name.empty() ? "-" : results.name);
  put_attribute(file, "history", fmt::format("{} {}", provenance.created, provenance.command_line));
  put_attribute(file, "format", format_name);
  put_attribute(file, "format_version", fmt::format("{}.{}", format_major, format_minor));
  put_attribute(file, "status", results.complete ? "complete" : "partial");
  put_attribute(file, "n_planned", static_cast<std::int64_t>(results.trials.size()));
  for (const std::string& status : status_names) put_attribute(file, "n_" + status, count(results, status));
  put_attribute(file, "n_other_blocks", results.other_blocks);
  if (results.legs.empty()) return;
  put_attribute(file, "n_test_openings", results.openings.passes);
  put_attribute(file, "n_unread_journals", results.openings.unread);
}

void write_samples(const File& file, const std::vector<SampleRow>& samples) {
  GroupWriter group(file, "samples");
  group.rows("sample", samples.size()).describe("by trial, then block, then time");
  const auto put = [&](const char* name, const Column& values) { return group.variable(name, {"sample"}, values); };
  put("trial_index", column<std::uint32_t>(samples, [](const SampleRow& s) { return s.trial.value; }))
      .describe("row of /trials");
  put("block_index", column<std::uint32_t>(samples, [](const SampleRow& s) { return s.block.value; }))
      .describe("row of /blocks");
  write_sample_columns(group, samples);
}

void write_arms(GroupWriter& group, const std::vector<BlockRow>& blocks) {
  std::vector<std::int64_t> counts;
  std::vector<std::int64_t> starts;
  std::vector<std::uint32_t> trials;
  for (const BlockRow& block : blocks) {
    counts.push_back(static_cast<std::int64_t>(block.arms.size()));
    starts.push_back(static_cast<std::int64_t>(trials.size()));
    for (TrialIndex trial : block.arms) trials.push_back(trial.value);
  }
  group.rows("arm", trials.size());
  group.variable("n_arms", {"block"}, counts).describe("its arms").text("sample_dimension", "arm");
  group.variable("arm_start", {"block"}, starts).describe("its first place in arm_trial");
  group.variable("arm_trial", {"arm"}, trials).describe("row of /trials");
}

std::uint8_t throttle_of(const sweep::DeviceReading& reading) {
  const double bits = sweep::figure_of(reading, sweep::DeviceFigure::throttle);
  return bits >= 0 ? static_cast<std::uint8_t>(static_cast<std::uint64_t>(bits)) : std::uint8_t{0};
}

void write_reading(GroupWriter& group, const std::vector<BlockRow>& blocks, const sweep::DeviceFigureInfo& figure,
                   const std::string& ending, sweep::DeviceReading sweep::DeviceReadings::*when) {
  const std::string name = std::string(figure.column) + ending;
  if (figure.figure == sweep::DeviceFigure::throttle) {
    group
        .variable(name, {"block"},
                  column<std::uint8_t>(blocks, [&](const BlockRow& b) { return throttle_of(b.device.*when); }))
        .bits({sweep::throttle_names.begin(), sweep::throttle_names.end()})
        .describe(std::string(figure.description));
    return;
  }
  const auto values =
      column<double>(blocks, [&](const BlockRow& b) { return sweep::figure_of(b.device.*when, figure.figure); });
  group.variable(name, {"block"}, values, missing_number)
      .unit(std::string(figure.unit))
      .describe(std::string(figure.description));
}

/// Nothing where no block has any.
void write_readings(GroupWriter& group, const std::vector<BlockRow>& blocks) {
  if (std::ranges::all_of(blocks, [](const BlockRow& b) { return b.device.empty(); })) return;
  for (const sweep::DeviceFigureInfo& figure : sweep::device_figure_table) {
    if (!figure.counts) write_reading(group, blocks, figure, "_before", &sweep::DeviceReadings::before);
    write_reading(group, blocks, figure, figure.counts ? "" : "_after", &sweep::DeviceReadings::after);
  }
}

void write_blocks(const File& file, const std::vector<BlockRow>& blocks) {
  GroupWriter group(file, "blocks");
  group.rows("block", blocks.size()).describe("arms that were measured interleaved on one slot");
  const auto put = [&](const char* name, const Column& values, std::optional<FillValue> fill = {}) {
    return group.variable(name, {"block"}, values, fill);
  };
  put("block_hash", column<std::string>(blocks, [](const BlockRow& b) { return to_string(b.hash); }))
      .describe("identity of its arms");
  put("has_baseline",
      column<std::int8_t>(blocks, [](const BlockRow& b) { return static_cast<std::int8_t>(b.has_baseline); }))
      .flags(yes_no_names)
      .describe("whether the first arm is the baseline of the others");
  put("has_clone", column<std::int8_t>(blocks, [](const BlockRow& b) { return static_cast<std::int8_t>(b.has_clone); }))
      .flags(yes_no_names)
      .describe("whether the last arm is the first one again, in a process of its own");
  put("measured_again",
      column<std::int8_t>(blocks, [](const BlockRow& b) { return static_cast<std::int8_t>(b.measured_again); }))
      .flags(yes_no_names)
      .describe("whether its first figures, for which it was chosen, were replaced by these");
  put("attempt", column<std::int32_t>(blocks, [](const BlockRow& b) { return b.attempt; }))
      .describe("attempt that gave the result; 0: not done");
  put("t_start", column<double>(blocks, [](const BlockRow& b) { return date(b.start_wall_seconds); }), missing_number)
      .unit(dates);
  put("t_end", column<double>(blocks, [](const BlockRow& b) { return date(b.end_wall_seconds); }), missing_number)
      .unit(dates);
  put("own_time", column<double>(blocks, [](const BlockRow& b) { return b.own_seconds; }))
      .unit("s")
      .describe(
          "wall time that it took of its slot; blocks with the same processes take turns between t_start and t_end");
  put("flags", column<std::string>(blocks, [](const BlockRow& b) { return stats::text_of(b.flags); }))
      .describe("possible disturbances, comma separated");
  write_readings(group, blocks);
  write_arms(group, blocks);
}

void write_contrasts(const File& file, const std::vector<ContrastRow>& contrasts) {
  GroupWriter group(file, "contrasts");
  group.rows("contrast", contrasts.size()).describe("arms compared with their baseline");
  const auto put = [&](const char* name, const Column& values) { return group.variable(name, {"contrast"}, values); };
  put("block_index", column<std::uint32_t>(contrasts, [](const ContrastRow& c) { return c.block.value; }))
      .describe("row of /blocks");
  put("a_trial", column<std::uint32_t>(contrasts, [](const ContrastRow& c) { return c.a.value; }))
      .describe("row of /trials");
  put("b_trial", column<std::uint32_t>(contrasts, [](const ContrastRow& c) { return c.b.value; }))
      .describe("row of /trials: the baseline");
  put("ratio", column<double>(contrasts, [](const ContrastRow& c) { return c.ratio; }))
      .unit("1")
      .describe("metric of a / metric of b");
  put("low", column<double>(contrasts, [](const ContrastRow& c) { return c.low; })).unit("1");
  put("high", column<double>(contrasts, [](const ContrastRow& c) { return c.high; })).unit("1");
  put("margin", column<double>(contrasts, [](const ContrastRow& c) { return c.margin; })).unit("1");
  put("resolution", column<double>(contrasts, [](const ContrastRow& c) { return c.resolution; }))
      .unit("1")
      .describe("the smallest relative difference that would have been told");
  put("e_value", column<double>(contrasts, [](const ContrastRow& c) { return c.e_value; })).unit("1");
  put("squares", column<std::int64_t>(contrasts, [](const ContrastRow& c) { return c.squares; }));
  put("processes", column<std::int64_t>(contrasts, [](const ContrastRow& c) { return c.processes; }));
  put("verdict", column<std::string>(contrasts, [](const ContrastRow& c) { return c.verdict; }))
      .describe("of a against b: faster, slower (memory: smaller, larger), same, undecided");
  put("confirmed",
      column<std::int8_t>(contrasts, [](const ContrastRow& c) { return static_cast<std::int8_t>(c.confirmed); }))
      .describe("1: signs of pairs of processes alone give the verdict; 0: it is an early one, or there is none");
  put("why_stopped", column<std::string>(contrasts, [](const ContrastRow& c) { return c.why_stopped; }));
  put("flags", column<std::string>(contrasts, [](const ContrastRow& c) { return c.flags; }));
  put("text", column<std::string>(contrasts, [](const ContrastRow& c) { return c.text; }));
  put("metric", column<std::string>(contrasts, [](const ContrastRow& c) { return c.metric; }))
      .describe("the quantity of the ratio");
  put("metric_unit", column<std::string>(contrasts, [](const ContrastRow& c) { return c.unit; }));
  put("scale", column<std::string>(contrasts, [](const ContrastRow& c) { return c.scale; }))
      .describe("difference: low, high, margin and resolution are in metric_unit, and there is no ratio; else ratio");
  put("difference", column<double>(contrasts, [](const ContrastRow& c) { return c.difference; }))
      .describe("metric of a less metric of b, in metric_unit");
  put("replicates", column<std::string>(contrasts, [](const ContrastRow& c) { return c.replicates; }))
      .describe("its replicates, such as 10 seeds; block and trials are of the first; empty: it is of one block");
}

void write_attempts(const File& file, const std::vector<AttemptRow>& attempts) {
  GroupWriter group(file, "attempts");
  group.rows("failed_attempt", attempts.size()).describe("attempts that did not count: a worker died");
  const auto put = [&](const char* name, const Column& values) {
    return group.variable(name, {"failed_attempt"}, values);
  };
  const auto failures = failure_names();
  put("block_index", column<std::uint32_t>(attempts, [](const AttemptRow& a) { return a.block.value; }))
      .describe("row of /blocks");
  put("trial_index", column<std::uint32_t>(attempts, [](const AttemptRow& a) { return a.trial.value; }))
      .describe("row of /trials");
  put("attempt", column<std::int32_t>(attempts, [](const AttemptRow& a) { return a.attempt; }))
      .describe("1, 2, ... of the block");
  put("failure",
      column<std::int8_t>(attempts, [&](const AttemptRow& a) { return flag_of(failures, sweep::to_string(a.kind)); }))
      .flags(failures)
      .describe("kind of failure");
  put("message", column<std::string>(attempts, [](const AttemptRow& a) { return a.message; }))
      .describe("what was seen");
}

void write_hosts(const File& file, const std::vector<Host>& hosts) {
  GroupWriter group(file, "hosts");
  group.rows("host", hosts.size());
  const auto put = [&](const char* name, const Column& values) { return group.variable(name, {"host"}, values); };
  put("name", column<std::string>(hosts, [](const Host& h) { return h.name; }));
  put("cpu_model", column<std::string>(hosts, [](const Host& h) { return h.cpu_model; }));
  put("sockets", column<std::int64_t>(hosts, [](const Host& h) { return h.sockets; }));
  put("cores", column<std::int64_t>(hosts, [](const Host& h) { return h.cores; }));
  put("memory", column<std::int64_t>(hosts, [](const Host& h) { return h.memory_bytes; })).unit("byte");
  put("kernel", column<std::string>(hosts, [](const Host& h) { return h.kernel; }));
  put("governor", column<std::string>(hosts, [](const Host& h) { return h.governor; })).describe("empty: not readable");
  put("node", column<std::string>(hosts, [](const Host& h) { return h.node; }))
      .describe("its name in the batch system (Slurm); empty: in no job");
}

void write_calibrations(GroupWriter& group, const std::vector<SlotRow>& devices) {
  const auto put = [&](const char* name, double Calibration::*member) {
    return group.variable(name, {"device"},
                          column<double>(devices, [&](const SlotRow& d) { return d.calibration.*member; }),
                          missing_number);
  };
  group
      .variable("threads", {"device"},
                column<std::int64_t>(devices, [](const SlotRow& d) { return d.calibration.threads; }))
      .describe("cores that were calibrated; 0: it was not needed");
  group.variable("isa", {"device"}, column<std::string>(devices, [](const SlotRow& d) { return d.calibration.isa; }))
      .describe("instruction set of the peaks");
  put("core_peak_flops", &Calibration::core_peak_flops_per_second)
      .unit("s-1")
      .describe("most fp32 operations of one core");
  put("peak_flops", &Calibration::peak_flops_per_second).unit("s-1").describe("of all its cores together");
  put("memory_bandwidth", &Calibration::memory_bytes_per_second).unit("byte s-1").describe("reading");
  put("copy_bandwidth", &Calibration::copy_bytes_per_second)
      .unit("byte s-1")
      .describe("memcpy, each byte counted once");
  group
      .variable("t_calibrated", {"device"},
                column<double>(devices, [](const SlotRow& d) { return date(d.calibration.measured_wall_seconds); }),
                missing_number)
      .unit(dates);
  group
      .variable("uuid", {"device"},
                column<std::string>(devices, [](const SlotRow& d) { return d.calibration.device.uuid; }))
      .describe("of the device that was calibrated beside the cores; empty: none was");
  for (const DeviceRate& rate : device_rates)
    group
        .variable(std::string(rate.column), {"device"},
                  column<double>(devices, [&](const SlotRow& d) { return d.calibration.device.*rate.value; }),
                  missing_number)
        .unit(std::string(rate.unit))
        .describe(std::string(rate.description));
}

void write_devices(const File& file, const std::vector<SlotRow>& devices) {
  GroupWriter group(file, "devices");
  group.rows("device", devices.size());
  const auto put = [&](const char* name, const Column& values) { return group.variable(name, {"device"}, values); };
  put("host_id", column<std::int32_t>(devices, [](const SlotRow& d) { return d.host; })).describe("row of /hosts");
  put("kind", column<std::string>(devices, [](const SlotRow& d) { return d.kind; }));
  put("name", column<std::string>(devices, [](const SlotRow& d) { return d.name; }));
  put("cores", column<std::string>(devices, [](const SlotRow& d) { return cores_text(d.cores); }))
      .describe("as the kernel numbers them, comma separated; empty: not known");
  put("flags", column<std::string>(devices, [](const SlotRow& d) { return stats::text_of(d.flags); }))
      .describe("comma separated");
  write_calibrations(group, devices);
}

void write_envs(const File& file, const std::vector<Env>& envs) {
  GroupWriter group(file, "envs");
  group.rows("env", envs.size());
  const auto put = [&](const char* name, const Column& values) { return group.variable(name, {"env"}, values); };
  put("name", column<std::string>(envs, [](const Env& e) { return e.name; }));
  put("engine", column<std::string>(envs, [](const Env& e) { return e.engine; }));
  put("version", column<std::string>(envs, [](const Env& e) { return e.version; }));
}

void write_sources(GroupWriter& group, const std::vector<Source>& sources) {
  group.rows("source", sources.size()).describe("files that were merged into this one");
  const auto put = [&](const char* name, std::string Source::*member) {
    return group.variable(name, {"source"}, column<std::string>(sources, [&](const Source& s) { return s.*member; }));
  };
  put("source_file", &Source::file);
  put("source_created", &Source::created).describe("start of its last session, ISO 8601, UTC");
  put("source_command_line", &Source::command_line);
  put("source_regatta_version", &Source::regatta_version);
  put("source_git_commit", &Source::git_commit);
}

/// Writes the kinds of a sweep's own axes; other axes are known.
void write_own_kinds(GroupWriter& group, const Results& results) {
  std::vector<std::string> kinds(results.axis_names.size());
  for (const sweep::Param& param : axes_of_sweep(results)) {
    if (!param.is_own()) continue;
    const auto at = std::ranges::find(results.axis_names, param.own_name()) - results.axis_names.begin();
    kinds[static_cast<std::size_t>(at)] = own_kind_names[static_cast<std::size_t>(param.kind())];
  }
  group.variable("own_kind", {"axis"}, kinds)
      .describe("the kind of levels of an axis that the sweep makes itself; empty for parameters");
}

void write_provenance(const File& file, const Results& results) {
  GroupWriter group(file, "provenance");
  const Provenance& provenance = results.provenance;
  const auto put = [&](const char* name, const std::string& text) {
    return group.variable(name, {}, column<std::string>(std::vector{text}, [](const std::string& t) { return t; }));
  };
  put("sweep_json", provenance.sweep_json).describe("the sweep file");
  put("sweep_file", provenance.sweep_file);
  put("command_line", provenance.command_line);
  put("regatta_version", provenance.regatta_version);
  put("git_commit", provenance.git_commit)
      .describe("commit of the folder that holds the sweep file; empty outside a checkout");
  put("created", provenance.created).describe("start of the last session, ISO 8601, UTC");
  put("pair_spreads", to_json(provenance.spreads)).describe("JSON: how pairs of earlier runs scattered");
  group.dimension("axis", results.axis_names, true).describe("parameters that the sweep names as axes");
  write_own_kinds(group, results);
  std::vector<std::string> components;
  std::vector<std::string> versions;
  for (const auto& [component, version] : provenance.versions) {
    components.push_back(component);
    versions.push_back(version);
  }
  group.dimension("component", components, true);
  group.variable("version", {"component"}, versions);
  write_sources(group, results.sources);
}

}  // namespace

std::vector<std::string> failure_names() {
  std::vector<std::string> names = {"none"};
  names.insert(names.end(), sweep::failure_names.begin(), sweep::failure_names.end());
  return names;
}

std::vector<std::string> cause_names() {
  std::vector<std::string> names = failure_names();
  names.insert(names.end(), sweep::skip_names.begin(), sweep::skip_names.end());
  return names;
}

void write_tables(const File& file, const Results& results) {
  write_root(file, results);
  write_trials(file, results);
  write_samples(file, results.samples);
  write_blocks(file, results.blocks);
  write_contrasts(file, results.contrasts);
  write_interventions(file, results);
  write_legs(file, results);
  write_attempts(file, results.failed_attempts);
  write_hosts(file, results.hosts);
  write_devices(file, results.devices);
  write_envs(file, results.envs);
  write_sessions(file, results);
  write_provenance(file, results);
}

}  // namespace regatta::results::hdf5
