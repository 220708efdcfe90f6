#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "regatta/base/error.hpp"
#include "regatta/results/machine_json.hpp"
#include "regatta/results/parameters_of.hpp"
#include "regatta/results/slot_cores.hpp"
#include "results/file/columns.hpp"
#include "results/file/layout.hpp"
#include "results/file/netcdf_reader.hpp"
#include "results/file/sample_columns.hpp"

namespace regatta::results::hdf5 {
namespace {

using Integers = std::vector<std::int64_t>;

void check_format(const Ask& ask) {
  if (file_text(ask, "format") != format_name) {
    throw InputError(
        "it is not a result file of Regatta (the attribute 'format' says so); name a NAME.h5 that regatta wrote");
  }
  const std::string version = file_text(ask, "format_version").value_or("");
  std::int64_t major = 0;
  std::from_chars(version.data(), version.data() + version.size(), major);
  if (major != format_major) {
    throw InputError(
        fmt::format("its format version is '{}', this Regatta reads {}.x (columns would be misread); use the "
                    "version that wrote it",
                    version, format_major));
  }
}

void read_factor(const GroupReader& group, const sweep::Param& param, std::vector<TrialRow>& trials) {
  const std::string name = fmt::format("f_{}", sweep::name_of(param));
  const sweep::ParamType type = sweep::info(param).type;
  if (type == sweep::ParamType::integer) {
    const auto fill = group.fill_of(name);
    const Integers values = group.integers(name);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] != fill) trials[i].parameters.set(param, values[i]);
    }
  } else if (type == sweep::ParamType::real) {
    const auto values = group.numbers(name);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isnan(values[i])) trials[i].parameters.set(param, values[i]);
    }
  } else {
    auto values = group.texts(name);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!values[i].empty()) trials[i].parameters.set(param, std::move(values[i]));
    }
  }
}

}  // namespace

stats::Flags flags_in(const std::string& text) {
  const auto flags = stats::parse_flags(text);
  if (!flags) throw InputError("flags '" + text + "', which this version does not know");
  return *flags;
}

sweep::Outcome outcome_of(std::int64_t status, std::int64_t cause, const std::string& text) {
  constexpr auto failures = static_cast<std::int64_t>(sweep::failure_names.size());
  const std::string& name = status_names[static_cast<std::size_t>(status)];
  if (name == "finished") return sweep::Finished{};
  if (name == "skipped") {
    if (cause <= failures) throw InputError("'cause' names no kind of skip for what was skipped");
    return sweep::Skipped{text, static_cast<sweep::SkipKind>(cause - 1 - failures)};
  }
  if (name == "open") return sweep::Lost{};
  if (cause == 0 || cause > failures) throw InputError("'cause' names no kind of failure for what failed");
  return sweep::Failed{static_cast<sweep::FailureKind>(cause - 1), text};
}

namespace {

void check_engines(const std::vector<TrialRow>& trials) {
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!std::holds_alternative<std::string>(trials[i].parameters[sweep::Param::engine]))
      throw InputError(fmt::format("/trials/f_engine: trial {} names no engine", i));
  }
}

sweep::FactValue fact_in(const sweep::FactInfo& fact, std::size_t trial, const std::string& text) try {
  return sweep::parse_fact(fact, text);
} catch (const InputError& error) {
  throw InputError(fmt::format("/trials/{}: trial {}: {}", fact.column, trial, error.what()));
}

void read_outcomes(const GroupReader& group, std::vector<TrialRow>& trials) {
  const Integers status = group.integers_in("status", 0, status_names.size());
  const Integers cause = group.integers_in("cause", 0, cause_names().size());
  const Integers verified = group.integers_in("verified", 0, verified_names.size());
  const auto text = group.texts("error_text");
  for (std::size_t i = 0; i < trials.size(); ++i) {
    trials[i].outcome = outcome_of(status[i], cause[i], text[i]);
    trials[i].verified = static_cast<sweep::Verified>(verified[i]);
  }
  for (const sweep::FactInfo& fact : sweep::fact_table) {
    if (!sweep::is_text(fact) || fact.column.empty()) continue;
    const auto texts = group.texts(std::string(fact.column));
    for (std::size_t i = 0; i < trials.size(); ++i) sweep::set(trials[i].facts, fact.fact, fact_in(fact, i, texts[i]));
  }
}

