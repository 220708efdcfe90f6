#include <algorithm>

#include "sweep/read/levels.hpp"
#include "sweep/read/read.hpp"

namespace regatta::sweep {
namespace {

constexpr std::string_view without_prefix = "--without engine=";

/// Why the engine is not here, or nothing.
std::optional<std::string> why_missing(const Sweep& sweep, const std::string& engine) {
  if (sweep.outside.any) return std::nullopt;
  if (level_problem(sweep, Param::engine, engine))
    return "there is no environment " + std::string(split_engine(engine).environment);
  return sweep.outside.missing ? sweep.outside.missing(sweep, engine) : std::nullopt;
}

}  // namespace

std::optional<std::string> optional_engine(Param param, const Value& level) {
  const auto* text = std::get_if<std::string>(&level);
  if (param != Param::engine || text == nullptr || !text->ends_with('?')) return std::nullopt;
  return text->substr(0, text->size() - 1);
}

std::optional<json::Problem> take_optional_engine(Sweep& sweep, const std::string& engine) {
  auto problem = level_problem(sweep, Param::engine, std::string(split_engine(engine).engine));
  if (problem) {
    if (!problem->suggestion.empty()) problem->suggestion += '?';
    return problem;
  }
  const bool was_asked = std::ranges::find(sweep.optional_engines, Value(engine)) != sweep.optional_engines.end();
  if (was_asked) return std::nullopt;  // to look for it takes a process
  sweep.optional_engines.emplace_back(engine);
  const auto reason = why_missing(sweep, engine);
  const bool known = std::ranges::find(sweep.left_out, Value(engine), &LeftOut::level) != sweep.left_out.end();
  if (!reason || known) return std::nullopt;
  sweep.left_out.push_back({Param::engine, engine, *reason});
  sweep.changes.push_back(std::string(without_prefix) + engine);
  return std::nullopt;
}

bool leave_out_again(Sweep& sweep, const std::string& change) {
  if (!change.starts_with(without_prefix)) return false;
  sweep.left_out.push_back({Param::engine, change.substr(without_prefix.size()), ""});
  sweep.changes.push_back(change);
  return true;
}

}  // namespace regatta::sweep
