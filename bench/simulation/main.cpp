// One coordinator with up to thousands of agents, in virtual time (docs/background/scaling.md).
//
//   bench_simulation [--agents 64,512,4096] [--trial 0.01,1] [--sync 0.0001] [--trials 1000000] [--arms 4]
//                    [--link FILE] [--json] ...
//
// Times in seconds. FILE is what bench_link measured of the link; without it the link costs nothing.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "simulation/simulate.hpp"
#include "simulation/workload.hpp"

namespace {

using namespace regatta::scale;
using Json = nlohmann::json;

constexpr int exit_bad_input = 2;

struct Options {
  std::vector<double> agents = {64, 512, 4096};
  std::vector<double> trial_seconds = {1e-3, 1e-2, 1e-1, 1, 10};
  std::vector<double> sync_seconds = {1e-4};
  std::map<std::string, double> numbers = {};
  std::string link_file = {};
  bool json = false;
};

std::vector<double> list_of(const std::string& text) {
  std::vector<double> values;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    values.push_back(std::stod(text.substr(at, end - at)));
    at = end + 1;
  }
  return values;
}

Options options_of(int argc, char** argv) {
  Options options;
  const std::vector<std::string> numbers = {"trials",       "arms",        "groups",  "kinds", "spread",
                                            "stragglers",   "deaths",      "leavers", "drain", "seed",
                                            "shortest-way", "longest-way", "fixed",   "free"};
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--json") {
      options.json = true;
      continue;
    }
    if (i + 1 >= argc || !name.starts_with("--")) throw std::invalid_argument("'" + name + "' has no value");
    const std::string value = argv[++i];
    const std::string plain = name.substr(2);
    if (plain == "agents")
      options.agents = list_of(value);
    else if (plain == "trial")
      options.trial_seconds = list_of(value);
    else if (plain == "sync")
      options.sync_seconds = list_of(value);
    else if (plain == "link")
      options.link_file = value;
    else if (std::find(numbers.begin(), numbers.end(), plain) != numbers.end())
      options.numbers[plain] = std::stod(value);
    else
      throw std::invalid_argument("there is no option '" + name + "'");
  }
  return options;
}

/// The link costs that were measured with the nearest number of ranks.
LinkCosts link_costs(const std::string& file, double agents) {
  if (file.empty()) return {};
  std::ifstream in(file);
  if (!in) throw std::invalid_argument("cannot read '" + file + "'");
  const Json record = Json::parse(in);
  const Json* nearest = nullptr;
  for (const Json& each : record.at("link")) {
    const auto off = [&](const Json& of) { return std::abs(of.at("ranks").get<double>() - agents); };
    if (nearest == nullptr || off(each) < off(*nearest)) nearest = &each;
  }
  if (nearest == nullptr) throw std::invalid_argument("'" + file + "' holds no measurement");
  const auto message = [&](const char* name) {
    const Json& cost = nearest->at(name);
    return MessageCost{cost.at("seconds"), cost.at("byte_seconds")};
  };
  return {nearest->at("probe_seconds"), message("receive"), message("send")};
}

Setup setup_of(const Options& options) {
  Setup setup;
  const auto set = [&](const char* name, auto& value) {
    const auto found = options.numbers.find(name);
    if (found != options.numbers.end()) value = static_cast<std::remove_reference_t<decltype(value)>>(found->second);
  };
  set("trials", setup.mix.trials);
  set("arms", setup.mix.arms);
  set("groups", setup.mix.groups);
  set("kinds", setup.mix.kinds);
  set("spread", setup.mix.spread);
  set("stragglers", setup.mix.stragglers);
  set("deaths", setup.mix.deaths);
  set("leavers", setup.mix.leavers);
  set("drain", setup.mix.drain);
  set("seed", setup.seed);
  set("shortest-way", setup.machine.shortest_way_seconds);
  set("longest-way", setup.machine.longest_way_seconds);
  if (const auto fixed = options.numbers.find("fixed"); fixed != options.numbers.end())
    setup.machine.fixed_seconds = fixed->second;
  return setup;
}

