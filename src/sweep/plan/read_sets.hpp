// What the engine and model of a point read, and whether they can run it: found once for all points that agree in what
// decides it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sweep/plan/points.hpp"

namespace regatta::sweep {

/// What decides which other parameters are read: the engine, the model, and what the table's conditions name.
const std::vector<Param>& reading_params();

/// What may decide, beside these, whether an engine can run a trial, as the table says (skip_reason reads nothing else;
/// a test holds it to that).
const std::vector<Param>& skipping_params();

/// What all trials of one engine and model, driven and fed alike, share.
struct Kind {
  ParamSet read;
  std::string written_out;  ///< ,"model_spec":{...} if the model is
};

class Kinds {
 public:
  Kinds(const Sweep& sweep, const Points& points) : sweep_(sweep), points_(points) {}

  /// Throws InputError if the engine lacks an axis that it needs.
  const Kind& kind_at(const PointLevels& levels);

  /// The number of the reason, in reasons(), for which the trial at this point is skipped; 0 if it runs.
  std::uint32_t skip_at(const PointLevels& levels, const Kind& kind);
  [[nodiscard]] const std::vector<std::string>& reasons() const { return reasons_; }

  /// The values of a trial: what is not read is null.
  [[nodiscard]] Parameters parameters_at(const PointLevels& levels, const Kind& kind) const;

 private:
  using Key = std::vector<LevelId>;

  [[nodiscard]] Kind make_kind(const Parameters& values) const;
  void require_axis(const Parameters& values, Param param) const;
  std::uint32_t number_of(const std::string& reason);

  const Sweep& sweep_;
  const Points& points_;
  std::map<Key, Kind> kinds_;
  std::map<Key, std::uint32_t> skips_;
  std::vector<std::string> reasons_ = {""};
  std::map<std::string, std::uint32_t> number_of_reason_;
};

}  // namespace regatta::sweep
