#include "job.hpp"

#include <nlohmann/json.hpp>

#include "regatta/base/error.hpp"
#include "regatta/sweep/reader.hpp"

namespace regatta::launcher {
namespace {

Job expand(JobOptions options, sweep::Sweep sweep) {
  for (const std::string& assignment : options.set) sweep::set_axis(sweep, assignment);
  sweep::Plan plan = sweep::make_plan(sweep);
  return {std::move(options), std::move(sweep), std::move(plan)};
}

}  // namespace

Job read_job(const JobOptions& options) { return expand(options, sweep::read_sweep(options.sweep_file)); }

std::string to_text(const Job& job) {
  const nlohmann::json json = {{"sweep_file", job.sweep.file.string()},
                               {"text", job.sweep.text},
                               {"set", job.options.set},
                               {"out", job.options.out.string()},
                               {"environments_file", job.options.environments_file.string()},
                               {"rerun_failed", job.options.rerun == Rerun::failed},
                               {"command_line", job.options.command_line}};
  return json.dump();
}

Job parse_job(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text);
  JobOptions options;
  options.sweep_file = json.at("sweep_file").get<std::string>();
  options.set = json.at("set").get<std::vector<std::string>>();
  options.out = json.at("out").get<std::string>();
  options.environments_file = json.at("environments_file").get<std::string>();
  options.rerun = json.at("rerun_failed").get<bool>() ? Rerun::failed : Rerun::nothing;
  options.command_line = json.at("command_line").get<std::string>();
  sweep::Sweep sweep = sweep::parse_sweep(json.at("text").get<std::string>(), options.sweep_file);
  return expand(std::move(options), std::move(sweep));
}

std::filesystem::path executable_folder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

std::filesystem::path share_folder() { return executable_folder().parent_path() / "share" / "regatta"; }

}  // namespace regatta::launcher
