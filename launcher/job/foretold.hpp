// The expected time of a job: from earlier runs of its engines, and the additions of this one.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/host.hpp"
#include "job/job.hpp"
#include "job/start_history.hpp"
#include "regatta/results/tables.hpp"
#include "regatta/sweep/forecast.hpp"

namespace regatta::launcher {

/// How long processes of a job's trials take to start.
struct KnownStarts {
  sweep::Starts starts;
  std::vector<std::string> unknown;            ///< engines that nobody has started here yet, and that may take long to
  std::map<std::string, std::size_t> missing;  ///< trials whose installation is not here, by what to do about it
  std::map<std::string, std::size_t> absent;   ///< trials whose program is not here, by what was looked for
  std::string in_vain;                         ///< why a run would answer nothing; empty if it may
};

/// `plan` is the job's. Programs start at once, and so does the native engine as long as nothing else is
/// known.
KnownStarts known_starts(const Job& job, const sweep::Plan& plan, const StartHistory& history);

struct Foretold {
  std::optional<sweep::Forecast> forecast;          ///< nothing where starts are not known, or something is missing
  std::vector<std::string> unknown;                 ///< see KnownStarts
  std::map<std::string, std::size_t> missing = {};  ///< see KnownStarts
  std::map<std::string, std::size_t> absent = {};   ///< see KnownStarts
  std::string in_vain = {};                         ///< see KnownStarts
  bool has_programs = false;                        ///< their runs are not foretold, though they start at once
  bool is_learnt = true;                            ///< the next run will know them
};

/// Foretells the blocks that are not finished.
Foretold foretell(const Job& job, const sweep::Plan& plan, const StartHistory& history, const HashSet& finished = {});

struct ExpectedTime {
  double seconds = 0;           ///< wall time, within the block's share of `measure.total`
  bool is_learnt = false;       ///< the job knows how long its processes take to start; else it is a rough guess
  std::optional<double> share;  ///< its share of `measure.total`, in seconds
};
ExpectedTime expected_time(const Job& job, const sweep::Block& block);

/// "34 s", "7.5 min", "3.2 h", "76 days".
std::string wait_text(double seconds);

/// Active measuring time of all blocks, on one rank.
double measuring_seconds(const sweep::Sweep& sweep, const sweep::Plan& plan);

/// "about 3 process pairs a contrast fit into 3m; 7 would take about 9m (\"total\": \"9m\")": one line for people,
/// empty where there is nothing to say.
std::string line_of(const sweep::Measure& measure, const Foretold& foretold);

/// Says so where a run would take longer than people expect of a command; `measuring_seconds`: of all blocks.
std::optional<std::string> beyond_a_day(const sweep::Measure& measure, const Foretold& foretold,
                                        double measuring_seconds, int ranks);

/// "2 x jax is not installed for ...": for people, where trials will be skipped because of that.
std::vector<std::string> missing_lines(const Foretold& foretold);

/// "2 x there is no program './heat'", where trials will fail because of that.
std::vector<std::string> absent_lines(const Foretold& foretold);

/// "2 x needs a cuda device, and none is seen here: ...", where `machine` has none for trials that want one.
std::vector<std::string> device_lines(const sweep::Plan& plan, const MachineFolders& machine = {});

/// Keeps how long processes of this run took to start; `started_wall_seconds`: of the run.
void remember_starts(const Job& job, const results::Results& results, double started_wall_seconds,
                     StartHistory& history);

}  // namespace regatta::launcher
