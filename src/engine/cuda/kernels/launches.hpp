// Grids for the kernels that take an operation as an argument. Only where sums are split depends on shapes alone, since
// bits depend on it; all else may depend on the device.
#pragma once

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <string>

#include "engine/cuda/device/launch.hpp"
#include "engine/cuda/kernels/column_sums.cuh"
#include "engine/cuda/kernels/divider.hpp"
#include "engine/cuda/kernels/elements.cuh"
#include "engine/cuda/kernels/tiles.cuh"
#include "regatta/base/error.hpp"

namespace regatta::engine::cuda {

inline float* floats_of(const Memory& memory, std::size_t operand) { return static_cast<float*>(memory[operand]); }

/// Threads for a row of so many columns: a power of two, at most a warp.
inline int lanes_of(std::int64_t columns) {
  return static_cast<int>(std::min<std::uint64_t>(std::bit_ceil(static_cast<std::uint64_t>(columns)), kWarp));
}

constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Throws InputError where a kernel cannot count so many elements.
inline void require_indices(const char* name, std::int64_t elements) {
  if (elements < kIndices) return;
  throw InputError(std::string(name) + ": " + std::to_string(elements) +
                   " elements (on a GPU fewer than 2147483648 are counted here); take a smaller batch");
}

/// A size of something that has passed require_indices.
inline std::int32_t index_of(std::int64_t size) {
  expect(size < kIndices, "a size of what can be counted");
  return static_cast<std::int32_t>(size);
}

/// Whether four floats can be read and written at once at all of these.
inline bool take_packs(std::initializer_list<const void*> places) {
  return std::all_of(places.begin(), places.end(),
                     [](const void* place) { return reinterpret_cast<std::uintptr_t>(place) % 16 == 0; });
}

/// Whether so many bytes from `a` on and so many from `b` on have one in common.
inline bool overlap(const void* a, std::int64_t a_bytes, const void* b, std::int64_t b_bytes) {
  const auto* const first = static_cast<const char*>(a);
  const auto* const second = static_cast<const char*>(b);
  return first < second + b_bytes && second < first + a_bytes;
}

inline constexpr std::int64_t kResidentBlocks = 2048 / kThreads;  ///< a multiprocessor holds at most

inline dim3 blocks_of(std::int64_t x, std::int64_t y = 1, std::int64_t z = 1) {
  constexpr std::int64_t kMost = 65535;  // along y and z
  expect(x < (std::int64_t{1} << 31) && y <= kMost && z <= kMost, "a grid has at most 2^31 x 65535 x 65535 blocks");
  return {static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z)};
}

/// Runs op on `count` elements, four at once where `packs`.
template <class Op>
void launch_elements(const Target& target, const char* name, const Op& op, std::int64_t count, bool packs) {
  if (count == 0) return;
  const std::int64_t threads = packs ? divide_up(count, 4) : count;
  const std::int64_t blocks = std::min(divide_up(threads, kThreads), 4 * kResidentBlocks * target.multiprocessors);
  const Grid grid{blocks_of(blocks), dim3(kThreads)};
  launch(target, name, grid, packs ? each_element<4, Op> : each_element<1, Op>, op, count);
}

/// How threads lie on `columns`; in packs where `packs` and the columns allow.
inline Tiles tiles_of(std::int64_t groups, std::int64_t rows, std::int64_t columns, bool packs) {
  const int pack = packs && columns % 4 == 0 ? 4 : 1;
  return {groups, rows, columns, lanes_of(columns / pack), pack};
}

inline std::int64_t column_tiles(const Tiles& tiles) {
  return divide_up(tiles.columns, std::int64_t{tiles.width} * tiles.pack);
}

/// Runs op on all rows.
template <class Op>
void launch_rows(const Target& target, const char* name, const Op& op, const Tiles& tiles) {
  if (tiles.groups * tiles.rows * tiles.columns == 0) return;
  constexpr std::int64_t kRowsOfThread = 4;  // so that what it prepared serves more than one, once the device is full
  const std::int64_t across = tiles.groups * column_tiles(tiles), down = kThreads / tiles.width;
  const std::int64_t resident = divide_up(kResidentBlocks * target.multiprocessors, across);
  const std::int64_t wanted = std::max(resident, divide_up(tiles.rows, kRowsOfThread * down));
  const std::int64_t parts = std::min({divide_up(tiles.rows, down), wanted, 4 * resident, std::int64_t{65535}});
  const Grid grid{blocks_of(tiles.groups, column_tiles(tiles), parts), dim3(kThreads)};
  launch(target, name, grid, tiles.pack == 4 ? each_row<4, Op> : each_row<1, Op>, op, tiles);
}

inline constexpr std::int64_t kCountersOfSums = 512;  ///< sums of columns have so many tiles at most, where they count

/// In how many parts the rows are summed: a function of the shape alone.
inline std::int64_t sum_parts_of(const Tiles& tiles) {
  constexpr std::int64_t kBlocks = kCountersOfSums;  // fill a device
  constexpr std::int64_t kRowsOfThread = 8;          // at least: a part is worth its block
  const std::int64_t room = kBlocks / std::min(kBlocks, tiles.groups * column_tiles(tiles));
  return std::clamp<std::int64_t>(tiles.rows / (kRowsOfThread * (kThreads / tiles.width)), 1, room);
}

/// How threads lie on x(rows, columns) whose columns are summed; the bits of the sums depend on it.
inline Tiles tiles_of_sums(const float* x, const float* sums, std::int64_t rows, std::int64_t columns) {
  const Tiles tiles = tiles_of(1, rows, columns, true);
  expect(tiles.pack == 1 || take_packs({x, sums}), "columns that are summed are aligned to 16 bytes");
  return tiles;
}

/// The parts, where the workspace holds `sums` sums of each.
inline std::int64_t checked_sum_parts(const Target& target, const Tiles& tiles, std::int64_t sums) {
  static_assert(kCounters >= kCountersOfSums);
  const std::int64_t parts = sum_parts_of(tiles);
  const std::int64_t partial_bytes = tiles.groups * parts * sums * tiles.columns * 4;
  expect(parts == 1 || partial_bytes <= target.workspace_bytes, "the workspace holds the sums of all parts");
  return parts;
}

template <class Term>
void launch_sums(const Target& target, const char* name, const Term& term, const Tiles& tiles) {
  if (tiles.groups * tiles.columns == 0) return;
  const std::int64_t parts = checked_sum_parts(target, tiles, Term::kSums);
  const Grid grid{blocks_of(tiles.groups, column_tiles(tiles), parts), dim3(kThreads)};
  launch(target, name, grid, tiles.pack == 4 ? column_sums<4, Term> : column_sums<1, Term>, term, tiles,
         static_cast<float*>(target.workspace), target.counters);
}

}  // namespace regatta::engine::cuda
