#include "life.hpp"

#include <array>
#include <string>

#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"
#include "session.hpp"

namespace regatta::simulation {
namespace {

constexpr int most_stormy_sessions = 6;

struct Planned {
  sweep::Sweep sweep;
  sweep::Plan plan;
};

Planned planned(const std::string& body) {
  Planned result;
  result.sweep = sweep::parse_sweep(R"({"regatta": 1, "name": "s", )" + body + "}", "s.json", sweep::any_environment());
  result.plan = sweep::make_plan(result.sweep);
  return result;
}

/// Few blocks, many small ones that travel in ranges, blocks of several arms, and such as need several agents.
const Planned& plan_for(Random& random) {
  static const std::array<Planned, 6> plans = {
      planned(R"("axes": {"model": "noop"}, "repeats": 3)"),
      planned(R"("axes": {"model": "noop"}, "repeats": 25)"),
      planned(R"("axes": {"model": "noop"}, "repeats": 90)"),
      planned(R"("axes": {"model": "mlp-10", "mode": ["eager", "graph"], "batch": [1, 2, 4, 8, 16, 32]},
                 "compare": {"over": ["mode"], "baseline": {"mode": "graph"}}, "measure": {"again": false})"),
      planned(R"("axes": {"model": "mlp-10", "batch": 64, "ranks": [1, 2, 4]}, "repeats": 12)"),
      planned(R"("axes": {"model": "mlp-10", "batch": [64, 128], "mode": ["eager", "graph"], "ranks": [1, 2, 4]},
                 "compare": {"over": ["ranks"], "baseline": {"ranks": 1}}, "measure": {"again": false})")};
  return plans[random.below(plans.size())];
}

Weather weather_for(Random& random, int session) {
  Weather weather;
  weather.agents = static_cast<std::uint32_t>(1 + random.below(5));
  weather.longest_block = random.chance(0.5) ? 0.02 : 2;
  weather.longest_way = random.chance(0.2) ? 0.5 : 0.02;
  weather.death = random.chance(0.5) ? 0 : random.between(0, 0.6);
  weather.repeated = random.chance(0.5) ? 0 : 0.1;
  weather.clock_jump = random.chance(0.5) ? 0 : 0.1;
  weather.slow_sync = random.chance(0.5) ? 0 : random.real();
  if (session >= most_stormy_sessions) return weather;
  if (random.chance(0.5)) weather.crash_seconds = random.between(0, 10);
  if (random.chance(0.3)) weather.drain_seconds = random.between(0, 5);
  if (random.chance(0.2)) weather.failing_sync = 0.1;
  if (random.chance(0.5)) weather.silence = random.between(0, 0.5);
  return weather;
}

}  // namespace

Life live(std::uint64_t seed) {
  Random random(seed);
  const Planned& planned = plan_for(random);
  Store store(planned.sweep, planned.plan, random);
  Life life;
  for (bool complete = false; !complete; ++life.sessions) {
    Session session(planned.sweep, planned.plan, store, weather_for(random, life.sessions), random);
    const End end = session.run();
    life.crashes += end == End::crashed ? 1 : 0;
    life.lost_agents += session.lost_an_agent() ? 1 : 0;
    life.failed_disks += end == End::disk_failed ? 1 : 0;
    life.drains += end == End::finished && session.drained() ? 1 : 0;
    complete = end == End::finished && !session.drained() && !session.left_blocks();
  }
  store.check_complete();
  return life;
}

}  // namespace regatta::simulation
