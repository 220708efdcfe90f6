// Whether cuDNN has a plan for the convolutions of the named models, and what it tells of its engines. Nothing is run.
#include <fmt/format.h>

#include <memory>
#include <set>

#include "engine/cuda/convolutions/engines.hpp"
#include "engine/ir/program.hpp"
#include "gpu/contract/contract.hpp"
#include "regatta/base/error.hpp"
#include "regatta/model/catalogue.hpp"

namespace regatta::gpu_contract {
namespace convolutions {
namespace {

using engine::Precision;
using namespace engine::cuda;

constexpr std::int64_t kModelBatch = 32;
constexpr std::int64_t kModelLengths[] = {140,
                                          14000};  // the longer one for models whose kernels do not fit the shorter
constexpr std::int64_t kEight = 8;                 // tensor cores take channels in eights, the fake at least

using Convolution = std::pair<ConvolutionKind, ConvolutionShape>;

struct CollectConvolutions {
  std::set<Convolution>& into;

  void operator()(const engine::Conv1d& op) const { into.emplace(ConvolutionKind::forward, image_of(op.shape)); }
  void operator()(const engine::Conv2d& op) const { into.emplace(ConvolutionKind::forward, image_of(op.shape)); }
  void operator()(const engine::Conv1dKernelGradient& op) const { add(ConvolutionKind::kernel_gradient, op); }
  void operator()(const engine::Conv2dKernelGradient& op) const { add(ConvolutionKind::kernel_gradient, op); }
  void operator()(const engine::Conv1dInputGradient& op) const { add(ConvolutionKind::input_gradient, op); }
  void operator()(const engine::Conv2dInputGradient& op) const { add(ConvolutionKind::input_gradient, op); }
  template <class Op>
  void operator()(const Op& /*op*/) const {}

  template <class Op>
  void add(ConvolutionKind kind, const Op& op) const {
    into.emplace(kind, image_of(op.shape));
  }
};

std::set<Convolution> convolutions_of(const std::string& name) {
  engine::Settings settings;
  settings.batch = kModelBatch;
  std::set<Convolution> all;
  for (const std::int64_t length : kModelLengths) {
    try {
      for (const engine::Op& op : engine::step_ops(engine::lower(*model::find_model(name, length), settings))) {
        std::visit(CollectConvolutions{all}, op.spec);
      }
      return all;
    } catch (const InputError&) {
      if (length == kModelLengths[std::size(kModelLengths) - 1]) throw;
    }
  }
  return all;
}

/// A handle that destroys itself; null where there is none to be had.
using Handle = std::unique_ptr<cudnnContext, decltype(&cudnnDestroy)>;

/// One configuration, as people read it; throws CudnnRefusal where it makes no plan.
std::string planned(const CudnnLibrary& library, cudnnHandle_t handle, const EngineConfiguration& configuration) {
  Descriptor plan(library, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, handle);
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration.configuration);
  plan.finalize();
  std::string text = fmt::format("engine {}, notes {:x}, workspace {}", configuration.choice.engine,
                                 configuration.notes, plan.get<std::int64_t>(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE));
  for (const Knob& knob : configuration.choice.knobs) text += fmt::format(", knob {}={}", knob.type, knob.value);
  return text;
}

/// Fills `details` in; whether one of the proposals is a plan whose arithmetic fits.
bool has_plan(const CudnnLibrary& library, cudnnHandle_t handle, const Convolution& convolution, Precision precision,
              const std::string& prefix, Details& details) {
  const auto& [kind, shape] = convolution;
  int fitting = 0, plans = 0;
  try {
    const OperationGraph graph = make_operation_graph(library, handle, kind, shape, precision);
    for (const auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
      const std::vector<EngineChoice> choices = proposals(library, graph, mode);
      details[prefix + (mode == CUDNN_HEUR_MODE_A ? "proposed" : "to fall back to")] = std::to_string(choices.size());
      for (const EngineChoice& choice : choices) {
        try {
          const EngineConfiguration configuration = make_configuration(library, graph, choice);
          if (!fits(configuration.notes, precision, true)) continue;
          ++fitting;
          const std::string made = planned(library, handle, configuration);
          if (++plans == 1) details[prefix + "first"] = made;
        } catch (const CudnnRefusal& refusal) {
          details[prefix + "refusal"] = refusal.what();
        }
        if (plans > 0) return true;
      }
    }
  } catch (const CudnnRefusal& refusal) {
    details[prefix + "refusal"] = refusal.what();
  }
  details[prefix + "fitting"] = std::to_string(fitting);
  return false;
}

std::string answer(const Convolution& convolution, Precision precision, Details& details) {
  const OpenedCudnn opened = open_cudnn();
  if (!opened.library) return opened.missing;
  cudnnHandle_t raw = nullptr;
  const cudnnStatus_t status = opened.library->create(&raw);
  if (status != CUDNN_STATUS_SUCCESS) return opened.library->error_string(status);
  const Handle handle(raw, opened.library->destroy);
  details["cuDNN"] = cudnn_version_text(opened.library->get_version());
  if (has_plan(*opened.library, raw, convolution, precision, "", details)) return "a plan";
  const Convolution wide{convolution.first, widened(convolution.second)};
  if (wide == convolution) return "none";
  return has_plan(*opened.library, raw, wide, precision, "over padded images: ", details) ? "a plan" : "none";
}

/// With bf16 operands and fp32 results cuDNN proposes one engine to fall back to, and it takes no long kernels: seen
/// were plans of 20 taps forward and 12 backward, and none of 200 and of 20.
bool is_to_be_had(const Convolution& convolution, Precision precision) {
  constexpr std::int64_t kMostTapsForward = 20, kMostTapsBackward = 12;
  const std::int64_t taps = convolution.second.taps_rows * convolution.second.taps_columns;
  const bool is_forward = convolution.first == ConvolutionKind::forward;
  return precision != Precision::bf16 || taps <= (is_forward ? kMostTapsForward : kMostTapsBackward);
}

const char* name_of(Precision precision) {
  if (precision == Precision::fp32) return "fp32";
  return precision == Precision::tf32 ? "tf32" : "bf16";
}

}  // namespace

std::vector<Case> cases() {
  std::vector<Case> all;
  std::set<std::string> seen;
  for (const std::string& name : model::model_names()) {
    for (const Convolution& convolution : convolutions_of(name)) {
      const ConvolutionShape& shape = convolution.second;
      for (const Precision precision : {Precision::fp32, Precision::tf32, Precision::bf16}) {
        if (precision == Precision::bf16 && (shape.channels % kEight != 0 || shape.filters % kEight != 0)) continue;
        const std::string what =
            fmt::format("convolution {} {}", name_of(precision), text_of(convolution.first, shape));
        if (!seen.insert(what).second) continue;
        all.push_back({name + ": " + what, is_to_be_had(convolution, precision) ? "a plan" : "none",
                       [convolution, precision](Details& details) { return answer(convolution, precision, details); }});
      }
    }
  }
  return all;
}

}  // namespace convolutions

std::vector<Case> convolution_cases() { return convolutions::cases(); }

}  // namespace regatta::gpu_contract
