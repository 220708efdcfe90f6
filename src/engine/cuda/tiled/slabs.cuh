// Slabs of an operand in shared memory: kWide lines of the product's result by kDepth terms of its sums. A thread reads
// its share of the next slab into registers while the one before is multiplied, and stores it after.
#pragma once

#include "engine/cuda/kernels/packs.cuh"

namespace regatta::engine::cuda {

/// How an operand lies in memory: terms of a sum side by side, or the lines that each have a sum of their own.
enum class Along { terms, lines };

inline constexpr int kSlabPadding = 4;  ///< floats behind each row of a slab: fewer threads meet in a bank

template <int kDepth, int kWide>
struct alignas(16) Slab {
  float at[kDepth][kWide + kSlabPadding];
};

/// The slabs of both operands.
template <class A, class B>
struct SlabPair {
  A a;
  B b;
};

template <class Source, Along kAlong, int kDepth, int kWide, int kThreadsOfBlock, int kPack>
class SlabReader {
  static constexpr bool kAreTerms = kAlong == Along::terms;
  static constexpr int kSide = (kAreTerms ? kDepth : kWide) / kPack;  // packs that lie side by side
  static constexpr int kStep = kThreadsOfBlock / kSide;               // rows of packs that the block reads at once
  static constexpr int kOther = kAreTerms ? kWide : kDepth;
  static constexpr int kShare = kOther / kStep;
  static_assert(kThreadsOfBlock % kSide == 0 && kOther % kStep == 0, "every thread reads as many packs");

 public:
  /// `first`: the first of the lines.
  __device__ SlabReader(const Source& source, std::int32_t first, std::int32_t width) : source_(source) {
    const int thread = static_cast<int>(threadIdx.x);
    side_ = thread % kSide * kPack;
    other_ = thread / kSide;
    if constexpr (kAreTerms) {
      REGATTA_UNROLL
      for (int i = 0; i < kShare; ++i) lines_[i] = source.line(first + other_ + i * kStep);
    } else {
      place_ = source.place(first + side_, width);
    }
  }

  /// Reads this thread's share of the terms [begin, begin + kDepth), those from `end` on as zeros.
  __device__ void fetch(std::int32_t begin, std::int32_t end) {
    if constexpr (kAreTerms) {
      const auto place = source_.place(begin + side_, end);
      REGATTA_UNROLL
      for (int i = 0; i < kShare; ++i) packs_[i] = source_.template load<kPack>(lines_[i], place);
    } else {
      REGATTA_UNROLL
      for (int i = 0; i < kShare; ++i) {
        const std::int32_t term = begin + other_ + i * kStep;
        packs_[i] = term < end ? source_.template load<kPack>(source_.line(term), place_) : filled<kPack>(0);
      }
    }
  }

  /// Stores what was fetched.
  __device__ void put(Slab<kDepth, kWide>& slab) const {
    REGATTA_UNROLL
    for (int i = 0; i < kShare; ++i) {
      const int at = other_ + i * kStep;
      if constexpr (kAreTerms) {
        REGATTA_UNROLL
        for (int j = 0; j < kPack; ++j) slab.at[side_ + j][at] = packs_[i].at[j];
      } else {
        store(&slab.at[at][side_], packs_[i]);
      }
    }
  }

 private:
  Source source_;
  int side_, other_;
  typename Source::Line lines_[kAreTerms ? kShare : 1];
  typename Source::Place place_;
  Pack<kPack> packs_[kShare];
};

}  // namespace regatta::engine::cuda