void read_places(const GroupReader& group, const Results& results, std::vector<TrialRow>& trials) {
  const Integers attempt = group.integers_in("attempt", 0, std::size_t{1} << 31);
  const Integers env = group.integers_in("env_id", -1, results.envs.size());
  const Integers host = group.integers_in("host_id", -1, results.hosts.size());
  const Integers device = group.integers_in("device_id", -1, results.devices.size());
  const auto start = group.numbers("t_start");
  const auto end = group.numbers("t_end");
  const Integers source = group.integers_in("source_id", -1, results.sources.size());
  for (std::size_t i = 0; i < trials.size(); ++i) {
    trials[i].source = static_cast<std::int32_t>(source[i]);
    trials[i].attempt = static_cast<std::int32_t>(attempt[i]);
    trials[i].env = static_cast<std::int32_t>(env[i]);
    trials[i].host = static_cast<std::int32_t>(host[i]);
    trials[i].device = static_cast<std::int32_t>(device[i]);
    trials[i].start_wall_seconds = zero_if_missing(start[i]);
    trials[i].end_wall_seconds = zero_if_missing(end[i]);
  }
}

void read_metrics(const GroupReader& group, std::vector<TrialRow>& trials) {
  for (const std::string& name : group.variables()) {
    if (!name.starts_with("m_")) continue;
    const auto values = group.numbers(name);
    const std::string metric = name.substr(2);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isnan(values[i])) trials[i].metrics[metric] = values[i];
    }
  }
}

/// The sweep's own axes.
std::vector<sweep::Param> read_own_axes(const Ask& ask) {
  const GroupReader group(ask, "provenance", "axis");
  std::vector<sweep::Param> own;
  const auto names = group.texts("axis");
  const auto kinds = group.texts("own_kind");
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!kinds[i].empty()) own.push_back(own_axis(names[i], kinds[i]));
  }
  return own;
}

std::vector<TrialRow> read_trials(const Ask& ask, const Results& results) {
  const GroupReader group(ask, "trials", "trial");
  std::vector<TrialRow> trials(group.rows());
  const auto ids = hashes(group, "trial_hash");
  for (std::size_t i = 0; i < trials.size(); ++i) trials[i].hash = ids[i];
  const std::vector<sweep::Param> own = read_own_axes(ask);
  for (const sweep::ParamInfo& row : sweep::parameter_table()) {
    const bool is_own = std::ranges::any_of(own, [&](const auto& param) { return param.own_name() == row.name; });
    if (!is_own) read_factor(group, row.param, trials);
  }
  for (const sweep::Param& param : own) read_factor(group, param, trials);
  check_engines(trials);
  read_outcomes(group, trials);
  read_metrics(group, trials);
  read_places(group, results, trials);
  return trials;
}

void check_arms(const std::vector<SampleRow>& samples, const std::vector<BlockRow>& blocks) {
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::size_t arms = blocks[samples[i].block.value].arms.size();
    if (samples[i].sample.arm >= arms)
      throw InputError(
          fmt::format("/samples/arm: sample {} is of arm {}, its block has {}", i, samples[i].sample.arm, arms));
  }
}

std::vector<SampleRow> read_samples(const Ask& ask, std::size_t trials, const std::vector<BlockRow>& blocks) {
  const GroupReader group(ask, "samples", "sample");
  const Integers trial = group.integers_in("trial_index", 0, trials);
  const Integers block = group.integers_in("block_index", 0, blocks.size());
  std::vector<SampleRow> samples(group.rows());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].trial.value = static_cast<std::uint32_t>(trial[i]);
    samples[i].block.value = static_cast<std::uint32_t>(block[i]);
  }
  read_sample_columns(group, samples);
  check_arms(samples, blocks);
  return samples;
}

