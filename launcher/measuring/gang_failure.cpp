#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "children/spawner_client.hpp"
#include "children/worker_death.hpp"
#include "measuring/measuring.hpp"
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
      failed.skip = skipped->kind;
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

void require_one_arithmetic(const std::vector<std::string>& of_ranks) {
  const auto other = std::ranges::find_if(of_ranks, [&](const std::string& each) { return each != of_ranks.front(); });
  if (other == of_ranks.end()) return;
  throw measure::ArmEnded{
      sweep::Skipped{fmt::format("ranks 0 and {} compute in different arithmetic, {} and {} multiply-adds. The bits of "
                                 "a result would depend on which rank takes which samples. Start ranks on processors "
                                 "alike, or all of them with REGATTA_ISA=baseline",
                                 other - of_ranks.begin(), of_ranks.front(), *other),
                     sweep::SkipKind::not_answerable}};
}

}  // namespace regatta::launcher
