#include <cstdlib>

#include "host/host.hpp"

namespace regatta::launcher {
namespace {

std::string variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? std::string() : text;
}

}  // namespace

results::BatchJob batch_job() {
  const std::string id = variable("SLURM_JOB_ID");
  if (id.empty()) return {};
  return {id, variable("SLURM_JOB_NODELIST"), variable("SLURM_JOB_PARTITION"), variable("SLURM_JOB_ACCOUNT"),
          std::strtoll(variable("SLURM_RESTART_COUNT").c_str(), nullptr, 10)};
}

std::string batch_node() { return variable("SLURMD_NODENAME"); }

}  // namespace regatta::launcher
