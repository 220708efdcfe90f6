// The cost of a session's orchestration, as rank 0 measured it: kept in the journal and in /sessions of NAME.h5.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace regatta::results {

/// NaN: not known. Quantiles are right to a sixteenth, rounded down.
struct Orchestration {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  double elapsed_seconds = unknown;   ///< from the session's begin until this was said
  double foretold_seconds = unknown;  ///< expected time of its blocks; unknown where nobody knew
  double cpu_seconds = unknown;
  double turns = unknown;
  double lag_median_seconds = unknown;
  double lag_p99_seconds = unknown;
  double lag_most_seconds = unknown;
  double inbox_median = unknown;
  double inbox_p99 = unknown;
  double inbox_most = unknown;
  double syncs = unknown;
  double sync_median_seconds = unknown;
  double sync_p99_seconds = unknown;
  double sync_most_seconds = unknown;
  double slots = unknown;
  double idle_share = unknown;
  double idle_share_most = unknown;
  double tail_share = unknown;
};

/// One figure: a key of the journal and of `status --json`, and a column of /sessions.
struct OrchestrationField {
  std::string_view name;
  std::string_view unit;
  std::string_view what;
  double Orchestration::*value;
};

inline constexpr std::array<OrchestrationField, 18> orchestration_fields{{
    {"elapsed", "s", "from its begin until these figures were written", &Orchestration::elapsed_seconds},
    {"foretold", "s", "before it began: for all its blocks, side by side on its slots",
     &Orchestration::foretold_seconds},
    {"cpu_time", "s", "of rank 0's process, its own slot's agent included", &Orchestration::cpu_seconds},
    {"loop_turns", "1", "of rank 0's loop", &Orchestration::turns},
    {"loop_lag_median", "s", "by which a turn of rank 0's loop that had messages of agents came later than it was due",
     &Orchestration::lag_median_seconds},
    {"loop_lag_p99", "s", "the same, of 99 in 100 such turns at most", &Orchestration::lag_p99_seconds},
    {"loop_lag_max", "s", "the same, of all such turns", &Orchestration::lag_most_seconds},
    {"inbox_median", "1", "messages that such a turn had", &Orchestration::inbox_median},
    {"inbox_p99", "1", "the same, of 99 in 100 of them at most", &Orchestration::inbox_p99},
    {"inbox_max", "1", "the same, of all of them", &Orchestration::inbox_most},
    {"syncs", "1", "times that results were made durable", &Orchestration::syncs},
    {"sync_time_median", "s", "that this took", &Orchestration::sync_median_seconds},
    {"sync_time_p99", "s", "the same, of 99 in 100 at most", &Orchestration::sync_p99_seconds},
    {"sync_time_max", "s", "the same, of all", &Orchestration::sync_most_seconds},
    {"slots", "1", "that took part", &Orchestration::slots},
    {"slot_idle_share", "1", "of the time between joining and leaving in which no block ran: over all slots",
     &Orchestration::idle_share},
    {"slot_idle_share_max", "1", "the same, of the slot that was idle most", &Orchestration::idle_share_most},
    {"slot_tail_share", "1", "the part of slot_idle_share that lies behind the last block of each slot",
     &Orchestration::tail_share},
}};

/// The job of a batch system, in its own words.
struct BatchJob {
  std::string id = {};  ///< empty: none
  std::string nodes = {};
  std::string partition = {};
  std::string account = {};
  std::int64_t restarts = 0;  ///< how often it came back into the queue before
  bool operator==(const BatchJob&) const = default;
};

/// One of its texts: a key of `status --json`, and a column of /sessions.
struct BatchJobField {
  std::string_view name;
  std::string_view what;
  std::string BatchJob::*value;
};

inline constexpr std::array<BatchJobField, 4> batch_job_fields = {{
    {"job", "id of the batch system's job; empty: none", &BatchJob::id},
    {"job_nodes", "its nodes, as the batch system lists them", &BatchJob::nodes},
    {"job_partition", "partition of the job", &BatchJob::partition},
    {"job_account", "account of the job", &BatchJob::account},
}};
inline constexpr std::string_view batch_job_restarts = "job_restarts";

}  // namespace regatta::results
