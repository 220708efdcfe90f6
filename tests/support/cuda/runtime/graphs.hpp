// Captured graphs: what a stream's capture takes, and in which orders a graph's nodes run.
#pragma once

#include <memory>

#include "support/cuda/runtime/machine.hpp"

namespace regatta::cuda_fakes {

/// The nodes one by one, in any order that their edges allow: the first or last that can, or one at random.
void run_graph(Machine& m, int device, const Graph& graph);

/// Adds a node behind the stream's last ones.
void capture_work(Stream& stream, Work work);

/// Whether the call is one that an ongoing capture forbids this thread. If so the capture is invalid from now on.
bool is_forbidden_by_capture(Machine& m, const char* call);

/// Breaks a capture; the first reason counts.
void invalidate(Capture& capture, const std::string& why);

/// Breaks the capture of the stream with an error that tells why.
cudaError_t broken(Stream& stream, cudaError_t error, const std::string& why);

/// Counts of its nodes and its longest path.
GraphNodes nodes_of(const Graph& graph);

}  // namespace regatta::cuda_fakes
