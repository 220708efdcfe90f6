// How long an arm that was resumed is another arm than the one that ran: with cold caches it is slower, and what it
// prefetched before it was stopped makes it faster (measuring.md, R8).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace regatta::stats {

/// Samples at the start of slices that are not yet like those of the slices' second half. `slices` holds seconds per
/// step of each sample, each slice taken right after a resume; positions that not all slices have are not looked at. A
/// position is unlike if the median over slices of log(sample / median of the slice's second half) is beyond `delta`
/// and beyond what these medians scatter by chance. 0 below two samples; about half of them if slices never settle.
std::size_t unsettled_samples(std::span<const std::vector<double>> slices, double delta);

}  // namespace regatta::stats
