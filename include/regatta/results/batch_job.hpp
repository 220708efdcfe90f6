// The batch job that a session ran in: kept in the journal, in /sessions of NAME.h5 and in `status --json`.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace regatta::results {

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
