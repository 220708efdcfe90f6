// One coordinator and its agents, in virtual time, from the first message to the last.
#pragma once

#include "job/job.hpp"
#include "simulation/settings.hpp"

namespace regatta::scale {

/// `job` is make_job() of the setup's mix and seed. Throws std::runtime_error where nothing happens any more and the
/// run is not over.
Found simulate(const Setup& setup, const launcher::Job& job);

}  // namespace regatta::scale
