// Labels of trials, the same in the terminal, in JSON sentences and in HTML: only the values that tell a trial apart.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "regatta/results/tables.hpp"
#include "regatta/sweep/parameters.hpp"

namespace regatta::analysis {

/// The parameters that vary over the trials of a sweep, in reading order, divided into what is compared and
/// where it is compared.
struct Axes {
  std::vector<sweep::Param> arm;      ///< engine and mode, and what differs between the arms of a block
  std::vector<sweep::Param> stratum;  ///< the others: model, batch, length, ...
  /// The values that an arm has unless its name says otherwise: the baselines'. Set where so many parameters differ
  /// that naming them all would bury those that count.
  std::vector<std::pair<sweep::Param, sweep::Value>> usual = {};
  /// Parameters whose levels repeat a comparison, such as a seed: they name trials, and no setting.
  std::vector<sweep::Param> replicates = {};
};

/// Linear in trials and arms. A sweep in which nothing varies is told apart by its engine and mode.
Axes axes_of(const results::Results& results);

/// "native graph", "mlp-10 batch 32": values that speak for themselves stand alone, the others after their
/// name; what the trial does not read is left out.
std::string label(const sweep::Parameters& parameters, const std::vector<sweep::Param>& shown);

/// The compared values of an arm, without the usual ones: "graph api tf_keras".
std::string arm_label(const sweep::Parameters& parameters, const Axes& axes);

/// "api keras, input array"; empty if nothing is.
std::string usual_text(const Axes& axes);

/// Setting and replicate of one block: "mlp-10 batch 32 seed 3".
std::string block_label(const sweep::Parameters& parameters, const Axes& axes);

/// Arm, setting and replicate in one: "native graph mlp-10 batch 32 seed 3".
std::string trial_label(const sweep::Parameters& parameters, const Axes& axes);

}  // namespace regatta::analysis
