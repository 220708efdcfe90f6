// From steps to the samples in their batches: what the loader's threads do.
#pragma once

#include <cstdint>
#include <vector>

#include "data/loader/slots.hpp"

namespace regatta::data {

/// The inputs of the batches. Read by all threads at once.
struct Recipe {
  std::vector<Array> arrays;
  LoaderOptions options;
  std::vector<BatchField> fields;
  std::vector<bool> decodes;  ///< for each field: it is more than copied
};

/// The time that making batches took.
struct FillTimes {
  double decode_seconds = 0;
  double collate_seconds = 0;
};

/// Checks arrays against options. Throws InputError.
Recipe make_recipe(std::vector<Array> arrays, LoaderOptions options);

/// Bytes of each field in a full batch. Throws InputError if one takes more than the memory of all.
std::vector<std::uint64_t> batch_bytes(const Recipe& recipe);

/// Waits until storage has brought what the batches of `chunk` read.
void read_chunk(const Recipe& recipe, const Chunk& chunk);

/// Makes the batches of `chunk`.
FillTimes fill_chunk(const Recipe& recipe, Chunk& chunk);

}  // namespace regatta::data
