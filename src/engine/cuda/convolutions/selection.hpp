// The plan that computes a convolution: the known one, the first that works, or the fastest of those that there is time
// to try.
#pragma once

#include "engine/cuda/convolutions/plan.hpp"
#include "engine/cuda/convolutions/workshop.hpp"

namespace regatta::engine::cuda {

inline constexpr const char* kRivalComputes = "the rival computes it";

struct SelectedPlan {
  std::unique_ptr<ConvolutionPlan> plan;  ///< null: there is none
  std::string refusal;                    ///< why the last one that was looked at is not it
  std::optional<int> way;                 ///< in which the rival computes it in the place of a plan

  /// A plan, or the rival in its place.
  [[nodiscard]] bool is_found() const { return plan != nullptr || way.has_value(); }
  [[nodiscard]] PlanChoice choice() const { return plan != nullptr ? plan->choice : PlanChoice{way, false, {}}; }
};

/// The plan of that choice, or null where it does not work here any more. All of these run what they build once, on
/// memory of their own where there is enough, and throw LostDevice.
SelectedPlan known_plan(const PlanWorkshop& workshop, ConvolutionKind kind, const ConvolutionShape& shape,
                        const PlanChoice& choice);

/// The first in the order of cuDNN's heuristics; over widened images where none computes the padding.
SelectedPlan first_plan(const PlanWorkshop& workshop, ConvolutionKind kind, const ConvolutionShape& shape);

/// The fastest of those that about so many seconds suffice to build and to time; the first where they do not. None,
/// with kRivalComputes as its refusal, where the settings have a rival that no plan is clearly faster than.
SelectedPlan fastest_plan(const PlanWorkshop& workshop, ConvolutionKind kind, const ConvolutionShape& shape,
                          double seconds);

}  // namespace regatta::engine::cuda
