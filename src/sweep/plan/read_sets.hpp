// The parameters that the engine and model of a point read, and whether they can run it. They are found once for all
// points that agree in the deciding parameters.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sweep/plan/points.hpp"

namespace regatta::sweep {

/// The parameters that decide which others are read: the engine, the model, and the ones that the table's conditions
/// name.
const std::vector<Param>& reading_params();

/// Further parameters that may decide whether an engine can run a trial, as the table says. skip_reason reads nothing
/// else; a test holds it to that.
const std::vector<Param>& skipping_params();

/// The facts that all trials of one engine and model share, if they are driven and fed alike.
struct Kind {
  ParamSet read;
  std::string written_out;  ///< ,"model_spec":{...} if the model is
};

class Kinds {
 public:
  explicit Kinds(const Sweep& sweep);

  /// Throws InputError if the engine lacks an axis that it needs.
  const Kind& kind_at(const Point& point);

  /// Why the trial with these parameters is skipped, if it is; what it does not read is null.
  const std::optional<std::string>& skip_of(const Parameters& parameters);

 private:
  [[nodiscard]] Kind make_kind(const Parameters& values) const;
  [[nodiscard]] std::optional<std::string> why_skipped(const Parameters& parameters) const;
  void require_axis(const Parameters& values, const Param& param) const;

  const Sweep& sweep_;
  std::vector<Param> own_;         ///< axes of the sweep's own
  std::vector<Param> read_by_;     ///< parameters that decide which others are read
  std::vector<Param> skipped_by_;  ///< parameters that decide whether a trial is skipped
  std::string key_;
  std::unordered_map<std::string, Kind> kinds_;
  std::unordered_map<std::string, std::optional<std::string>> skips_;
};

}  // namespace regatta::sweep
