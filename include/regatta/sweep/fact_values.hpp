// Values of facts that are lists, and the texts by which messages, journals and columns hold them. Numbers that a
// program tells are in program_results.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::sweep {

/// Largest resident memory of each fresh process in bytes, in the order of time.
using ProcessPeaks = std::vector<std::int64_t>;

/// "12582912 12587008".
std::string peaks_text(const ProcessPeaks& peaks);
/// Reads peaks_text() back. Throws InputError for what is no list of sizes.
ProcessPeaks parse_peaks(std::string_view text);

/// A bucket of gradients that the ranks of a trial sum. Its times are means over steps, in us after the first gradients
/// of a step.
struct BucketTimes {
  std::int64_t bytes = 0;
  double first_us = 0;   ///< until the first rank had written it
  double last_us = 0;    ///< until the last rank had written it
  double summed_us = 0;  ///< until its sums were there
  friend bool operator==(const BucketTimes&, const BucketTimes&) = default;
};
inline constexpr std::size_t most_buckets = 64;  ///< trials with more of them tell none

/// Where the time of a rank goes, in us of a mean step.
struct RankTimes {
  double compute_us = 0;   ///< until it had written its last gradients
  double wait_us = 0;      ///< from then on until the last rank had
  double exchange_us = 0;  ///< from then on until all sums were there
  friend bool operator==(const RankTimes&, const RankTimes&) = default;
};

/// [{"bytes":4096,"first_us":0.0,"last_us":1.5,"summed_us":2.5},...], empty without buckets. Times have one decimal
/// place.
std::string to_json(const std::vector<BucketTimes>& buckets);
/// [{"compute_us":9.5,"wait_us":0.5,"exchange_us":1.0},...] by rank, empty without ranks.
std::string to_json(const std::vector<RankTimes>& ranks);
/// These read to_json() back. They throw InputError for what is no such list.
std::vector<BucketTimes> parse_buckets(std::string_view json);
std::vector<RankTimes> parse_ranks(std::string_view json);

}  // namespace regatta::sweep
