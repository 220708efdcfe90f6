#include "job/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "children/children.hpp"
#include "children/installations.hpp"
#include "host/topology.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/base/units.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"

namespace regatta::launcher {
namespace {

struct RerunName {
  Rerun rerun;
  const char* name;
};
constexpr std::array<RerunName, 5> rerun_names = {{{Rerun::failed, "failed"},
                                                   {Rerun::undecided, "undecided"},
                                                   {Rerun::early, "early"},
                                                   {Rerun::cut_short, "cut-short"},
                                                   {Rerun::fastest, "fastest"}}};

double time_of(const std::string& text) {
  const auto seconds = parse_duration(text);
  if (seconds && *seconds > 0) return *seconds;
  throw InputError(
      fmt::format("--for: found '{}', expected a number above zero and one unit (how long to measure at most), such as "
                  "90s, 30m or 1.5h",
                  text));
}

/// Applies --for to the sweep.
void set_time(Job& job) {
  if (!job.options.time.empty()) {
    sweep::Measure& measure = job.sweep.measure;
    measure.total_seconds = time_of(job.options.time);
    // More time for open comparisons must not be cut at the time that was not enough.
    const bool goes_on = job.options.rerun == Rerun::undecided || job.options.rerun == Rerun::early;
    if (goes_on) measure.per_contrast_seconds.reset();
  }
}

/// Applies --smoke to the sweep: it shows whether each trial runs, in as little time as that takes. The results have
/// their own folder, because they are no measurements.
void set_smoke(Job& job) {
  if (!job.options.smoke) return;
  if (job.sweep.training)
    throw InputError(
        "--smoke: found a sweep with \"task\": \"train\", expected a benchmark (a training has no step that it could "
        "be cut to); shorten \"train\" by hand");
  sweep::Measure& measure = job.sweep.measure;
  measure.per_contrast_seconds = 0.001;
  measure.slices = 1;
  measure.steps = 1;
  measure.explain = false;
  measure.again = false;
  job.sweep.limits.attempts = 1;
  job.options.out /= "smoke";
  if (job.options.rerun == Rerun::nothing) job.options.rerun = Rerun::failed;
}

EnvironmentResolver resolver_of(const sweep::Sweep& sweep, const std::map<std::string, sweep::Environment>& from_file) {
  EnvironmentPlaces places = default_places();
  places.from_sweep = sweep.environments;
  places.from_file = from_file;
  return EnvironmentResolver(std::move(places));
}

/// The environments that a sweep may name here beside its own.
sweep::OutsideEnvironments outside_of(const Job& job) {
  sweep::OutsideEnvironments outside;
  for (const auto& [name, environment] : job.environments) outside.declared[name] = environment.engine;
  outside.installed = cached_environments(default_places().cache);
  outside.locked = locked_environments();
  outside.missing = [from_file = job.environments](const sweep::Sweep& sweep, const std::string& engine) {
    const auto found = resolver_of(sweep, from_file).resolve(sweep::split_engine(engine), 1);
    const auto* missing = std::get_if<MissingEnvironment>(&found);
    return missing != nullptr ? std::optional(missing->reason) : std::nullopt;
  };
  outside.cores = cores_of_slot;
  return outside;
}

}  // namespace

std::string to_string(Rerun rerun) {
  const auto known = std::ranges::find(rerun_names, rerun, &RerunName::rerun);
  return known == rerun_names.end() ? "" : known->name;
}

Rerun parse_rerun(const std::string& text) {
  const auto known = std::ranges::find(rerun_names, text, &RerunName::name);
  return known == rerun_names.end() ? Rerun::nothing : known->rerun;
}

std::vector<std::string> sweep_changes(const JobOptions& options) {
  std::vector<std::string> words;
  for (const std::string& assignment : options.set) words.insert(words.end(), {"--set", assignment});
  for (const std::string& assignment : options.only) words.insert(words.end(), {"--only", assignment});
  if (!options.environments_file.empty())
    words.insert(words.end(), {"--environments", options.environments_file.string()});
  return words;
}

Job read_unplanned(const JobOptions& options) {
  Job job;
  job.options = options;
  if (!options.environments_file.empty())
    job.environments = parse_environments(read_file(options.environments_file), options.environments_file);
  if (options.read_as.empty())
    job.sweep = sweep::read_sweep(options.sweep_file, outside_of(job));
  else
    job.sweep = sweep::parse_sweep(read_file(options.sweep_file), options.read_as, outside_of(job));
  for (const std::string& assignment : options.set) sweep::set_axis(job.sweep, assignment);
  for (const std::string& assignment : options.only) sweep::keep_only(job.sweep, assignment);
  set_time(job);
  set_smoke(job);
  return job;
}

Job expanded(Job job) {
  job.plan = sweep::make_plan(job.sweep);
  return job;
}

Job read_job(const JobOptions& options) { return expanded(read_unplanned(options)); }

EnvironmentResolver environments_of(const Job& job) { return resolver_of(job.sweep, job.environments); }

sweep::Origins origins_now(const Job& job) {
  EnvironmentResolver environments = environments_of(job);
  return origins_of(job.sweep, job.plan, environments);
}

std::vector<std::string> left_out_lines(const Job& job) {
  std::vector<std::string> lines;
  for (const sweep::LeftOut& left : job.sweep.left_out)
    lines.push_back(
        fmt::format("left out: {} {} ({})", sweep::name_of(left.param), sweep::to_text(left.level), left.reason));
  return lines;
}

std::vector<std::string> measured_last_lines(const Job& job) {
  std::vector<std::string> lines;
  const auto& sweep = job.sweep;
  if (!sweep.compare || sweep.compare->pairs != sweep::Pairs::baseline) return lines;
  for (const sweep::Value& engine : sweep.optional_engines) {
    const auto is_engine = [&](const sweep::LeftOut& left) { return left.level == engine; };
    if (std::ranges::any_of(sweep.left_out, is_engine)) continue;
    lines.push_back(fmt::format("measured last: engine {} (optional, and found; Ctrl-C then keeps the rest)",
                                sweep::to_text(engine)));
  }
  return lines;
}

}  // namespace regatta::launcher
