#include "data/loader/filling.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "data/loader/gather.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/random.hpp"
#include "regatta/base/units.hpp"

namespace regatta::data {
namespace {

constexpr std::uint64_t mirror_stream = std::uint64_t{1} << 35;  // apart from those of weights, x, y and the order

std::uint64_t mirror_key(const Plan& plan, std::int64_t epoch) {
  return random_bits(random_bits(plan.seed, mirror_stream), static_cast<std::uint64_t>(epoch));
}

/// Calls `each(batch index, position, samples)` for all batches of a chunk.
template <class Each>
void for_batches(const Recipe& recipe, const Chunk& chunk, const Each& each) {
  const Plan& plan = recipe.options.plan;
  std::vector<std::uint32_t> samples;
  std::optional<EpochOrder> order;
  std::int64_t ordered_epoch = -1;
  for (std::size_t i = 0; i < chunk.batches.size(); ++i) {
    const Position position = position_at(plan, chunk.first_step + static_cast<std::int64_t>(i));
    samples.resize(static_cast<std::size_t>(share_of(plan, position.step).count));
    if (position.epoch != ordered_epoch) order.emplace(plan, ordered_epoch = position.epoch);
    order->samples_of(position.step, samples);
    each(i, position, samples);
  }
}

void check_arrays(const std::vector<Array>& arrays, const LoaderOptions& options) {
  if (arrays.empty()) throw InputError("no arrays to load (a batch holds at least one); name some");
  expect(options.fields.size() == arrays.size(), "options for each array");
  for (const Array& array : arrays) {
    if (array.count != arrays.front().count) {
      throw InputError(
          fmt::format("'{}' has {} rows and '{}' {} (a sample is a row of each); use files that belong "
                      "together",
                      arrays.front().name, arrays.front().count, array.name, array.count));
    }
    if (row_bytes(array) == 0)
      throw InputError(fmt::format("the rows of '{}' are empty; correct its shape", array.name));
  }
}

void check_numbers(const LoaderOptions& options) {
  const bool are_few = options.threads <= most_loader_threads && options.read_threads <= most_loader_threads;
  if (options.threads < 0 || options.read_threads < 1 || !are_few) {
    throw InputError(
        fmt::format("the loader is to have {} threads, and {} for storage (0 to {}, and at least one for "
                    "storage); correct it",
                    options.threads, options.read_threads, most_loader_threads));
  }
  if (options.depth < 0 || options.first_step < 0 || options.first_step > most_steps) {
    throw InputError(fmt::format("depth is {} and the first step {} (both count from 0, steps to 2^53); correct them",
                                 options.depth, options.first_step));
  }
}

}  // namespace

Recipe make_recipe(std::vector<Array> arrays, LoaderOptions options) {
  check_arrays(arrays, options);
  options.plan.samples = arrays.front().count;
  check(options.plan);
  check_numbers(options);
  Recipe recipe;
  for (std::size_t i = 0; i < arrays.size(); ++i) recipe.fields.push_back(field_of(arrays[i], options.fields[i]));
  recipe.arrays = std::move(arrays);
  recipe.options = std::move(options);
  return recipe;
}

std::vector<std::uint64_t> batch_bytes(const Recipe& recipe) {
  const auto batch = static_cast<std::uint64_t>(batch_of_rank(recipe.options.plan));
  std::vector<std::uint64_t> bytes;
  for (const BatchField& field : recipe.fields) {
    const std::uint64_t row = row_bytes(field);
    if (row > recipe.options.memory_bytes / batch) {  // before they are multiplied: a claim may be of any size
      throw InputError(
          fmt::format("{} rows of {} take more than the {} of memory that batches may; use smaller batches, or "
                      "more memory",
                      batch, format_size(row), format_size(recipe.options.memory_bytes)));
    }
    bytes.push_back(batch * row);
  }
  return bytes;
}

void read_chunk(const Recipe& recipe, const Chunk& chunk) {
  for_batches(recipe, chunk, [&](std::size_t, const Position&, std::span<const std::uint32_t> samples) {
    for (const Array& array : recipe.arrays) await_rows(array, samples);
  });
}

void fill_chunk(const Recipe& recipe, Chunk& chunk) {
  const Plan& plan = recipe.options.plan;
  for_batches(recipe, chunk, [&](std::size_t at, const Position& position, std::span<const std::uint32_t> samples) {
    LoadedBatch& batch = chunk.batches[at];
    const Share share = share_of(plan, position.step);
    batch.position = position;
    batch.count = share.count;
    batch.valid = share.valid;
    for (std::size_t i = 0; i < recipe.arrays.size(); ++i) {
      const FieldOptions& options = recipe.options.fields[i];
      gather(recipe.arrays[i], options, samples, batch.fields[i]);
      if (options.flips) mirror(recipe.fields[i], mirror_key(plan, position.epoch), samples, batch.fields[i]);
    }
  });
}

}  // namespace regatta::data
