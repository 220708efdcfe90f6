// How a session computes: the words that planning, backends and sessions share.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "regatta/exchange/arena.hpp"

namespace regatta::engine {

enum class Mode { eager, graph };
/// evaluate: the forward half of a training step, loss included, as inference computes it: no dropout, and batch
/// normalization with moments that are not the batch's. Nothing is updated.
enum class Work { train, infer, evaluate };

/// Arithmetic of the products of dense layers and 1-D convolutions. With bf16 their operands are rounded to it and the
/// sums stay fp32, as does everything else; layers with other products are refused. tf32: operands with 10 bits of
/// fraction, on devices that have it. It needs a backend made for it.
enum class Precision { fp32, bf16, tf32 };

/// algebraic: global average pooling goes in front of the convolutions without activation that a network begins with.
/// The mean of a convolution over all positions is the convolution of the input's means over windows that slide: the
/// same result but for rounding, from less work. A network that does not begin so is refused.
enum class Rewrite { none, algebraic };

/// The ranks that update with the summed gradients.
/// - replicated: each rank updates all parameters.
/// - sharded: each rank updates its part, and the others read the new weights. It keeps the optimizer's state of this
///   part alone.
/// No choice changes a bit of a result.
enum class OptimizerState { replicated, sharded };

/// fft: 1-D convolutions whose products of spectra are less work than the sums themselves are taken by Fourier
/// transforms (model::fft_tiling); the same result but for rounding, except that what is not finite spreads over a
/// tile. A network without such convolutions is refused.
enum class Algorithm { direct, fft };

/// Over which samples a training step of several shards takes the moments of batch normalization: those of each shard,
/// or of the whole step, over all ranks.
enum class BatchStatistics { shard, batch };

struct Settings {
  Mode mode = Mode::graph;
  Work work = Work::train;
  std::int64_t batch = 32;  ///< samples that one rank has of a step
  /// Equal parts of the batch whose gradients a training step takes one after the other: 1, 2, 4, ... 64. They are
  /// summed in the order of one binary tree over the parts of all ranks, so that their number over all ranks decides
  /// on bits, not the number of ranks.
  std::int64_t shards = 1;
  BatchStatistics batch_statistics = BatchStatistics::shard;
  std::int64_t ranks = 1;              ///< sessions whose batches make one step (Session::join): 1, 2, 4, ... 64
  exchange::BucketSizes buckets = {};  ///< in which ranks sum
  OptimizerState optimizer_state = OptimizerState::replicated;
  std::uint64_t seed = 0;  ///< keys dropout, with (step, sample, unit)
  bool dropout = true;     ///< false: dropout layers pass their input on (same-work checks)
  bool fusion = true;      ///< graph only; false: the same calls as eager, to see what fusion brings
  Precision precision = Precision::fp32;
  Rewrite rewrite = Rewrite::none;          ///< not with fft
  Algorithm algorithm = Algorithm::direct;  ///< fft: in fp32
  std::int64_t first_sample = 0;            ///< place of this rank's first sample in the global batch
  /// Decoupled from the gradient (Loshchilov and Hutter 2019; AdamW in PyTorch): beside the optimizer's step
  /// w -= lr * weight_decay * w, for all parameters and with the learning rate of that step. 0: off.
  double weight_decay = 0;
  /// Before an update all gradients are multiplied by min(1, clip_norm / (norm + 1e-6)), where the norm is the L2 norm
  /// over all parameters together (torch.nn.utils.clip_grad_norm_). 0: off.
  double clip_norm = 0;
  /// So many steps make one update, with the mean of their gradients. Each draws dropout of its own. 1: off.
  std::int64_t accumulate = 1;
  /// Batch normalization keeps moving moments, which its training steps move and all other work reads. false: those of
  /// other work are a mean of 0 and a variance of 1.
  bool moving_moments = false;
  /// Called during backward with each completed range of the flat gradient arena (where exchange will start), in the
  /// memory of the backend.
  std::function<void(std::span<float>)> gradient_ready = nullptr;
  /// Bytes of that arena, in order: it is called when one of these was passed, and at the end. Empty: for each range.
  std::vector<std::int64_t> gradient_cuts = {};
};

}  // namespace regatta::engine