Json json_of(const Setup& setup, const Found& found, double real_seconds) {
  return {{"agents", setup.machine.agents},
          {"trials", setup.mix.trials},
          {"arms", setup.mix.arms},
          {"trial_seconds", setup.mix.trial_seconds},
          {"sync_seconds", setup.machine.sync_seconds},
          {"window_seconds", found.window_seconds},
          {"whole_seconds", found.whole_seconds},
          {"ideal_seconds", found.ideal_seconds},
          {"busy_share", found.busy_share},
          {"idle_share", found.idle_share},
          {"cpu_seconds", found.cpu_seconds},
          {"link_seconds", found.parts.link_seconds},
          {"parse_seconds", found.parts.parse_seconds},
          {"dispatch_seconds", found.parts.dispatch_seconds},
          {"store_seconds", found.parts.store_seconds},
          {"pack_seconds", found.parts.pack_seconds},
          {"progress_seconds", found.parts.progress_seconds},
          {"sync_share", found.sync_share},
          {"inbox_median", found.inbox.median},
          {"inbox_p99", found.inbox.p99},
          {"inbox_most", found.inbox.most},
          {"wait_p50_seconds", found.wait_p50_seconds},
          {"wait_p99_seconds", found.wait_p99_seconds},
          {"decisions", found.decisions},
          {"messages", found.messages},
          {"syncs", found.syncs},
          {"blocks", found.blocks},
          {"recorded", found.recorded},
          {"recorded_twice", found.recorded_twice},
          {"failed_attempts", found.failed_attempts},
          {"gangs", found.gangs},
          {"gang_wait_p50_seconds", found.gang_waits.p50_seconds},
          {"gang_wait_p99_seconds", found.gang_waits.p99_seconds},
          {"gang_wait_longest_seconds", found.gang_waits.longest_seconds},
          {"longest_attempt_seconds", found.gang_waits.longest_attempt_seconds},
          {"returned", found.returned},
          {"trials_in_window", found.trials_in_window},
          {"real_seconds", real_seconds}};
}

constexpr const char* heading =
    "agents  trial s   sync s |  trials/s decisions/s | CPU us  link us | busy %  idle %  (free) | inbox 50%    99%    "
    " "
    "max | wait ms 50%    99% |   wall s  ideal s\n";
constexpr const char* line =
    "{:>6} {:>8g} {:>8g} | {:>9.0f} {:>11.0f} | {:>6.2f} {:>8.2f} | {:>6.1f} {:>7.1f} {:>7} | {:>9} {:>6} {:>7} | "
    "{:>11.2f} "
    "{:>6.1f} | {:>8.5g} {:>8.5g}\n";

void print(const Setup& setup, const Found& found, std::optional<double> free_idle) {
  const auto trials = static_cast<double>(found.trials_in_window);
  fmt::print(line, setup.machine.agents, setup.mix.trial_seconds, setup.machine.sync_seconds,
             trials / found.window_seconds, static_cast<double>(found.decisions) / found.window_seconds,
             1e6 * found.cpu_seconds / trials, 1e6 * found.parts.link_seconds / trials, 100 * found.busy_share,
             100 * found.idle_share, free_idle ? fmt::format("{:.1f}", 100 * *free_idle) : "", found.inbox.median,
             found.inbox.p99, found.inbox.most, 1e3 * found.wait_p50_seconds, 1e3 * found.wait_p99_seconds,
             found.window_seconds, found.ideal_seconds);
  const GangWaits& waits = found.gang_waits;
  if (found.gangs > 0)
    fmt::print(
        "       {} gangs: the first agent of one waited {:.3g} s (median), {:.3g} s (99 %), {:.3g} s at most; the "
        "longest "
        "attempt took {:.3g} s\n",
        found.gangs, waits.p50_seconds, waits.p99_seconds, waits.longest_seconds, waits.longest_attempt_seconds);
  std::fflush(stdout);
}

void run(const Options& options) {
  Setup setup = setup_of(options);
  const regatta::launcher::Job job = make_job(setup.mix, setup.seed);
  const bool with_free = options.numbers.contains("free");
  Json rows = Json::array();
  if (!options.json) fmt::print(heading);
  for (const double agents : options.agents) {
    setup.machine.agents = static_cast<std::uint32_t>(agents);
    setup.machine.link = link_costs(options.link_file, agents);
    for (const double trial_seconds : options.trial_seconds) {
      setup.mix.trial_seconds = trial_seconds;
      std::optional<double> free_idle;
      if (with_free) free_idle = simulate({setup.mix, free_coordinator(setup.machine), setup.seed}, job).idle_share;
      for (const double sync_seconds : options.sync_seconds) {
        setup.machine.sync_seconds = sync_seconds;
        const double start = regatta::scale::thread_seconds();
        const Found found = simulate(setup, job);
        rows.push_back(json_of(setup, found, thread_seconds() - start));
        if (free_idle) rows.back()["free_idle_share"] = *free_idle;
        if (!options.json) print(setup, found, free_idle);
      }
    }
  }
  if (options.json) fmt::print("{}\n", rows.dump());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(options_of(argc, argv));
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_simulation: {}\n", error.what());
    return exit_bad_input;
  }
  return 0;
}
