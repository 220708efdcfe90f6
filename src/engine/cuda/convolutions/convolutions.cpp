#include "engine/cuda/convolutions/convolutions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/cuda/convolutions/plans_file.hpp"
#include "engine/cuda/convolutions/selection.hpp"
#include "engine/cuda/device/check.hpp"
#include "regatta/base/clock.hpp"

namespace regatta::engine::cuda {

namespace {

constexpr double kShareOfTime = 0.25;  // share of the time left for choosing that one convolution may take
constexpr double kLeastShare = 0.05;   // each has, of all of it: the last ones of a large model are no less slow

const char* name_of(Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return "fp32";
    case Precision::bf16:
      return "bf16";
    case Precision::tf32:
      return "tf32";
  }
  return "";
}

}  // namespace

struct Convolutions::State {
  ConvolutionSettings settings;
  Target target;
  DeviceMemorySource memory;
  PlansFile file{settings.choices_file};
  double seconds_left = settings.choosing_seconds;
  bool is_opened = false;
  std::optional<CudnnLibrary> library = {};
  std::string missing = {};
  cudnnHandle_t handle = nullptr;
  std::optional<cudaStream_t> stream = {};  ///< the handle's
  std::map<std::pair<ConvolutionKind, ConvolutionShape>, SelectedPlan> plans = {};

  ~State() {
    plans.clear();
    if (handle != nullptr) library->destroy(handle);
  }

  void open() {
    if (is_opened) return;
    is_opened = true;
    OpenedCudnn opened = open_cudnn();
    library = opened.library;
    missing = std::move(opened.missing);
    if (!library) return;
    const cudnnStatus_t status = library->create(&handle);
    if (status == CUDNN_STATUS_SUCCESS) return;
    handle = nullptr;
    missing = refusal_text(*library, "cudnnCreate", status) +
              " (convolutions become products of unfolded inputs, which read and write more memory); look whether "
              "cuDNN, driver and CUDA fit one another";
  }

  void use(cudaStream_t wanted) {
    if (stream == wanted) return;
    const cudnnStatus_t status = library->set_stream(handle, wanted);
    if (status == CUDNN_STATUS_SUCCESS) {
      stream = wanted;
      return;
    }
    throw DeviceError(refusal_text(*library, "cudnnSetStream", status) +
                      " (a convolution of this step is not computed); take another version of cuDNN, or report this "
                      "line");
  }

  [[nodiscard]] std::string key_in_file(const std::string& convolution) const {
    return fmt::format("{} {} {} cuDNN {} {}", convolution, name_of(settings.precision),
                       settings.deterministic ? "deterministic" : "any", cudnn_version_text(library->get_version()),
                       settings.device);
  }

  SelectedPlan select(ConvolutionKind kind, const ConvolutionShape& shape) {
    use(target.stream);
    const PlanWorkshop workshop{*library, handle, settings, target, memory};
    const std::string key = key_in_file(text_of(kind, shape));
    if (const std::optional<PlanChoice> choice = file.find(key)) {
      SelectedPlan known = made_of(workshop, kind, shape, *choice);
      if (known.is_found()) return known;
      file.forget(key);
    }
    SelectedPlan selected = select_anew(workshop, kind, shape);
    if (!selected.is_found()) return selected;
    // Kept although it was not timed, too: bits depend on it, so who comes later takes the same.
    const PlanChoice kept = file.add(key, selected.choice());
    if (kept == selected.choice()) return selected;
    SelectedPlan theirs = made_of(workshop, kind, shape, kept);
    return theirs.is_found() ? std::move(theirs) : std::move(selected);
  }

  SelectedPlan select_anew(const PlanWorkshop& workshop, ConvolutionKind kind, const ConvolutionShape& shape) {
    if (settings.choosing_seconds <= 0) {
      SelectedPlan rival = usual_way(kind, shape, "");
      return rival.is_found() ? std::move(rival) : first_plan(workshop, kind, shape);
    }
    const double begin = steady_seconds();
    const double share = std::max(kShareOfTime * seconds_left, kLeastShare * settings.choosing_seconds);
    SelectedPlan fastest = fastest_plan(workshop, kind, shape, share);
    seconds_left -= steady_seconds() - begin;
    return fastest;
  }

  /// The rival without a trial; where there is none, nothing, for this reason.
  [[nodiscard]] SelectedPlan usual_way(ConvolutionKind kind, const ConvolutionShape& shape,
                                       const std::string& refusal) const {
    const std::vector<int> ways = settings.ways_of_rival(kind, shape);
    if (ways.empty()) return {nullptr, refusal, {}};
    return {nullptr, kRivalComputes, ways[0]};
  }

  [[nodiscard]] SelectedPlan made_of(const PlanWorkshop& workshop, ConvolutionKind kind, const ConvolutionShape& shape,
                                     const PlanChoice& choice) const {
    if (!choice.way) return known_plan(workshop, kind, shape, choice);
    const std::vector<int> ways = settings.ways_of_rival(kind, shape);
    if (std::find(ways.begin(), ways.end(), *choice.way) != ways.end()) return {nullptr, kRivalComputes, choice.way};
    return {nullptr, "the rival has no such way", {}};
  }
};

Convolutions::Convolutions(ConvolutionSettings settings, const Target& target, DeviceMemorySource memory)
    : state_(new State{std::move(settings), target, std::move(memory)}) {}

Convolutions::~Convolutions() = default;

const std::string& Convolutions::missing() {
  state_->open();
  return state_->missing;
}

const ConvolutionPlan* Convolutions::find(ConvolutionKind kind, const ConvolutionShape& shape) {
  const auto found = state_->plans.find({kind, shape});
  if (found != state_->plans.end()) return found->second.plan.get();
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  require(cudaStreamIsCapturing(state_->target.stream, &capture), "cudaStreamIsCapturing");
  expect(capture == cudaStreamCaptureStatusNone, "plans of convolutions are found before a capture begins");
  state_->open();
  SelectedPlan selected =
      state_->handle != nullptr ? state_->select(kind, shape) : state_->usual_way(kind, shape, state_->missing);
  return state_->plans.emplace(std::pair(kind, shape), std::move(selected)).first->second.plan.get();
}

std::optional<int> Convolutions::way(ConvolutionKind kind, const ConvolutionShape& shape) const {
  const auto found = state_->plans.find({kind, shape});
  return found == state_->plans.end() ? std::nullopt : found->second.way;
}

std::string Convolutions::refusal(ConvolutionKind kind, const ConvolutionShape& shape) const {
  const auto found = state_->plans.find({kind, shape});
  return found == state_->plans.end() ? std::string() : found->second.refusal;
}

void Convolutions::run(const Target& target, const ConvolutionPlan& plan, const Memory& memory) {
  state_->use(target.stream);
  run_plan(*state_->library, state_->handle, target, plan, memory);
}

std::int64_t scratch_bytes(const ConvolutionPlan& plan) { return plan.places.bytes; }

std::string text_of(const ConvolutionPlan& plan) {
  std::string text = fmt::format("cuDNN engine {}", plan.choice.engine.engine);
  if (!plan.choice.engine.knobs.empty()) text += ", knobs";
  for (const Knob& knob : plan.choice.engine.knobs) text += fmt::format(" {}={}", knob.type, knob.value);
  return plan.choice.widened ? text + ", over padded images" : text;
}

std::string cudnn_version() {
  const OpenedCudnn opened = open_cudnn();
  return opened.library ? "cuDNN " + cudnn_version_text(opened.library->get_version()) : opened.missing;
}

}  // namespace regatta::engine::cuda
