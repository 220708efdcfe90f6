#include "os/launch_environment.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace regatta::launcher {
namespace {

constexpr char between = '\x1f';

/// Whatever begins so may be set or changed by a launch.
constexpr std::array<std::string_view, 11> families = {"OMPI_", "PMIX_",  "PMI_",   "PMI2_",  "ORTE_", "OPAL_",
                                                       "PRTE_", "I_MPI_", "MPICH_", "HYDRA_", "SLURM_"};

/// Variables of one rank or step, by their beginnings. Open MPI 4's mpirun and orted, PMIx, MPICH's hydra, srun.
constexpr std::array<std::string_view, 32> of_a_rank = {"OMPI_COMM_WORLD_",
                                                        "OMPI_UNIVERSE_SIZE",
                                                        "OMPI_NUM_APP_CTX",
                                                        "OMPI_FIRST_RANKS",
                                                        "OMPI_APP_CTX_NUM_PROCS",
                                                        "OMPI_FILE_LOCATION",
                                                        "OMPI_COMMAND",
                                                        "OMPI_ARGV",
                                                        "OMPI_MCA_orte_",
                                                        "OMPI_MCA_ess",
                                                        "OMPI_MCA_pmix",
                                                        "OMPI_MCA_initial_wdir",
                                                        "OMPI_MCA_mpi_yield_when_idle",
                                                        "OMPI_MCA_shmem_RUNTIME",
                                                        "OMPI_MCA_btl_vader_backing_directory",
                                                        "PMIX_",
                                                        "PMI_",
                                                        "PMI2_",
                                                        "ORTE_",
                                                        "OPAL_",
                                                        "PRTE_",
                                                        "HYDRA_",
                                                        "SLURM_STEP",
                                                        "SLURM_PROCID",
                                                        "SLURM_LOCALID",
                                                        "SLURM_NODEID",
                                                        "SLURM_GTIDS",
                                                        "SLURM_TASK_PID",
                                                        "SLURM_LAUNCH",
                                                        "SLURM_SRUN_COMM",
                                                        "SLURM_PMIX",
                                                        "OMPI_MCA_mpi_oversubscribe"};
constexpr std::array<std::string_view, 10> names_of_a_rank = {
    "IPATH_NO_BACKTRACE",     "SLURM_PTY_PORT",     "SLURM_CPU_BIND", "SLURM_CPU_BIND_LIST", "SLURM_CPU_BIND_TYPE",
    "SLURM_CPU_BIND_VERBOSE", "SLURM_DISTRIBUTION", "SLURM_MPI_TYPE", "SLURM_UMASK",         "SRUN_DEBUG"};

std::string_view name_of(std::string_view entry) { return entry.substr(0, entry.find('=')); }

template <std::size_t N>
bool begins_with_one_of(std::string_view name, const std::array<std::string_view, N>& beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view each) { return name.starts_with(each); });
}

bool is_of_a_rank(std::string_view name) {
  return begins_with_one_of(name, of_a_rank) || std::ranges::find(names_of_a_rank, name) != names_of_a_rank.end();
}

std::vector<std::string_view> entries_of(const char* const* environment) {
  std::vector<std::string_view> entries;
  for (; *environment != nullptr; ++environment) {
    if (std::string_view(*environment).find('=') != std::string_view::npos) entries.emplace_back(*environment);
  }
  return entries;
}

/// The value of `outer_variable`.
std::optional<std::string_view> outer_in(const std::vector<std::string_view>& entries) {
  const auto found = std::ranges::find(entries, std::string_view(outer_variable), name_of);
  if (found == entries.end()) return std::nullopt;
  return found->substr(found->find('=') + 1);
}

}  // namespace

std::string outer_environment(const char* const* environment) {
  const std::vector<std::string_view> entries = entries_of(environment);
  if (const auto outer = outer_in(entries)) return std::string(*outer);
  std::string text;
  for (const std::string_view entry : entries) {
    if (!begins_with_one_of(name_of(entry), families)) continue;
    if (!text.empty()) text += between;
    text += entry;
  }
  return text;
}

KeptEnvironment without_launch(const char* const* environment) {
  KeptEnvironment kept;
  const std::vector<std::string_view> entries = entries_of(environment);
  const auto outer = outer_in(entries);
  for (const std::string_view entry : entries) {
    const std::string_view name = name_of(entry);
    const bool is_left_out =
        name == outer_variable || is_of_a_rank(name) || (outer && begins_with_one_of(name, families));
    if (!is_left_out) kept.entries.push_back(entry.data());
  }
  const auto is_set = [&](std::string_view wanted) {
    return std::ranges::find(entries, wanted, name_of) != entries.end();
  };
  if (is_set("SLURM_STEP_ID") && !is_set("SLURM_OVERLAP")) kept.before_launch.emplace_back("SLURM_OVERLAP=1");
  std::string_view rest = outer.value_or(std::string_view());
  while (!rest.empty()) {
    const std::size_t size = std::min(rest.find(between), rest.size());
    kept.before_launch.emplace_back(rest.substr(0, size));
    rest.remove_prefix(std::min(size + 1, rest.size()));
  }
  return kept;
}

}  // namespace regatta::launcher
