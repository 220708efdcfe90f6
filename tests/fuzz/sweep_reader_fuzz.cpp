// Any bytes as a sweep file: a plan, or an InputError that names the file; never anything else (CONTRIBUTING.md).
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include "regatta/base/error.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"

namespace {

constexpr double most_points = 2000;  // a plan of more is as right, and slower

double points_of(const regatta::sweep::Sweep& sweep) {
  double points = static_cast<double>(sweep.repeats);
  const auto grow = [&](const regatta::sweep::Axis& axis) { points *= static_cast<double>(axis.levels.size()); };
  for (const auto& axis : sweep.axes) grow(axis);
  for (const auto& when : sweep.whens) {
    for (const auto& axis : when.axes) grow(axis);
  }
  for (const auto& include : sweep.includes) {
    for (const auto& axis : include) grow(axis);
  }
  return points;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const auto sweep = regatta::sweep::parse_sweep(text, "/nonexistent/s.json");
    if (points_of(sweep) > most_points) return 0;
    const auto plan = regatta::sweep::make_plan(sweep);
    // A sweep that was read once is read again from its record, and gives the same trials.
    const auto again = regatta::sweep::parse_sweep(sweep.text, sweep.file, regatta::sweep::any_environment());
    const auto plan_again = regatta::sweep::make_plan(again);
    if (plan.trials.empty() || plan_again.trials.size() < plan.trials.size()) std::abort();
  } catch (const regatta::InputError& error) {
    const std::string what = error.what();
    if (what.starts_with("/nonexistent/s.json") && what.find("found") != std::string::npos) return 0;
    std::cerr << what << '\n';
    std::abort();
  }
  return 0;
}
