#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "regatta/json/text.hpp"
#include "sweep/read/levels.hpp"
#include "sweep/read/own_axes.hpp"
#include "sweep/read/ranges.hpp"
#include "sweep/read/read.hpp"

namespace regatta::sweep {
namespace {

constexpr double smallest_factor = 1.01;
constexpr double largest_factor = 1e6;
constexpr double largest_step = 1e30;
constexpr double smallest_real = 1e-30;  ///< its logarithm still has a sane size

/// A scalar as a parameter's value; other JSON as no value, which is a level of nothing.
Value scalar(const json::Node& node) {
  if (const auto* text = node.as<std::string>()) return *text;
  if (const auto* integer = node.as<std::int64_t>()) return *integer;
  if (const auto* real = node.as<json::Real>()) return real->value;
  if (const auto* flag = node.as<bool>()) return *flag;
  return {};
}

/// A whole number is a real one where reals are asked for.
Value level_of_real(const Param& param, Value value) {
  const auto* integer = std::get_if<std::int64_t>(&value);
  return integer != nullptr && info(param).type == ParamType::real ? Value(static_cast<double>(*integer)) : value;
}

/// A number stands for the level that is written like it: "prefetch": [0, 1, "auto"].
Value level_of_text(const Param& param, Value value) {
  const auto* flag = std::get_if<bool>(&value);
  if (flag != nullptr && param.is_own() && param.kind() == Param::OwnKind::flag)
    return std::string(*flag ? "true" : "false");
  const auto* integer = std::get_if<std::int64_t>(&value);
  const auto& levels = info(param).levels;
  if (integer == nullptr || info(param).type != ParamType::text) return value;
  std::string text = std::to_string(*integer);
  return std::find(levels.begin(), levels.end(), text) == levels.end() ? value : Value(std::move(text));
}

Ends read_ends(const json::Cursor& cursor, std::int64_t minimum, std::int64_t maximum) {
  const std::string expected = "two integers, the first level and the last, such as [1, 64]";
  const std::vector<json::Cursor> ends = cursor.list(expected);
  if (ends.size() != 2) cursor.refuse(expected);
  const std::int64_t first = ends[0].integer(minimum, maximum);
  return {first, ends[1].integer(first, maximum)};
}

std::int64_t read_count(const json::Cursor& count, const std::optional<json::Cursor>& other, const char* name) {
  if (other) count.refuse(fmt::format("only one of \"{}\" and \"count\"", name));
  return count.integer(2, max_levels);
}

constexpr const char* fewer_levels = "at most {} (a larger \"step\", or a \"count\")";

/// Rounding must not give fewer levels than were asked for.
std::vector<std::int64_t> need_count(const json::Cursor& count, std::vector<std::int64_t> levels) {
  const auto wanted = count.integer(2, max_levels);
  if (static_cast<std::int64_t>(levels.size()) < wanted)
    count.refuse(
        fmt::format("fewer: rounded to integers this range has {} different levels of {}", levels.size(), wanted));
  return levels;
}

std::vector<std::int64_t> read_linear(const json::Cursor& cursor, const ParamInfo& row) {
  const json::Fields fields(cursor, "an object", {"linear", "step", "count"});
  const Ends ends = read_ends(fields.need("linear", ""), row.minimum, row.maximum);
  const auto step = fields.find("step");
  if (const auto count = fields.find("count"))
    return need_count(*count, linear_count(ends, read_count(*count, step, "step")));
  const std::int64_t size = step ? step->integer(1, row.maximum) : 1;
  if (count_of_steps(ends, size) > max_levels) {
    json::refuse(cursor.place, {fmt::format("a range of {} levels", count_of_steps(ends, size)),
                                fmt::format(fewer_levels, max_levels), ""});
  }
  return linear_steps(ends, size);
}

std::vector<std::int64_t> read_geometric(const json::Cursor& cursor, const ParamInfo& row) {
  const json::Fields fields(cursor, "an object", {"geometric", "factor", "count"});
  const Ends ends = read_ends(fields.need("geometric", ""), std::max<std::int64_t>(row.minimum, 1), row.maximum);
  const auto factor = fields.find("factor");
  if (const auto count = fields.find("count"))
    return need_count(*count, geometric_count(ends, read_count(*count, factor, "factor")));
  return geometric_steps(ends, factor ? factor->number(smallest_factor, largest_factor) : 2);
}

/// Both above zero where they are taken as logarithms.
RealEnds read_real_ends(const json::Cursor& cursor, const ParamInfo& row, bool above_zero) {
  const std::string expected = "two numbers, the first level and the last, such as [1e-4, 0.1]";
  const std::vector<json::Cursor> ends = cursor.list(expected);
  if (ends.size() != 2) cursor.refuse(expected);
  const double least = above_zero ? std::max(row.least, smallest_real) : row.least;
  const double first = ends[0].number(least, row.most);
  return {first, ends[1].number(first, row.most)};
}

/// The step between real levels; rounded to their six digits they stay apart.
double read_real_step(const json::Cursor& step, RealEnds ends) {
  const double size = step.number(smallest_real, largest_step);
  const double count = count_of_steps(ends, size);
  if (count > static_cast<double>(max_levels))
    json::refuse(step.place, {fmt::format("a step of {:.3g} levels", count),
                              fmt::format("a step of at most {} levels", max_levels), ""});
  const std::vector<double> levels = linear_reals_by(ends, size);
  if (const auto same = std::ranges::adjacent_find(levels); same != levels.end())
    step.refuse(fmt::format("a larger one: rounded to six digits the level {} stands there twice", *same));
  return size;
}

std::vector<double> read_real_range(const json::Cursor& cursor, const ParamInfo& row) {
  const bool is_linear = cursor.member("linear").has_value();
  const json::Fields fields(cursor, "an object",
                            {"linear", "geometric", "step", "count", "uniform", "log_uniform", "choice"});
  if (!is_linear && !cursor.member("geometric"))
    cursor.refuse("a range such as {\"geometric\": [1e-4, 0.1], \"count\": 4}");
  const RealEnds ends = read_real_ends(fields.need(is_linear ? "linear" : "geometric", ""), row, !is_linear);
  const auto step = fields.find("step");
  if (step && !is_linear) step->refuse("\"count\" (steps are those of a \"linear\" range)");
  if (step && !fields.find("count")) return linear_reals_by(ends, read_real_step(*step, ends));
  const char* const count_rule =
      is_linear ? "how many levels the range has, or the \"step\" between them" : "how many levels the range has";
  const json::Cursor count = fields.need("count", count_rule);
  const std::int64_t wanted = read_count(count, step, "step");
  std::vector<double> levels = is_linear ? linear_reals(ends, wanted) : geometric_reals(ends, wanted);
  if (const auto same = std::ranges::adjacent_find(levels); same != levels.end())
    count.refuse(fmt::format("fewer: rounded to six digits the level {} stands there twice", *same));
  return levels;
}

/// An axis of numbers that are drawn: draw `row` of it.
using DrawLevel = std::function<Value(const Draws&, std::uint64_t)>;

DrawLevel read_random_integers(const json::Cursor& cursor, const ParamInfo& row) {
  if (cursor.member("log_uniform")) {
    const json::Fields fields(cursor, "an object", {"log_uniform"});
    const Ends ends = read_ends(fields.need("log_uniform", ""), std::max<std::int64_t>(row.minimum, 1), row.maximum);
    return [ends](const Draws& draws, std::uint64_t at) { return Value(draws.log_uniform(ends, at)); };
  }
  const json::Fields fields(cursor, "an object", {"uniform", "step"});
  const Ends ends = read_ends(fields.need("uniform", ""), row.minimum, row.maximum);
  const auto step = fields.find("step");
  const std::int64_t size = step ? step->integer(1, row.maximum) : 1;
  return [ends, size](const Draws& draws, std::uint64_t at) { return Value(draws.uniform(ends, size, at)); };
}

DrawLevel read_random_reals(const json::Cursor& cursor, const ParamInfo& row) {
  if (cursor.member("log_uniform")) {
    const json::Fields fields(cursor, "an object", {"log_uniform"});
    const RealEnds ends = read_real_ends(fields.need("log_uniform", ""), row, true);
    return [ends](const Draws& draws, std::uint64_t at) { return Value(draws.log_real(ends, at)); };
  }
  const json::Fields fields(cursor, "an object", {"uniform", "step"});
  const RealEnds ends = read_real_ends(fields.need("uniform", ""), row, false);
  const auto step = fields.find("step");
  if (!step) return [ends](const Draws& draws, std::uint64_t at) { return Value(draws.real(ends, at)); };
  const double size = read_real_step(*step, ends);
  return [ends, size](const Draws& draws, std::uint64_t at) { return Value(draws.real_by(ends, size, at)); };
}

/// Reads axes with more than single levels.
class LevelReader {
 public:
  LevelReader(const json::Cursor::Member& member, const Param& param, const LevelRules& rules, Sweep& sweep)
      : member_(member), param_(param), row_(info(param)), rules_(rules), sweep_(sweep) {}

