#include "measuring/gang_failure.hpp"

#include <variant>

#include "children/spawner_client.hpp"
#include "children/worker_death.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/measure/arms.hpp"

namespace regatta::launcher {

protocol::GangFailed failure_now(const protocol::GangPlace& place) {
  protocol::GangFailed failed;
  failed.place = place;
  failed.seconds = steady_seconds();
  try {
    throw;
  } catch (const WorkerDied& died) {
    failed.died = true;
    failed.kind = died.kind;
    failed.message = died.what();
  } catch (const GivenUp&) {
    failed.gave_up = true;
  } catch (const measure::ArmEnded& ended) {
    if (const auto* skipped = std::get_if<sweep::Skipped>(&ended.outcome)) {
      failed.skips = true;
      failed.message = skipped->reason;
    } else if (const auto* own = std::get_if<sweep::Failed>(&ended.outcome)) {
      failed.kind = own->kind;
      failed.message = own->message;
    }
  }
  return failed;
}

bool comes_before(const protocol::GangFailed& a, const protocol::GangFailed& b) {
  if (a.told != b.told) return b.told;
  if (a.died != b.died) return a.died;
  return a.seconds < b.seconds;
}

}  // namespace regatta::launcher
