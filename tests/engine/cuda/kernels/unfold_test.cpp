// Convolutions' inputs as matrices, and kernels in cuDNN's order, against plain loops.
#include "engine/cuda/kernels/kernel_test.hpp"

namespace regatta::engine::cuda {
namespace {

std::string text_of(const Unfolding& s) {
  return text({s.samples, s.rows, s.columns, s.channels, s.out_rows, s.out_columns, s.taps_rows, s.taps_columns,
               s.stride_rows, s.stride_columns, s.pad_rows, s.pad_columns});
}

/// Visits the elements of the matrix in order, with their place in x; -1: outside.
template <class Visit>
void for_each_element(const Unfolding& s, const Visit& visit) {
  std::size_t at = 0;
  for (std::int64_t position = 0; position < s.samples * s.out_rows * s.out_columns; ++position) {
    const std::int64_t sample = position / (s.out_rows * s.out_columns);
    const std::int64_t first_row = position / s.out_columns % s.out_rows * s.stride_rows - s.pad_rows;
    const std::int64_t first_column = position % s.out_columns * s.stride_columns - s.pad_columns;
    for (std::int64_t tap = 0; tap < s.taps_rows * s.taps_columns; ++tap) {
      const std::int64_t row = first_row + tap / s.taps_columns;
      const std::int64_t column = first_column + tap % s.taps_columns;
      const bool is_inside = row >= 0 && row < s.rows && column >= 0 && column < s.columns;
      for (std::int64_t channel = 0; channel < s.channels; ++channel) {
        visit(at++, is_inside ? ((sample * s.rows + row) * s.columns + column) * s.channels + channel : -1);
      }
    }
  }
}

std::int64_t matrix_size(const Unfolding& s) {
  return s.samples * s.out_rows * s.out_columns * s.taps_rows * s.taps_columns * s.channels;
}

void compare_both(Random& random, const Unfolding& s) {
  const std::vector<float> x = uniform_floats(random, s.samples * s.rows * s.columns * s.channels);
  std::vector<float> matrix(static_cast<std::size_t>(matrix_size(s)));
  for_each_element(s, [&](std::size_t at, std::int64_t place) {
    matrix[at] = place < 0 ? 0.0F : x[static_cast<std::size_t>(place)];
  });
  const Work unfolds = [&](const Target& target, const Memory& memory) {
    unfold(target, s, static_cast<const float*>(memory[0]), static_cast<float*>(memory[1]));
  };
  const Memories start{x, uniform_floats(random, matrix_size(s))};
  EXPECT_TRUE(same_bits(run_all_ways(unfolds, start, text_of(s))[1], matrix)) << text_of(s);
  const std::vector<float> gradient = uniform_floats(random, matrix_size(s));
  std::vector<double> sums(x.size());
  for_each_element(s, [&](std::size_t at, std::int64_t place) {
    if (place >= 0) sums[static_cast<std::size_t>(place)] += gradient[at];
  });
  const Work folds = [&](const Target& target, const Memory& memory) {
    fold(target, s, static_cast<const float*>(memory[0]), static_cast<float*>(memory[1]));
  };
  const std::vector<float> dx = run_all_ways(folds, {gradient, x}, text_of(s))[1];
  for (std::size_t i = 0; i < dx.size(); ++i) {
    ASSERT_NEAR(dx[i], sums[i], sum_tolerance(s.taps_rows * s.taps_columns)) << text_of(s) << i;
  }
}

/// Positions and padding of an axis; with `same` every stride-th place has one.
void set_axis(Random& random, bool same, std::int64_t taps, std::int64_t stride, std::int64_t& size,
              std::int64_t& positions, std::int64_t& pad) {
  size = uniform(random, same ? 1 : taps, 13);
  positions = same ? (size + stride - 1) / stride : (size - taps) / stride + 1;
  pad = same ? (std::max((positions - 1) * stride + taps, size) - size) / 2 : 0;
}

TEST(CudaUnfold, MatrixAndSumsOfImagesAgreeWithPlainLoops) {
  Random random(test_seed());
  for (int i = 0; i < 40; ++i) {
    Unfolding s{};
    s.samples = uniform(random, 1, 3);
    s.channels = i % 2 == 0 ? 4 * uniform(random, 1, 2) : uniform(random, 1, 5);
    s.taps_rows = s.taps_columns = uniform(random, 1, 4);
    s.stride_rows = s.stride_columns = uniform(random, 1, 4);
    const bool same = uniform(random, 0, 1) == 1;
    set_axis(random, same, s.taps_rows, s.stride_rows, s.rows, s.out_rows, s.pad_rows);
    set_axis(random, same, s.taps_columns, s.stride_columns, s.columns, s.out_columns, s.pad_columns);
    compare_both(random, s);
  }
}

TEST(CudaUnfold, SequencesAreImagesOfOneRow) {
  Random random(test_seed());
  for (int i = 0; i < 30; ++i) {
    Unfolding s{.samples = 2,
                .rows = 1,
                .columns = 1,
                .channels = uniform(random, 1, 8),
                .out_rows = 1,
                .out_columns = 1,
                .taps_rows = 1,
                .taps_columns = uniform(random, 1, 12),
                .stride_rows = 1,
                .stride_columns = uniform(random, 1, 5),
                .pad_rows = 0,
                .pad_columns = 0};
    set_axis(random, i % 2 == 0 || s.taps_columns > 12, s.taps_columns, s.stride_columns, s.columns, s.out_columns,
             s.pad_columns);
    compare_both(random, s);
  }
}

TEST(CudaUnfold, KernelsComeIntoTheOrderOfFiltersAndBack) {
  Random random(test_seed());
  for (const std::int64_t filters : {1, 31, 32, 33, 70}) {
    const std::int64_t taps = 5, channels = 7;
    const std::vector<float> kernel = uniform_floats(random, taps * channels * filters);
    const Work there = [&](const Target& target, const Memory& memory) {
      filters_first(target, static_cast<const float*>(memory[0]), static_cast<float*>(memory[1]), taps, channels,
                    filters);
    };
    const Work back = [&](const Target& target, const Memory& memory) {
      filters_last(target, static_cast<const float*>(memory[0]), static_cast<float*>(memory[1]), taps, channels,
                   filters);
    };
    const std::vector<float> first = run_all_ways(there, {kernel, std::vector<float>(kernel.size())}, "there")[1];
    for (std::int64_t filter = 0; filter < filters; ++filter) {
      for (std::int64_t at = 0; at < taps * channels; ++at) {
        ASSERT_EQ(first[static_cast<std::size_t>(filter * taps * channels + at)],
                  kernel[static_cast<std::size_t>(at * filters + filter)]);
      }
    }
    EXPECT_TRUE(same_bits(run_all_ways(back, {first, std::vector<float>(kernel.size())}, "back")[1], kernel));
  }
}

}  // namespace
}  // namespace regatta::engine::cuda
