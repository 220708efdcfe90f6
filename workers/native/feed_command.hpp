// `regatta-worker feed`: the loader as a process, whose batches another one reads where they were made.
#pragma once

#include <map>
#include <string_view>

namespace regatta::worker {

/// Makes batches in memory that it shares, until its consumer closes the other end of the socket --fd N; with --parent
/// PID it also ends with the thread of that process which started it. The consumer is sent one line of JSON with the
/// memory's descriptor beside it, then a byte for each batch that is ready, in order; it sends a byte for each that it
/// gives back (docs/worker-protocol.md, "Feed"). Without threads a batch is made when the one before came back. Throws
/// InputError, PeerLost.
void feed(const std::map<std::string_view, std::string_view>& options);

}  // namespace regatta::worker
