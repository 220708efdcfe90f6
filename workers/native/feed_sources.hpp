// What `regatta-worker feed` makes batches of.
#pragma once

#include <string_view>
#include <vector>

#include "options.hpp"
#include "regatta/data/array.hpp"
#include "regatta/data/loader.hpp"

namespace regatta::worker {

struct FeedSource {
  std::vector<data::Array> arrays;
  data::LoaderOptions options;
};

/// The options that the source named in `words` knows: --data, --batches or --training. Throws InputError unless there
/// is exactly one of them.
std::vector<std::string_view> feed_options(const std::vector<std::string_view>& words);

/// Throws InputError for files that cannot be read, or not as they are asked for.
FeedSource open_feed_source(const Options& options);

}  // namespace regatta::worker
