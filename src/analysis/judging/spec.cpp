#include "analysis/judging/judging.hpp"
#include "regatta/base/error.hpp"
#include "regatta/sweep/reader.hpp"

namespace regatta::analysis {

std::optional<sweep::Sweep> spec_of(const results::Results& results) {
  try {
    return sweep::parse_sweep(results.provenance.sweep_json, results.provenance.sweep_file, sweep::any_environment());
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace regatta::analysis
