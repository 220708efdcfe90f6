// SIGUSR1 and SIGTERM mean: end what runs at the next complete square, grant nothing new.
#pragma once

namespace regatta::launcher {

/// Hears both from now on (mpirun may deliver one twice; asking again changes nothing).
void watch_for_drain();
bool drain_requested();

}  // namespace regatta::launcher
