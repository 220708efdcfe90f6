#include "support/cuda/cudnn/engines.hpp"

#include <algorithm>

#include "support/cuda/cudnn/orders.hpp"

namespace regatta::cuda_fakes::cudnn {

namespace {

constexpr std::int64_t kTiles = 3;
constexpr std::int64_t kGibibyte = std::int64_t{1} << 30;
constexpr std::int64_t kCounterBytes = 48;
constexpr std::int64_t kMostTapsForward = 20, kMostTapsBackward = 12;  // bf16; 200 and 20 were seen refused
constexpr double kLaunchSeconds = 3e-6;
constexpr double kFlopPerSecond = 30e12;

/// Times the seconds of the fastest.
double slowness(const Configuration& c) {
  switch (c.engine) {
    case kPlain:
      return 10;
    case kTiled:
      return c.tile == 1 ? 2 : 3 + static_cast<double>(c.tile);
    case kTensorCore:
      return 1.5;
    default:
      return 1;
  }
}

bool is_uneven(const Problem& p) { return p.before != p.after; }

Answer supports(std::int64_t engine, const Problem& p) {
  const bool is_bf16 =
      p.x.type == CUDNN_DATA_BFLOAT16 || p.y.type == CUDNN_DATA_BFLOAT16 || p.w.type == CUDNN_DATA_BFLOAT16;
  for (const Tensor* const tensor : {&p.x, &p.w, &p.y}) {
    const auto wanted = is_bf16 && tensor != &p.result() ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
    if (tensor->type != wanted) return {CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE, "these types together"};
    if (!tensor->is_channels_last()) return {CUDNN_STATUS_NOT_SUPPORTED_LAYOUT, "not dense, channels last"};
  }
  if (p.alpha != 1 || p.beta != 0) return {CUDNN_STATUS_NOT_SUPPORTED, "alpha and beta"};
  if (p.dilations != std::vector<std::int64_t>{1, 1}) return {CUDNN_STATUS_NOT_SUPPORTED, "dilations"};
  if (is_uneven(p) && !orders().computes_uneven_padding) {
    return {CUDNN_STATUS_NOT_SUPPORTED_PADDING, "padding differs before and after an axis"};
  }
  if (p.x.extents[1] == 1 && p.w.extents[0] == 1) return {CUDNN_STATUS_NOT_SUPPORTED_SHAPE, "one channel, one filter"};
  const bool takes_bf16 = engine == kTensorCore || engine == kReducedSums || engine == kAtomic;
  if (is_bf16 && !takes_bf16) return {CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE, "bf16"};
  if (is_bf16 && (p.x.extents[1] % 8 != 0 || p.w.extents[0] % 8 != 0)) {
    return {CUDNN_STATUS_NOT_SUPPORTED_SHAPE, "bf16 wants channels and filters in eights"};
  }
  const std::int64_t taps = p.w.extents[2] * p.w.extents[3];
  if (is_bf16 && taps > (p.kind == Kind::forward ? kMostTapsForward : kMostTapsBackward)) {
    return {CUDNN_STATUS_NOT_SUPPORTED_SHAPE, "bf16 operands, fp32 results and so long a kernel"};
  }
  if (engine == kReducedSums && !is_bf16) return {CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE, "fp32"};
  return {};
}

}  // namespace

std::vector<cudnnBackendNumericalNote_t> notes_of(std::int64_t engine) {
  switch (engine) {
    case kAtomic:
      return {CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC};
    case kTensorCore:
      return {CUDNN_NUMERICAL_NOTE_TENSOR_CORE};
    case kDownConverting:
      return {CUDNN_NUMERICAL_NOTE_TENSOR_CORE, CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS};
    case kWinograd:
      return {CUDNN_NUMERICAL_NOTE_WINOGRAD, CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4};
    case kFft:
      return {CUDNN_NUMERICAL_NOTE_FFT};
    case kReducedSums:
      return {CUDNN_NUMERICAL_NOTE_TENSOR_CORE, CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION};
    default:
      return {};
  }
}

std::int64_t workspace_of(const Configuration& c, const Problem& p) {
  if (c.engine == kLargeWorkspace) return kGibibyte;
  if (c.engine == kAtomic) return kCounterBytes;
  if (c.engine == kTiled && c.tile > 0) return (std::int64_t{1} << 12) * c.tile + 4 * p.result().count();
  return 0;
}

double seconds_of(const Configuration& c, const Problem& p) {
  return slowness(c) * (kLaunchSeconds + static_cast<double>(p.flop()) / kFlopPerSecond);
}

std::vector<Configuration> proposals(cudnnBackendHeurMode_t mode, const Problem& p) {
  std::vector<Configuration> all;
  if (mode == CUDNN_HEUR_MODE_A && orders().only_falls_back) return all;
  if (mode == CUDNN_HEUR_MODE_A) {
    all = {{kNoPlan},         {kDownConverting}, {kAtomic},     {kReducedSums}, {kWinograd}, {kFft},
           {kLargeWorkspace}, {kFailing},        {kTensorCore}, {kTiled, 2},    {kTiled, 0}, {kTiled, 1}};
  } else {
    all = {{kPlain}};
  }
  std::erase_if(all, [&](const Configuration& c) { return !supports(c.engine, p).is_good(); });
  return all;
}

Problem problem_of_graph(const Descriptor& graph) { return problem_of(*graph.child(CUDNN_ATTR_OPERATIONGRAPH_OPS)); }

Configuration configuration_of(const Descriptor& from) {
  Configuration configuration{
      from.child(CUDNN_ATTR_ENGINECFG_ENGINE)->one<std::int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX)};
  const auto knobs = from.values.find(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES);
  if (knobs == from.values.end()) return configuration;
  for (const Shared& knob : knobs->second.descriptors) {
    configuration.tile = knob->one<std::int64_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE);
  }
  return configuration;
}

