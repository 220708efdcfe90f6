// SIGUSR1 means: finish what runs, grant nothing new.
#pragma once

namespace regatta::launcher {

/// Counts SIGUSR1 from now on (mpirun may deliver one twice; asking again changes nothing).
void watch_for_drain();
bool drain_requested();

}  // namespace regatta::launcher
