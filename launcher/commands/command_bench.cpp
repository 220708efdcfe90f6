#include <fmt/format.h>

#include "bench/bench.hpp"
#include "commands/commands.hpp"
#include "regatta/base/exit_code.hpp"
#include "regatta/base/log.hpp"

namespace regatta::launcher {

int bench(const BenchArguments& arguments) {
  try {
    const BenchFound found =
        bench({arguments.ranks, arguments.quick}, [](const std::string& what) { log::info(what); });
    fmt::print("{}", arguments.json ? to_json(found) : to_text(found));
    return exit_code::done;
  } catch (const BenchStopped&) {
    log::info("stopped: nothing of it is left behind");
    return exit_code::work_left;
  }
}

}  // namespace regatta::launcher
