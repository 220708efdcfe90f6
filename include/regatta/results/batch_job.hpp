// The batch job that a session ran in: kept in the journal, in /sessions of NAME.h5 and in `status --json`.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace regatta::results {

struct BatchJob {
  std::string id;  ///< empty: it ran in no job, or in one of a system that is not known
  std::string nodes;
  std::string partition;
  std::string account;
  std::int64_t restarts = 0;
  bool operator==(const BatchJob&) const = default;
};

/// One text: a key of the journal and of `status --json`, and a column of /sessions.
struct BatchJobText {
  std::string_view name;
  std::string_view what;
  std::string BatchJob::*value;
};

inline constexpr std::array<BatchJobText, 4> batch_job_texts{{
    {"job_id", "of the batch system (Slurm); empty: it ran in no job", &BatchJob::id},
    {"job_nodes", "as the batch system lists them, such as n[1-4]", &BatchJob::nodes},
    {"job_partition", "of the job", &BatchJob::partition},
    {"job_account", "of the job; empty: the system keeps none", &BatchJob::account},
}};

/// The column beside them: how often the batch system had started this job before.
inline constexpr std::string_view job_restarts_name = "job_restarts";

}  // namespace regatta::results
