#include "measuring/measuring.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/measure/arms.hpp"

namespace regatta::launcher {

using measure::ArmEnded;
using sweep::FailureKind;

FailureKind kind_of(const protocol::Error& error) {
  if (error.kind == "out_of_memory") return FailureKind::out_of_memory;
  return error.kind == "device" ? FailureKind::device : FailureKind::reported;
}

void end_arm(const protocol::Error& error, WorkerCode code) {
  if (error.kind == "storage" && code != WorkerCode::of_others) throw StorageError(error.message);
  if (error.kind == "unsupported") throw ArmEnded{sweep::Skipped{error.message}};
  throw ArmEnded{sweep::Failed{kind_of(error), error.message}};
}

double sent_at(const Worker& worker) {
  const bool is_sent = !worker.ahead.empty() && worker.unsent.empty();
  return is_sent ? worker.ahead_since_seconds : steady_seconds();
}

}  // namespace regatta::launcher
