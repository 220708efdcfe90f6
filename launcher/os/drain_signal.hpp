// SIGUSR1 and SIGTERM mean: end what runs at the next complete square, grant nothing new.
#pragma once

namespace regatta::launcher {

/// Hears both from now on (mpirun may deliver one twice; asking again changes nothing).
void watch_for_drain();
bool drain_requested();

/// Keeps SIGUSR1 from ending this process from now on, threads that it starts included: it waits for who asks for it.
void hold_drain_signal();

/// Whether SIGTERM was among them. Slurm ends a whole step so: the measured processes got the signal too.
bool termination_requested();

/// Stands around a call into MPI that does not return where another rank is dead: a process that watches for a drain,
/// and is asked to stop then or was before, leaves the call with 75 some seconds later. One at a time.
class LeaveAtDrain {
 public:
  LeaveAtDrain();
  ~LeaveAtDrain();
  LeaveAtDrain(const LeaveAtDrain&) = delete;
  LeaveAtDrain& operator=(const LeaveAtDrain&) = delete;
};

}  // namespace regatta::launcher
