#include "regatta/model/fft_tiling.hpp"

#include <algorithm>
#include <bit>

#include "regatta/model/shapes.hpp"

namespace regatta::model {

namespace {

constexpr std::int64_t kBatch = 32;

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

FftTiling tiling_of(const ConvolutionSize& size, std::int64_t points) {
  const std::int64_t taps = divide_up(size.taps, size.stride);
  const std::int64_t positions = points - taps + 1;
  return {size.stride * size.channels, taps, points, positions,
          positions > 0 ? divide_up(size.positions, positions) : 0};
}

/// Multiplications and additions of the products of spectra and of the transforms, which reach a quarter of the
/// products' rate.
double work_of(const ConvolutionSize& size, const FftTiling& tiling) {
  constexpr double kTransforms = 10;
  const auto tiles = static_cast<double>(kBatch * tiling.tiles);
  const auto columns = static_cast<double>(tiling.columns), filters = static_cast<double>(size.filters);
  const auto points = static_cast<double>(tiling.points);
  const double products = 8 * (points / 2 + 1) * tiles * columns * filters;
  const double transform = 2.5 * points * static_cast<double>(std::bit_width(static_cast<std::uint64_t>(points)) - 1);
  return products + kTransforms * transform * (tiles * columns + columns * filters + tiles * filters);
}

double direct_work(const ConvolutionSize& size) {
  return 2 * static_cast<double>(kBatch * size.positions) * static_cast<double>(size.taps * size.channels) *
         static_cast<double>(size.filters);
}

}  // namespace

std::optional<FftTiling> fft_tiling(const ConvolutionSize& size) {
  std::optional<FftTiling> best;
  double least = direct_work(size);
  for (std::int64_t points = fewest_fft_points; points <= most_fft_points; points *= 2) {
    const FftTiling tiling = tiling_of(size, points);
    if (tiling.positions < 1 || work_of(size, tiling) >= least) continue;
    least = work_of(size, tiling);
    best = tiling;
  }
  return best;
}

bool has_fft_convolution(const Network& network) {
  const std::vector<Shape> shapes = infer_shapes(network);
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const auto* layer = std::get_if<Conv1d>(&network.layers[i]);
    if (layer == nullptr) continue;
    const Shape &in = shapes[i], &out = shapes[i + 1];
    if (fft_tiling({in[1], out[0], layer->filters, layer->kernel, layer->stride})) return true;
  }
  return false;
}

}  // namespace regatta::model