Problem problem_of_configuration(const Descriptor& from) {
  return problem_of_graph(*from.child(CUDNN_ATTR_ENGINECFG_ENGINE)->child(CUDNN_ATTR_ENGINE_OPERATION_GRAPH));
}

Answer check_engine(const Descriptor& engine) {
  const auto index = engine.one<std::int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
  if (index < 0 || index >= kEngines) return {CUDNN_STATUS_BAD_PARAM, "no engine has this index"};
  return supports(index, problem_of_graph(*engine.child(CUDNN_ATTR_ENGINE_OPERATION_GRAPH)));
}

Answer check_heuristics(const Descriptor& heuristics) {
  const auto mode = heuristics.one<cudnnBackendHeurMode_t>(CUDNN_ATTR_ENGINEHEUR_MODE);
  if (mode == CUDNN_HEUR_MODE_A || mode == CUDNN_HEUR_MODE_FALLBACK) return {};
  return {CUDNN_STATUS_NOT_SUPPORTED, "the fake knows the modes A and FALLBACK"};
}

Answer check_configuration(const Descriptor& from) {
  const auto knobs = from.values.find(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES);
  if (knobs == from.values.end()) return {};
  if (configuration_of(from).engine != kTiled) return {CUDNN_STATUS_BAD_PARAM, "the engine has no knob"};
  for (const Shared& knob : knobs->second.descriptors) {
    const auto value = knob->one<std::int64_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE);
    if (knob->one<std::int32_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE) != CUDNN_KNOB_TYPE_TILE_SIZE) {
      return {CUDNN_STATUS_BAD_PARAM, "the engine has no such knob"};
    }
    if (value < 0 || value >= kTiles) return {CUDNN_STATUS_BAD_PARAM, "the knob has no such value"};
  }
  return {};
}

Answer check_plan(const Descriptor& plan) {
  const Configuration c = configuration_of(*plan.child(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG));
  if (c.engine == kNoPlan) {
    return {CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING, "what its kernels need is not on this machine"};
  }
  return {};
}

}  // namespace regatta::cuda_fakes::cudnn