void read_arms(const GroupReader& group, std::size_t trials, std::vector<BlockRow>& blocks) {
  const GroupReader arms = group.along("arm");
  const Integers trial = arms.integers_in("arm_trial", 0, trials);
  const Integers count = group.integers_in("n_arms", 0, trial.size() + 1);
  const Integers start = group.integers_in("arm_start", 0, trial.size() + 1);
  std::size_t all = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto first = static_cast<std::size_t>(start[i]);
    const auto end = first + static_cast<std::size_t>(count[i]);
    all += end - first;
    if (std::max(end, all) > trial.size())
      throw InputError(fmt::format("/blocks: the arms of block {} reach beyond arm_trial", i));
    for (std::size_t at = first; at < end; ++at) blocks[i].arms.push_back({static_cast<std::uint32_t>(trial[at])});
  }
}

/// One figure of each block, as it was before or after.
std::vector<double> read_figure(const GroupReader& group, const sweep::DeviceFigureInfo& figure, bool is_after) {
  if (figure.counts && !is_after) return std::vector<double>(group.rows(), 0);
  const std::string ending = is_after ? "_after" : "_before";
  const std::string name = std::string(figure.column) + (figure.counts ? "" : ending);
  if (figure.figure != sweep::DeviceFigure::throttle) return group.numbers(name);
  const Integers bits = group.integers_in(name, 0, 256);
  return {bits.begin(), bits.end()};
}

void read_readings(const GroupReader& group, std::vector<BlockRow>& blocks, bool is_after) {
  std::vector<sweep::DeviceReading> all(blocks.size());
  for (const sweep::DeviceFigureInfo& figure : sweep::device_figure_table) {
    const std::vector<double> values = read_figure(group, figure, is_after);
    for (std::size_t i = 0; i < blocks.size(); ++i) all[i].push_back(values[i]);
  }
  const auto is_told = [](double value) { return !std::isnan(value) && value != 0; };
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (std::ranges::any_of(all[i], is_told))  // else nobody was asked
      (is_after ? blocks[i].device.after : blocks[i].device.before) = std::move(all[i]);
  }
}

std::vector<BlockRow> read_blocks(const Ask& ask, std::size_t trials) {
  const GroupReader group(ask, "blocks", "block");
  const auto ids = hashes(group, "block_hash");
  const Integers baseline = group.integers_in("has_baseline", 0, 2);
  const Integers clone = group.integers_in("has_clone", 0, 2);
  const Integers attempt = group.integers_in("attempt", 0, std::size_t{1} << 31);
  const auto start = group.numbers("t_start");
  const auto end = group.numbers("t_end");
  const auto own = group.numbers("own_time");
  const auto flags = group.texts("flags");
  const Integers again = group.integers_in("measured_again", 0, 2);
  std::vector<BlockRow> blocks(group.rows());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i].hash = ids[i];
    blocks[i].has_baseline = baseline[i] != 0;
    blocks[i].has_clone = clone[i] != 0;
    blocks[i].attempt = static_cast<std::int32_t>(attempt[i]);
    blocks[i].start_wall_seconds = zero_if_missing(start[i]);
    blocks[i].end_wall_seconds = zero_if_missing(end[i]);
    blocks[i].own_seconds = own[i];
    blocks[i].flags = flags_in(flags[i]);
    blocks[i].measured_again = again[i] != 0;
  }
  if (group.has("device_clock_before")) {  // it ran on a GPU, whose driver tells
    read_readings(group, blocks, false);
    read_readings(group, blocks, true);
  }
  read_arms(group, trials, blocks);
  return blocks;
}

