// What a worker does with a model: build it once, run steps. The seam between workers/native and the engine.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "regatta/model/model.hpp"
#include "regatta/model/tensors.hpp"

namespace regatta::engine {

enum class Mode { eager, graph };
enum class Work { train, infer };
enum class KernelSet { reference, cpu };

/// Instruction set of the cpu kernels. `automatic` is the best one that the processor has.
enum class Isa { automatic, avx512, avx2, baseline };

/// Arithmetic of the products of dense layers and 1-D convolutions. With bf16 their operands are rounded to it and the
/// sums stay fp32, as does everything else; layers with other products are refused. It needs tile registers (AMX).
enum class Precision { fp32, bf16 };

/// algebraic: global average pooling goes in front of the convolutions without activation that a network begins with.
/// The mean of a convolution over all positions is the convolution of the input's means over windows that slide: the
/// same result but for rounding, from less work. A network that does not begin so is refused.
enum class Rewrite { none, algebraic };

/// fft: 1-D convolutions whose products of spectra are less work than the sums themselves are taken by Fourier
/// transforms (model::fft_tiling); the same result but for rounding, except that what is not finite spreads over a
/// tile. A network without such convolutions is refused.
enum class Algorithm { direct, fft };

struct Settings {
  Mode mode = Mode::graph;
  Work work = Work::train;
  KernelSet kernels = KernelSet::cpu;
  std::int64_t batch = 32;
  int threads = 1;
  std::uint64_t seed = 0;  ///< keys dropout, with (step, sample, unit)
  bool dropout = true;     ///< false: dropout layers pass their input on (same-work checks)
  bool fusion = true;      ///< graph only; false: the same calls as eager, to see what fusion brings
  Precision precision = Precision::fp32;
  Rewrite rewrite = Rewrite::none;          ///< not with fft
  Algorithm algorithm = Algorithm::direct;  ///< fft: in fp32
  Isa isa = Isa::automatic;                 ///< for tests of the kernels that this processor would not choose
  bool empty_kernels = false;     ///< every operation is issued and computes nothing: what is left is dispatch
  std::int64_t first_sample = 0;  ///< place of this session's first sample in the global batch
  double choosing_seconds = 0;    ///< time in which kernels may be chosen by timing, where the file below knows none
  std::string choices_file = {};  ///< keeps what was chosen; of this machine and build. Empty: nothing is kept
  /// Called during backward with each completed range of the flat gradient arena (where exchange will start).
  std::function<void(std::span<float>)> gradient_ready = nullptr;
};

/// One batch in the caller's memory, which stays valid while it is used. Shapes: x (batch, input...),
/// y (batch) int32 class indices for sparse categorical cross-entropy, else (batch, outputs) fp32.
/// A model that begins with an embedding reads x_int in place of x.
/// Matmul: x = A, y_float = B, both (size, size). ScalarGradient: x = one value.
struct Batch {
  std::span<const float> x;
  std::span<const float> y_float;
  std::span<const std::int32_t> y_int;
  std::span<const std::int32_t> x_int = {};
};

/// What planning found and costs.
struct PlanInfo {
  double plan_seconds = 0;
  std::uint64_t arena_bytes = 0;     ///< memory for temporaries: the arena, or what eager's allocator holds
  std::int64_t eager_ops = 0;        ///< kernels issued by one eager step
  std::int64_t graph_calls = 0;      ///< prebound calls replayed by one graph step; 0 in eager mode
  std::string isa;                   ///< instruction set of the kernels used: "avx512", "avx2", "baseline", "reference"
  double choosing_seconds = 0;       ///< of plan: choosing kernels
  std::vector<std::string> choices;  ///< of kernels, for operations with more than one way
};

/// A model with its parameters, optimizer state and executor. Eager and graph give the same bits.
class Session {
 public:
  virtual ~Session() = default;

  /// One training step (forward, loss, backward, update), one inference step, one product or one
  /// derivative, as Settings and model say. Returns the mean loss (0 if there is none).
  virtual float step(const Batch& batch) = 0;

  /// The same on the batch of the last step(), which is in place: nothing is checked, imported or fed.
  virtual float step_in_place() = 0;

  /// Per-sample losses of the last step: (batch). Empty if the model has no loss.
  [[nodiscard]] virtual std::span<const float> sample_losses() const = 0;

  /// Output of the last step: (batch, outputs), the product, or the derivative.
  [[nodiscard]] virtual std::span<const float> output() const = 0;

  /// Parameters, and gradients of the last training step, in the order of model::parameters.
  [[nodiscard]] virtual std::vector<model::Tensor> weights() const = 0;
  [[nodiscard]] virtual std::vector<model::Tensor> gradients() const = 0;

  /// Puts weights back (names and shapes as model::parameters) and clears the optimizer's state and step count.
  virtual void load(const std::vector<model::Tensor>& weights) = 0;

  [[nodiscard]] virtual const PlanInfo& plan() const = 0;
};

/// Builds a session. Throws InputError for a layer, loss or activation the engine lacks (naming it),
/// std::bad_alloc if memory does not suffice.
std::unique_ptr<Session> make_session(const model::Model& model, const std::vector<model::Tensor>& weights,
                                      const Settings& settings);

}  // namespace regatta::engine
