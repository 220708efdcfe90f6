#include "engine/cuda/convolutions/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "engine/cuda/convolutions/trial.hpp"
#include "regatta/base/clock.hpp"

namespace regatta::engine::cuda {

namespace {

constexpr std::size_t kMostTimed = 8;     // plans for one convolution
constexpr int kRounds = 5;                // each plan so many times, in turns; the fastest counts
constexpr int kWholeRounds = 2;           // the first one loads kernels: so few say nothing yet
constexpr double kHopeless = 1.3;         // times the fastest: is not run in further rounds
constexpr double kRoundSeconds = 0.3e-3;  // at least, for one plan: what the events' clock resolves well
constexpr int kMostRuns = 20;             // in a round
constexpr double kClearlyFaster = 0.97;   // than the first: this share of its time

/// One convolution and what is known of its plans.
struct Search {
  const PlanWorkshop& workshop;
  ConvolutionKind kind;
  const ConvolutionShape& shape;
  ConvolutionTrial trial{workshop, shape, kind};
  std::string refusal = {};

  [[nodiscard]] OperationGraph graph(bool is_widened) const {
    return make_operation_graph(workshop.library, workshop.handle, kind, is_widened ? widened(shape) : shape,
                                workshop.settings.precision);
  }

  /// The plan of that choice, if it may be taken and its first run ends well. Libraries load kernels at the first run,
  /// which a capture does not allow.
  std::unique_ptr<ConvolutionPlan> plan(const PlanChoice& choice) {
    try {
      OperationGraph operations = graph(choice.widened);
      EngineConfiguration configuration = make_configuration(workshop.library, operations, choice.engine);
      return plan(std::move(operations), std::move(configuration), choice.widened);
    } catch (const LostDevice&) {
      throw;
    } catch (const CudnnRefusal& error) {
      refusal = fmt::format("engine {}: {}", choice.engine.engine, error.what());
    } catch (const DeviceError& error) {
      refusal = fmt::format("engine {}: {}", choice.engine.engine, error.what());
    }
    return nullptr;
  }

  std::unique_ptr<ConvolutionPlan> plan(OperationGraph operations, EngineConfiguration configuration, bool is_widened) {
    const ConvolutionSettings& settings = workshop.settings;
    const std::int64_t engine = configuration.choice.engine;
    if (!fits(configuration.notes, settings.precision, settings.deterministic)) {
      refusal = fmt::format("engine {} computes otherwise than asked for (notes {:x})", engine, configuration.notes);
      return nullptr;
    }
    auto made = make_plan(workshop.library, workshop.handle, kind, shape, settings.precision, is_widened,
                          std::move(operations), std::move(configuration));
    if (made->workspace_bytes > settings.workspace_bytes) {
      refusal = fmt::format("engine {} wants {} bytes of workspace", engine, made->workspace_bytes);
      return nullptr;
    }
    trial.seconds_of(*made, 1);
    return made;
  }

  /// The proposals of cuDNN's heuristics, the best first.
  std::vector<EngineChoice> proposed(bool is_widened, cudnnBackendHeurMode_t mode) {
    try {
      std::vector<EngineChoice> all = proposals(workshop.library, graph(is_widened), mode);
      if (all.empty() && refusal.empty()) refusal = "cuDNN proposes no engine for it";
      return all;
    } catch (const CudnnRefusal& error) {
      refusal = error.what();
      return {};
    }
  }

  /// Calls visit(plan) for what works of the proposals, those without copies first, until it says false.
  template <class Visit>
  void for_each_plan(const Visit& visit) {
    for (const bool is_widened : {false, true}) {
      if (is_widened && !has_padding()) return;
      for (const auto mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
        for (const EngineChoice& proposal : proposed(is_widened, mode)) {
          // Made anew from its choice: so it is the same as one that a file tells of.
          auto made = plan(PlanChoice{{}, is_widened, proposal});
          if (made != nullptr && !visit(std::move(made))) return;
        }
      }
    }
  }

  [[nodiscard]] bool has_padding() const { return widened(shape) != shape; }
};

/// Seconds of one run of each: the fastest of some rounds, in turns. run(i, runs) tells what one of them took.
template <class Run>
std::vector<double> timed(std::size_t count, const Run& run, const Deadline& deadline) {
  std::vector<double> seconds(count, std::numeric_limits<double>::infinity());
  for (int round = 0; round < kRounds; ++round) {
    const double fastest = *std::min_element(seconds.begin(), seconds.end());
    for (std::size_t i = 0; i < count; ++i) {
      if (round >= kWholeRounds && (deadline.passed() || seconds[i] > kHopeless * fastest)) continue;
      const double once = std::max(1e-6, round == 0 ? 1.0 : seconds[i]);
      const int runs = std::clamp(static_cast<int>(kRoundSeconds / once), 1, kMostRuns);
      const std::optional<double> took = run(i, runs);
      if (took) seconds[i] = std::min(seconds[i], *took);
    }
  }
  return seconds;
}

}  // namespace

SelectedPlan known_plan(const PlanWorkshop& workshop, ConvolutionKind kind, const ConvolutionShape& shape,
                        const PlanChoice& choice) {
  Search search{workshop, kind, shape};
  auto made = search.plan(choice);
  return {std::move(made), search.refusal, {}};
}

SelectedPlan first_plan(const PlanWorkshop& workshop, ConvolutionKind kind, const ConvolutionShape& shape) {
  Search search{workshop, kind, shape};
  std::unique_ptr<ConvolutionPlan> first;
  search.for_each_plan([&](std::unique_ptr<ConvolutionPlan> made) {
    first = std::move(made);
    return false;
  });
  return {std::move(first), search.refusal, {}};
}

SelectedPlan fastest_plan(const PlanWorkshop& workshop, ConvolutionKind kind, const ConvolutionShape& shape,
                          double seconds) {
  const Deadline built = Deadline::after(seconds / 2);
  const Deadline deadline = Deadline::after(seconds);
  Search search{workshop, kind, shape};
  std::vector<std::unique_ptr<ConvolutionPlan>> plans;
  search.for_each_plan([&](std::unique_ptr<ConvolutionPlan> made) {
    plans.push_back(std::move(made));
    return plans.size() < kMostTimed && !built.passed();
  });
  const std::vector<int> ways = workshop.settings.ways_of_rival(kind, shape);
  const std::size_t first_plan = ways.size();
  if (plans.empty() && ways.empty()) return {nullptr, search.refusal, {}};
  const std::vector<double> took = timed(
      first_plan + plans.size(),
      [&](std::size_t i, int runs) {
        return i < first_plan ? search.trial.seconds_of_way(ways[i], runs)
                              : search.trial.seconds_of(*plans[i - first_plan], runs);
      },
      deadline);
  const auto best = std::min_element(took.begin(), took.end());
  const auto at = *best < kClearlyFaster * took[0] ? static_cast<std::size_t>(best - took.begin()) : 0;
  if (at < first_plan) return {nullptr, kRivalComputes, ways[at]};
  return {std::move(plans[at - first_plan]), "", {}};
}

}  // namespace regatta::engine::cuda