std::vector<ContrastRow> read_contrasts(const Ask& ask, std::size_t trials, std::size_t blocks) {
  const GroupReader group(ask, "contrasts", "contrast");
  const Integers block = group.integers_in("block_index", 0, blocks);
  const Integers a = group.integers_in("a_trial", 0, trials);
  const Integers b = group.integers_in("b_trial", 0, trials);
  const auto ratio = group.numbers("ratio");
  const auto low = group.numbers("low");
  const auto high = group.numbers("high");
  const auto margin = group.numbers("margin");
  const auto resolution = group.numbers("resolution");
  const auto e_value = group.numbers("e_value");
  const Integers squares = group.integers("squares");
  const Integers processes = group.integers("processes");
  const auto verdict = group.texts("verdict");
  const Integers confirmed = group.integers_in("confirmed", 0, 2);
  const auto why_stopped = group.texts("why_stopped");
  const auto flags = group.texts("flags");
  const auto text = group.texts("text");
  std::vector<ContrastRow> contrasts(group.rows());
  for (std::size_t i = 0; i < contrasts.size(); ++i) {
    contrasts[i] = {{static_cast<std::uint32_t>(block[i])},
                    {static_cast<std::uint32_t>(a[i])},
                    {static_cast<std::uint32_t>(b[i])},
                    ratio[i],
                    low[i],
                    high[i],
                    margin[i],
                    resolution[i],
                    e_value[i],
                    squares[i],
                    processes[i],
                    verdict[i],
                    confirmed[i] != 0,
                    why_stopped[i],
                    flags[i],
                    text[i]};
  }
  const auto metric = group.texts("metric");
  const auto unit = group.texts("metric_unit");
  const auto replicates = group.texts("replicates");
  const auto scale = group.texts("scale");
  const auto difference = group.numbers("difference");
  for (std::size_t i = 0; i < contrasts.size(); ++i) {
    contrasts[i].metric = metric[i];
    contrasts[i].unit = unit[i];
    contrasts[i].replicates = replicates[i];
    contrasts[i].scale = scale[i];
    contrasts[i].difference = difference[i];
  }
  return contrasts;
}

std::vector<AttemptRow> read_attempts(const Ask& ask, std::size_t trials, std::size_t blocks) {
  const GroupReader group(ask, "attempts", "failed_attempt");
  const Integers block = group.integers_in("block_index", 0, blocks);
  const Integers trial = group.integers_in("trial_index", 0, trials);
  const Integers attempt = group.integers_in("attempt", 0, std::size_t{1} << 31);
  const Integers failure = group.integers_in("failure", 1, failure_names().size());
  const auto message = group.texts("message");
  std::vector<AttemptRow> attempts(group.rows());
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    attempts[i] = {{static_cast<std::uint32_t>(block[i])},
                   {static_cast<std::uint32_t>(trial[i])},
                   static_cast<std::int32_t>(attempt[i]),
                   static_cast<sweep::FailureKind>(failure[i] - 1),
                   message[i]};
  }
  return attempts;
}

std::vector<Host> read_hosts(const Ask& ask) {
  const GroupReader group(ask, "hosts", "host");
  const auto name = group.texts("name");
  const auto cpu_model = group.texts("cpu_model");
  const Integers sockets = group.integers("sockets");
  const Integers cores = group.integers("cores");
  const Integers memory = group.integers("memory");
  const auto kernel = group.texts("kernel");
  const auto governor = group.texts("governor");
  const auto node = group.texts("node");
  std::vector<Host> hosts;
  for (std::size_t i = 0; i < group.rows(); ++i) {
    hosts.push_back({name[i], cpu_model[i], sockets[i], cores[i], memory[i], kernel[i], governor[i], node[i]});
  }
  return hosts;
}

void read_calibrations(const GroupReader& group, std::vector<SlotRow>& devices) {
  const auto threads = group.integers("threads");
  const auto isa = group.texts("isa");
  const auto core_peak = group.numbers("core_peak_flops");
  const auto peak = group.numbers("peak_flops");
  const auto memory = group.numbers("memory_bandwidth");
  const auto copy = group.numbers("copy_bandwidth");
  const auto when = group.numbers("t_calibrated");
  for (std::size_t i = 0; i < devices.size(); ++i)
    devices[i].calibration = {threads[i], isa[i], core_peak[i], peak[i], memory[i], copy[i], zero_if_missing(when[i]),
                              {}};
  const auto uuid = group.texts("uuid");
  for (std::size_t i = 0; i < devices.size(); ++i) devices[i].calibration.device.uuid = uuid[i];
  for (const DeviceRate& rate : device_rates) {
    const auto values = group.numbers(std::string(rate.column));
    for (std::size_t i = 0; i < devices.size(); ++i) devices[i].calibration.device.*rate.value = values[i];
  }
}