  Axis run() {
    if (is_random(member_.value)) return draw(member_.value);
    items_ = member_.value.list_or_one("at least one level");
    for (std::size_t i = 0; i < items_.size(); ++i) add_item(i);
    if (!rules_.may_repeat) refuse_repeated();
    return {param_, std::move(levels_)};
  }

 private:
  [[nodiscard]] bool is_random(const json::Cursor& cursor) const {
    if (cursor.member("choice")) return true;
    return row_.type != ParamType::text && (cursor.member("uniform") || cursor.member("log_uniform"));
  }

  void add_item(std::size_t item) {
    const json::Cursor& cursor = items_[item];
    if (is_random(cursor)) {
      json::refuse(cursor.place, {"a random axis", "levels or a range (what is random is the whole of an axis)", ""});
    }
    if (cursor.is_object() && row_.type == ParamType::integer) {
      for (const std::int64_t level : read_range(cursor)) levels_.emplace_back(level);
    } else if (cursor.is_object() && row_.type == ParamType::real) {
      for (const double level : read_real_range(cursor, row_)) levels_.emplace_back(level);
    } else {
      levels_.push_back(read_one(cursor));
    }
    item_of_level_.resize(levels_.size(), item);
  }

  [[nodiscard]] std::vector<std::int64_t> read_range(const json::Cursor& cursor) const {
    if (cursor.member("linear")) return read_linear(cursor, row_);
    if (cursor.member("geometric")) return read_geometric(cursor, row_);
    const json::Fields fields(cursor, "an object", {"linear", "geometric", "uniform", "log_uniform", "choice"});
    cursor.refuse("a range such as {\"linear\": [1, 8]} or {\"geometric\": [1, 64], \"factor\": 2}");
  }

