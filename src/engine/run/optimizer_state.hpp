// The state of training as tensors: what a later step depends on beside the weights, so that it can go on elsewhere.
// `addresses` are those of all buffers, the storage's or others in their place.
#pragma once

#include <vector>

#include "engine/ir/program.hpp"
#include "regatta/engine/backend.hpp"
#include "regatta/model/tensors.hpp"

namespace regatta::engine {

/// Session::optimizer_state after so many steps.
std::vector<model::Tensor> state_tensors(const Program& program, const std::vector<void*>& addresses, Backend& backend,
                                         std::int64_t steps);

/// StepState of those tensors. Throws InputError where one is missing, does not fit or belongs to no such session.
StepState checked_state(const Program& program, const std::vector<void*>& addresses,
                        const std::vector<model::Tensor>& state);

/// Writes back what was checked.
void write_state(const Program& program, const std::vector<void*>& addresses, Backend& backend,
                 const StepState& step_state, const std::vector<model::Tensor>& state);

/// Memory of StepState; null where nothing is trained.
void* state_address(const Program& program, const std::vector<void*>& addresses);

/// Throws InputError unless `tensors` holds fp32 values of this name and shape; `what` names the tensors: "weights".
void expect_fits(const char* what, const std::vector<model::Tensor>& tensors, const std::string& name,
                 const model::Shape& shape);

/// The rate as steps compute with it. Throws InputError unless it is finite and at least 0.
float checked_learning_rate(double learning_rate);

}  // namespace regatta::engine
