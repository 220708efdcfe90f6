// SIGUSR1 and SIGTERM mean: end what runs at the next complete square, grant nothing new.
#pragma once

namespace regatta::launcher {

/// Hears both from now on (mpirun may deliver one twice; asking again changes nothing).
void watch_for_drain();
bool drain_requested();

/// Whether SIGTERM was among them. Who ends a whole step so (Slurm) has told what is measured the same.
bool termination_requested();

}  // namespace regatta::launcher
