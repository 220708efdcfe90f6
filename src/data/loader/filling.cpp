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

/// Consecutive batches of a chunk, and what they hold.
struct Group {
  std::size_t first = 0;
  std::vector<Position> positions;  ///< of each batch
  std::vector<std::uint32_t> samples;
  std::size_t count = 0;  ///< of `samples`

  void clear() {
    first += positions.size();
    positions.clear();
    count = 0;
  }
};

/// Calls `each(group)` for all batches of a chunk, as soon as `samples` of them are drawn.
template <class Each>
void for_groups(const Recipe& recipe, const Chunk& chunk, std::size_t samples, const Each& each) {
  const Plan& plan = recipe.options.plan;
  Group group;
  const auto batch = static_cast<std::size_t>(batch_of_rank(plan));
  group.samples.resize(std::min(samples + batch, chunk.batches.size() * batch));
  std::optional<EpochOrder> order;
  std::int64_t ordered_epoch = -1;
  for (std::size_t i = 0; i < chunk.batches.size(); ++i) {
    const Position position = position_at(plan, chunk.first_step + static_cast<std::int64_t>(i));
    const auto count = static_cast<std::size_t>(share_of(plan, position.step).count);
    if (position.epoch != ordered_epoch) order.emplace(plan, ordered_epoch = position.epoch);
    order->samples_of(position.step, std::span(group.samples).subspan(group.count, count));
    group.positions.push_back(position);
    group.count += count;
    if (group.count < samples && i + 1 < chunk.batches.size()) continue;
    each(group);
    group.clear();
  }
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

/// One field of a group's batches.
void fill_field(const Recipe& recipe, const Group& group, std::size_t field, Chunk& chunk) {
  const FieldOptions& options = recipe.options.fields[field];
  std::span<const std::uint32_t> left(group.samples);
  for (std::size_t i = 0; i < group.positions.size(); ++i) {
    const LoadedBatch& batch = chunk.batches[group.first + i];
    const auto samples = left.first(static_cast<std::size_t>(batch.count));
    left = left.subspan(samples.size());
    std::byte* const out = batch.fields[field];
    gather(recipe.arrays[field], options, samples, out);
    if (!options.flips) continue;
    mirror(recipe.fields[field], mirror_key(recipe.options.plan, group.positions[i].epoch), samples, out);
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
  for_groups(recipe, chunk, 1, [&](const Group& group) {
    for (const Array& array : recipe.arrays) await_rows(array, std::span(group.samples).first(group.count));
  });
}

FillTimes fill_chunk(const Recipe& recipe, Chunk& chunk) {
  const Plan& plan = recipe.options.plan;
  const bool decodes_any =
      std::any_of(recipe.decodes.begin(), recipe.decodes.end(), [](bool decodes) { return decodes; });
  Parting parting;
  for_groups(recipe, chunk, decodes_any ? samples_at_once : 1, [&](const Group& group) {
    for (std::size_t i = 0; i < group.positions.size(); ++i) {
      LoadedBatch& batch = chunk.batches[group.first + i];
      const Share share = share_of(plan, group.positions[i].step);
      batch.position = group.positions[i];
      batch.count = share.count;
      batch.valid = share.valid;
    }
    for (std::size_t field = 0; field < recipe.arrays.size(); ++field) {
      parting.now(recipe.decodes[field]);
      fill_field(recipe, group, field, chunk);
    }
    parting.now(false);
  });
  return parting.end();
}

}  // namespace regatta::data
