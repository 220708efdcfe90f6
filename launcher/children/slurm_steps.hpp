// Steps of this Slurm job that a trial began with srun. They run on other nodes, too, where no signal of ours reaches.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace regatta::launcher {

/// The ids ("4711.3") of the steps in the output of `scontrol --oneliner show step` whose srun is one of these
/// processes of this host.
std::vector<std::string> steps_of(const std::string& shown, const std::string& host, const std::vector<pid_t>& sruns);

/// The steps that programs below this process have begun and that have not ended. Empty outside a Slurm job, and where
/// no srun runs: then nobody is asked.
std::vector<std::string> steps_begun_here();

/// Asks Slurm to cancel them.
void cancel_steps(const std::vector<std::string>& steps);

/// The steps among them that Slurm still knows; all of them where it does not answer.
std::vector<std::string> living_steps(const std::vector<std::string>& steps);

}  // namespace regatta::launcher
