#include "children/slurm_steps.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <sstream>

#include "host/host.hpp"
#include "os/ask_program.hpp"
#include "os/process_tree.hpp"
#include "regatta/base/own_paths.hpp"

namespace regatta::launcher {
namespace {

constexpr double slurm_answers_seconds = 5;

/// "node1" of "node1.cluster.org".
std::string short_name(const std::string& host) { return host.substr(0, host.find('.')); }

/// The value of `name=` in a line of words; empty if it has none.
std::string value_of(const std::string& line, const std::string& name) {
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    if (word.starts_with(name + "=")) return word.substr(name.size() + 1);
  }
  return {};
}

std::vector<pid_t> sruns_below(pid_t root) {
  std::vector<pid_t> found = descendants(root);
  std::erase_if(found, [](pid_t pid) { return first_line(fmt::format("/proc/{}/comm", pid)) != "srun"; });
  return found;
}

}  // namespace

std::vector<std::string> steps_of(const std::string& shown, const std::string& host, const std::vector<pid_t>& sruns) {
  std::vector<std::string> steps;
  std::istringstream lines(shown);
  for (std::string line; std::getline(lines, line);) {
    const std::string begun_by = value_of(line, "SrunHost:Pid");
    const auto colon = begun_by.rfind(':');
    if (colon == std::string::npos || short_name(begun_by.substr(0, colon)) != short_name(host)) continue;
    const pid_t pid = std::atoi(begun_by.c_str() + colon + 1);
    if (std::ranges::find(sruns, pid) != sruns.end()) steps.push_back(value_of(line, "StepId"));
  }
  std::erase(steps, "");
  return steps;
}

std::vector<std::string> steps_begun_here() {
  const std::string job = batch_job().id;
  if (job.empty()) return {};
  const std::vector<pid_t> sruns = sruns_below(::getpid());
  if (sruns.empty()) return {};
  const auto shown = output_of({"scontrol", "--oneliner", "show", "step", job}, {}, slurm_answers_seconds);
  return shown ? steps_of(*shown, host_name(), sruns) : std::vector<std::string>();
}

void cancel_steps(const std::vector<std::string>& steps) {
  std::vector<std::string> argv = {"scancel"};
  argv.insert(argv.end(), steps.begin(), steps.end());
  if (!steps.empty()) static_cast<void>(output_of(argv, {}, slurm_answers_seconds));
}

std::vector<std::string> living_steps(const std::vector<std::string>& steps) {
  if (steps.empty()) return {};
  const auto listed = output_of({"squeue", "--steps", "--noheader", "--jobs", batch_job().id, "--format", "%i"}, {},
                                slurm_answers_seconds);
  if (!listed) return steps;
  std::istringstream lines(*listed);
  std::set<std::string> known;
  for (std::string step; lines >> step;) known.insert(step);
  std::vector<std::string> living = steps;
  std::erase_if(living, [&](const std::string& step) { return !known.contains(step); });
  return living;
}

}  // namespace regatta::launcher
