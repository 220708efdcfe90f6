#include "data/loader/filling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "data/loader/gather.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/random.hpp"
#include "regatta/base/units.hpp"

namespace regatta::data {
namespace {

constexpr std::uint64_t mirror_stream = std::uint64_t{1} << 35;  // apart from those of weights, x, y and the order

std::uint64_t mirror_key(const Plan& plan, std::int64_t epoch) {
  return random_bits(random_bits(plan.seed, mirror_stream), static_cast<std::uint64_t>(epoch));
}

/// Where fields are decoded, so many samples are drawn before the first is: looking at the clock in between costs
/// nothing beside them, and their numbers stay in the nearest cache.
constexpr std::size_t samples_at_once = 2048;

/// Calls `each(batch index, position, samples)` for all batches of a chunk. `samples` are those of the batches since it
/// last returned true, at most `most` of them and a batch: of this one only, where it always does.
template <class Each>
void for_batches(const Recipe& recipe, const Chunk& chunk, std::size_t most, const Each& each) {
  const Plan& plan = recipe.options.plan;
  const auto batch = static_cast<std::size_t>(batch_of_rank(plan));
  std::vector<std::uint32_t> samples(std::min(most + batch, chunk.batches.size() * batch));
  std::optional<EpochOrder> order;
  std::int64_t ordered_epoch = -1;
  std::size_t drawn = 0;
  for (std::size_t i = 0; i < chunk.batches.size(); ++i) {
    const Position position = position_at(plan, chunk.first_step + static_cast<std::int64_t>(i));
    const auto count = static_cast<std::size_t>(share_of(plan, position.step).count);
    if (position.epoch != ordered_epoch) order.emplace(plan, ordered_epoch = position.epoch);
    order->samples_of(position.step, std::span(samples).subspan(drawn, count));
    drawn += count;
    if (each(i, position, std::span<const std::uint32_t>(samples).first(drawn))) drawn = 0;
  }
}

void describe(LoadedBatch& batch, const Plan& plan, const Position& position) {
  const Share share = share_of(plan, position.step);
  batch.position = position;
  batch.count = share.count;
  batch.valid = share.valid;
}

/// Parts a thread's time by what it does; looks at the clock only where that changes.
class Parting {
 public:
  void now(bool decodes) {
    if (decodes == decodes_) return;
    add();
    decodes_ = decodes;
  }
  FillTimes end() {
    add();
    return times_;
  }

 private:
  void add() {
    const double now = steady_seconds();
    (decodes_ ? times_.decode_seconds : times_.collate_seconds) += now - since_seconds_;
    since_seconds_ = now;
  }

  FillTimes times_;
  bool decodes_ = false;
  double since_seconds_ = steady_seconds();
};

/// One field of some batches, whose samples follow one another.
void decode_field(const Recipe& recipe, std::size_t field, std::span<LoadedBatch> batches,
                  std::span<const std::uint32_t> samples) {
  const FieldOptions& options = recipe.options.fields[field];
  for (const LoadedBatch& batch : batches) {
    const auto own = samples.first(static_cast<std::size_t>(batch.count));
    samples = samples.subspan(own.size());
    std::byte* const out = batch.fields[field];
    gather(recipe.arrays[field], options, own, out);
    if (options.flips) mirror(recipe.fields[field], mirror_key(recipe.options.plan, batch.position.epoch), own, out);
  }
}

FillTimes decode_chunk(const Recipe& recipe, Chunk& chunk) {
  Parting parting;
  std::size_t first = 0;
  const auto decode = [&](std::size_t at, const Position& position, std::span<const std::uint32_t> samples) {
    describe(chunk.batches[at], recipe.options.plan, position);
    if (samples.size() < samples_at_once && at + 1 < chunk.batches.size()) return false;
    for (std::size_t field = 0; field < recipe.arrays.size(); ++field) {
      parting.now(recipe.decodes[field]);
      decode_field(recipe, field, std::span(chunk.batches).subspan(first, at + 1 - first), samples);
    }
    parting.now(false);
    first = at + 1;
    return true;
  };
  for_batches(recipe, chunk, samples_at_once, decode);
  return parting.end();
}

FillTimes copy_chunk(const Recipe& recipe, Chunk& chunk) {
  Parting parting;
  for_batches(recipe, chunk, 0, [&](std::size_t at, const Position& position, std::span<const std::uint32_t> samples) {
    LoadedBatch& batch = chunk.batches[at];
    describe(batch, recipe.options.plan, position);
    for (std::size_t i = 0; i < recipe.arrays.size(); ++i)
      gather(recipe.arrays[i], recipe.options.fields[i], samples, batch.fields[i]);
    return true;
  });
  return parting.end();
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
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    recipe.fields.push_back(field_of(arrays[i], options.fields[i]));
    recipe.decodes.push_back(is_decoded(arrays[i], options.fields[i]));
  }
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
  for_batches(recipe, chunk, 0, [&](std::size_t, const Position&, std::span<const std::uint32_t> samples) {
    for (const Array& array : recipe.arrays) await_rows(array, samples);
    return true;
  });
}

FillTimes fill_chunk(const Recipe& recipe, Chunk& chunk) {
  const bool decodes = std::any_of(recipe.decodes.begin(), recipe.decodes.end(), [](bool each) { return each; });
  return decodes ? decode_chunk(recipe, chunk) : copy_chunk(recipe, chunk);
}

}  // namespace regatta::data
