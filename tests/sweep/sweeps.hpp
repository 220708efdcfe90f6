// Short ways to write sweeps in tests.
#pragma once

#include <string>

#include "json/input_error.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/model_of.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/reader.hpp"

namespace regatta::sweep {

/// A sweep file whose further keys are `keys`, on lines of their own: the first stands on line 2.
inline std::string file_with(const std::string& keys) { return "{\"regatta\": 1, \"name\": \"s\",\n" + keys + "}\n"; }

inline Sweep sweep_with(const std::string& keys) { return parse_sweep(file_with(keys), "s.json"); }

inline Plan plan_with(const std::string& keys) { return make_plan(sweep_with(keys)); }

/// "*0 1 2 | 3": the arms of each block but clones, a star before a baseline.
inline std::string blocks_of(const Plan& plan) {
  std::string text;
  for (const Block& block : plan.blocks) {
    if (block.has_clone) continue;
    if (!text.empty()) text += " | ";
    for (std::size_t i = 0; i < block.arms.size(); ++i)
      text += (i == 0 ? (block.has_baseline ? "*" : "") : " ") + std::to_string(block.arms[i].value);
  }
  return text;
}

/// Axes for tests of what comes after them; the next key stands on line 3.
inline const std::string two_engines =
    "\"axes\": {\"model\": \"mlp-10\", \"engine\": [\"native\", \"numpy\"], \"mode\": [\"eager\", \"graph\"]},\n";

/// The three parameters that an error names, and how many more there are.
inline std::string three_params(const std::string& named) {
  return named + ", or one of 39 more (`regatta schema` lists all)";
}

/// The rule for names in errors.
inline const std::string a_name =
    "a name of at most 100 letters, digits, '.', '_' and '-', beginning with a letter or digit";

/// The advice of errors about an unknown environment.
inline const std::string environment_places =
    "that is declared in \"environments\" or in the --environments file, or installed in the user's cache folder";

inline std::string error_of(const std::string& text) {
  return input_error([&] { make_plan(parse_sweep(text, "s.json")); });
}

inline std::string error_with(const std::string& keys) { return error_of(file_with(keys)); }

/// "mlp-10 1 | mlp-10 2": the values of these parameters in each trial.
inline std::string trials_of(const Plan& plan, const std::vector<Param>& params) {
  std::string text;
  for (const Trial& trial : plan.trials) {
    if (!text.empty()) text += " | ";
    for (const Param param : params) text += (param == params.front() ? "" : " ") + to_text(trial.parameters[param]);
  }
  return text;
}

}  // namespace regatta::sweep
