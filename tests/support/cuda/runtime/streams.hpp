// When the work of streams is done: the orders that CUDA allows, taken early, late or at random.
#pragma once

#include <memory>

#include "support/cuda/runtime/machine.hpp"

namespace regatta::cuda_fakes {

/// The stream of a handle; null: none. The legacy stream is the current device's.
std::shared_ptr<Stream> find_stream(Machine& m, cudaStream_t handle);
bool is_legacy(const Machine& m, const Stream& stream);

/// Puts the item into the stream's queue; as the orders say it, and others, may be run now.
void issue(Machine& m, const std::shared_ptr<Stream>& stream, Item item);

/// Runs what has to be run before the point is passed, and in random order other things too. A kernel that hangs
/// hangs this.
void reach(Machine& m, const Point& point);

/// The same, as far as that goes without a kernel that hangs.
void reach_unless_hung(Machine& m, const Point& point);

/// Everything of the device.
void reach_all(Machine& m, int device);

bool is_passed(const Point& point);

/// Orders that Work be checked, run and counted: for an item of a stream, and for the nodes of a graph.
void perform(Machine& m, int device, const Work& work);

/// Digest of the host's memory that the work reads.
std::uint64_t checksum(const void* memory, std::size_t bytes);

/// Why pinned memory does not hold [memory, memory + bytes); empty: it does.
std::string why_not_pinned(const Machine& m, const void* memory, std::size_t bytes);
/// The device whose memory holds the address; -1: none.
int device_that_owns(const Machine& m, const void* memory);

}  // namespace regatta::cuda_fakes