std::vector<SlotRow> read_devices(const Ask& ask, std::size_t hosts) {
  const GroupReader group(ask, "devices", "device");
  const Integers host = group.integers_in("host_id", 0, hosts);
  const auto kind = group.texts("kind");
  const auto name = group.texts("name");
  const auto flags = group.texts("flags");
  const auto cores = group.texts("cores");
  std::vector<SlotRow> devices;
  for (std::size_t i = 0; i < group.rows(); ++i) {
    devices.push_back(
        {static_cast<std::int32_t>(host[i]), kind[i], name[i], flags_in(flags[i]), {}, parse_cores(cores[i])});
  }
  read_calibrations(group, devices);
  return devices;
}

std::vector<Env> read_envs(const Ask& ask) {
  const GroupReader group(ask, "envs", "env");
  const auto name = group.texts("name");
  const auto engine = group.texts("engine");
  const auto version = group.texts("version");
  std::vector<Env> envs;
  for (std::size_t i = 0; i < group.rows(); ++i) envs.push_back({name[i], engine[i], version[i]});
  return envs;
}

std::vector<Source> read_sources(const Ask& ask) {
  const GroupReader group = GroupReader(ask, "provenance", "component").along("source");
  const auto name = group.texts("source_file");
  const auto created = group.texts("source_created");
  const auto command_line = group.texts("source_command_line");
  const auto version = group.texts("source_regatta_version");
  const auto commit = group.texts("source_git_commit");
  std::vector<Source> sources;
  for (std::size_t i = 0; i < group.rows(); ++i)
    sources.push_back({name[i], created[i], command_line[i], version[i], commit[i]});
  return sources;
}

void read_provenance(const Ask& ask, Results& results) {
  const GroupReader group(ask, "provenance", "component");
  Provenance& provenance = results.provenance;
  provenance.sweep_json = group.text("sweep_json");
  provenance.sweep_file = group.text("sweep_file");
  provenance.command_line = group.text("command_line");
  provenance.regatta_version = group.text("regatta_version");
  provenance.git_commit = group.text("git_commit");
  provenance.created = group.text("created");
  provenance.spreads = parse_spreads(group.text("pair_spreads"));
  results.axis_names = group.along("axis").texts("axis");
  const auto component = group.texts("component");
  const auto version = group.texts("version");
  for (std::size_t i = 0; i < group.rows(); ++i) provenance.versions[component[i]] = version[i];
}

}  // namespace

Results read_tables(const Ask& ask) {
  check_format(ask);
  Results results;
  const auto title = file_text(ask, "title");
  if (!title) throw InputError("the attribute 'title' is missing");
  results.name = *title;
  results.complete = file_text(ask, "status") == "complete";
  results.other_blocks = file_integer(ask, "n_other_blocks").value_or(0);
  results.openings.passes = file_integer(ask, "n_test_openings").value_or(0);
  results.openings.unread = file_integer(ask, "n_unread_journals").value_or(0);
  results.hosts = read_hosts(ask);
  results.devices = read_devices(ask, results.hosts.size());
  results.envs = read_envs(ask);
  results.sources = read_sources(ask);
  results.trials = read_trials(ask, results);
  results.blocks = read_blocks(ask, results.trials.size());
  results.contrasts = read_contrasts(ask, results.trials.size(), results.blocks.size());
  results.failed_attempts = read_attempts(ask, results.trials.size(), results.blocks.size());
  read_interventions(ask, results);
  read_legs(ask, results);
  results.samples = read_samples(ask, results.trials.size(), results.blocks);
  read_provenance(ask, results);
  read_sessions(ask, results);
  return results;
}

}  // namespace regatta::results::hdf5
