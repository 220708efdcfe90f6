// A cell measured again with one thing changed, to see what its time goes to (measuring.md, R17). An intervention is no
// parameter: what it measures is never a trial.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/model/model.hpp"
#include "regatta/sweep/parameters.hpp"

namespace regatta::sweep {

enum class InterventionKind : std::uint8_t {
  unchanged,        ///< the cell as it is: what the others are measured against
  input_resident,   ///< every step works on a batch that is in place: nothing is fed, copied or converted
  kernels_emptied,  ///< every operation is dispatched and computes nothing
  exchange_off,     ///< each rank of several trains by its own gradients
  batch             ///< the same model at another batch: what does not shrink with it are calls
};

struct Intervention {
  InterventionKind kind = InterventionKind::unchanged;
  std::int64_t batch = 0;  ///< for the kind `batch`, else 0
  bool operator==(const Intervention&) const = default;
};

/// All kinds, in order.
const std::vector<InterventionKind>& intervention_kinds();

/// "unchanged", "input_resident", "kernels_emptied", "exchange_off", "batch": the names in the protocol and in the
/// result file.
std::string_view name_of(InterventionKind kind);

/// "input_resident", "batch 4".
std::string text_of(const Intervention& intervention);

/// Reads text_of back.
std::optional<Intervention> parse_intervention(std::string_view text);

/// Whether a worker must offer it by name; the others change only the parameters.
bool needs_engine(InterventionKind kind);

/// Whether a step still does the same work, so that its losses can be compared.
bool keeps_work(InterventionKind kind);

/// The trial's parameters as the intervention changes them.
Parameters changed(Parameters parameters, const Intervention& intervention);

/// The interventions that make sense for this trial, the unchanged cell first; empty if nothing can be changed. `model`
/// is null if the trial has none. Whether the engine offers them is known only once its worker runs.
std::vector<Intervention> interventions_for(const Parameters& parameters, const model::Model* model);

}  // namespace regatta::sweep