  /// A level that may be more than a scalar.
  Value read_one(const json::Cursor& cursor) {
    if (param_ == Param::model) {
      if (cursor.is_object()) return read_written_out_model(cursor, sweep_);
      if (auto model = read_model_file(cursor, sweep_)) return std::move(*model);
    }
    const auto engine = optional_engine(param_, scalar(cursor.node));
    if (!engine) return read_level(cursor, param_, sweep_);
    if (const auto problem = take_optional_engine(sweep_, *engine))
      cursor.refuse(problem->expected, problem->suggestion);
    return *engine;
  }

  Axis draw(const json::Cursor& cursor) {
    if (!rules_.may_be_random)
      json::refuse(cursor.place,
                   {"a random axis", "levels or a range (random axes stand in \"axes\" or \"when\")", ""});
    if (!rules_.samples) {
      json::refuse(cursor.place, {fmt::format("the random axis {}", json::quote(name_of(param_))),
                                  "the key \"samples\" beside \"axes\", how many points to draw", ""});
    }
    Axis axis{param_, {}, true};
    DrawLevel level;
    if (const auto choice = cursor.member("choice")) {
      axis.choice = read_choice(cursor, *choice);
      level = [&](const Draws& draws, std::uint64_t at) { return axis.choice[draws.choice(axis.choice.size(), at)]; };
    } else {
      level = row_.type == ParamType::real ? read_random_reals(cursor, row_) : read_random_integers(cursor, row_);
    }
    const Draws draws(rules_.sample_seed, name_of(param_));
    for (std::int64_t at = 0; at < *rules_.samples; ++at)
      axis.levels.push_back(level(draws, static_cast<std::uint64_t>(at)));
    return axis;
  }

  std::vector<Value> read_choice(const json::Cursor& cursor, const json::Cursor& choice) {
    const json::Fields fields(cursor, "an object", {"choice"});
    items_ = choice.list("a list of levels to choose from");
    for (std::size_t i = 0; i < items_.size(); ++i) add_item(i);
    refuse_repeated();
    return std::move(levels_);
  }

  void refuse_repeated() const {
    if (const auto repeated = first_repeated(levels_)) {
      const json::Cursor& item = items_[item_of_level_[*repeated]];
      json::refuse(item.place, {to_json(levels_[*repeated]) + " a second time", "each level once", ""});
    }
  }

  const json::Cursor::Member& member_;
  const Param param_;
  const ParamInfo& row_;  ///< the row of the parameter's levels
  const LevelRules& rules_;
  Sweep& sweep_;
  std::vector<json::Cursor> items_;
  std::vector<Value> levels_;
  std::vector<std::size_t> item_of_level_;
};

std::string written_number(const json::Node& node) {
  const auto* real = node.as<json::Real>();
  return real != nullptr ? real->written : json::compact(node);
}

/// A text stands as it is, anything else as JSON: the program gets this text. A text that is JSON itself could be taken
/// for another level.
Value json_level(const json::Cursor& cursor) {
  const auto* text = cursor.node.as<std::string>();
  if (text == nullptr) return json::compact(cursor.node);
  if (text->empty()) cursor.refuse("a text of at least one character");
  if (json::as_json(*text))
    cursor.refuse(fmt::format(
        "{0} without quotes, or quotes around all levels of this axis (a program gets the text \"{0}\" and {0} alike)",
        json::shorten(*text)));
  return *text;
}

}  // namespace

Value read_level(const json::Cursor& cursor, const Param& param, const Sweep& sweep) {
  if (param.is_own() && param.kind() == Param::OwnKind::json) return json_level(cursor);
  if (cursor.as_number()) {
    if (const auto problem = digits_problem(param, written_number(cursor.node))) cursor.refuse(problem->expected);
  }
  Value value = level_of_size(param, level_of_real(param, level_of_text(param, scalar(cursor.node))));
  if (const auto problem = level_problem(sweep, param, value)) {
    const auto* text = std::get_if<std::string>(&value);
    const bool numbers = text != nullptr && info(param).type != ParamType::text;
    cursor.refuse(problem->expected + (numbers ? meant_numbers(*text) : std::string()), problem->suggestion);
  }
  return value;
}

Axis read_axis(const json::Cursor::Member& member, const LevelRules& rules, Sweep& sweep) {
  const Param param =
      need_axis_param(member.value.place, member.key, sweep, [&] { return own_kind(member.key, member.value); });
  return LevelReader(member, param, rules, sweep).run();
}

}  // namespace regatta::sweep
