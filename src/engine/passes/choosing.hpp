// Which of several ways a product is computed: timed once when a session is built, kept in a file for the
// next one. All ways give the same bits, so eager, graph and every rank may share the choice or not.
#pragma once

#include "engine/ir/program.hpp"
#include "regatta/engine/backend.hpp"
#include "regatta/engine/plan_info.hpp"

namespace regatta::engine {

/// Fills in KernelChoice of the program's operations, from PlanHints::choices_file where it knows them, else by timing
/// for at most about PlanHints::choosing_seconds, and tells `plan`. What there was no time for keeps the backend's own.
void choose_kernels(Program& program, Backend& backend, PlanInfo& plan);

}  // namespace regatta::engine
