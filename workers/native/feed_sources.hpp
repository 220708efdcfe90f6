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

/// The numbers in another type, once for all: float64, or the bytes whose float32(byte) * scale they are. Whole numbers
/// stay what they are but for uint8. Throws InputError where a number is no such byte.
data::Array held_as(const data::Array& numbers, data::ElementType type, float scale);

}  // namespace regatta::worker
