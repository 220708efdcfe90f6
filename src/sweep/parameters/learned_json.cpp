// The result of a leg of training, as text.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <iterator>
#include <limits>

#include "regatta/base/error.hpp"
#include "regatta/json/document.hpp"
#include "regatta/json/text.hpp"
#include "regatta/sweep/training.hpp"

namespace regatta::sweep {
namespace {

constexpr std::size_t most_metrics = 64;
constexpr std::size_t samples_per_digit = 4;
constexpr std::string_view hex_digits = "0123456789abcdef";
constexpr std::size_t columns_before_values = 4;
constexpr double largest_count = 9007199254740992.0;  // 2^53

std::string number(double value) { return std::isfinite(value) ? json::json_number(value) : "null"; }

std::string numbers(const std::vector<double>& values) {
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(number(value));
  return fmt::format("[{}]", fmt::join(texts, ","));
}

std::string point_json(const CurvePoint& point) {
  std::string text = fmt::format("[{},{},{},{}", point.step, point.samples, number(point.train_seconds),
                                 number(point.evaluate_seconds));
  for (const double value : point.values) text += "," + number(value);
  return text + "]";
}

[[noreturn]] void refuse(const std::string& what) { throw InputError("the results of a leg: " + what); }

const json::Node& member(const json::Node& node, std::string_view key) {
  const json::Member* found = json::find_member(node, key);
  if (found == nullptr) refuse(fmt::format("it has no \"{}\"", key));
  return found->node;
}

/// NaN for null, which stands for what is not finite.
double as_number(const json::Node& node) {
  if (node.as<std::monostate>() != nullptr) return std::numeric_limits<double>::quiet_NaN();
  if (const auto* integer = node.as<std::int64_t>()) return static_cast<double>(*integer);
  if (const auto* real = node.as<json::Real>()) return real->value;
  refuse(fmt::format("found {}, expected a number or null", json::describe(node)));
}

std::int64_t as_count(const json::Node& node) {
  const auto* integer = node.as<std::int64_t>();
  if (integer != nullptr && *integer >= 0 && static_cast<double>(*integer) <= largest_count) return *integer;
  refuse(fmt::format("found {}, expected a count", json::describe(node)));
}

double as_seconds(const json::Node& node) {
  const double seconds = as_number(node);
  if (seconds >= 0 && std::isfinite(seconds)) return seconds;
  refuse(fmt::format("found {}, expected seconds", json::describe(node)));
}

const json::Node::Array& as_list(const json::Node& node) {
  const auto* list = node.as<json::Node::Array>();
  if (list == nullptr) refuse(fmt::format("found {}, expected a list", json::describe(node)));
  return *list;
}

CurvePoint parse_point(const json::Node& node, std::size_t metrics) {
  const json::Node::Array& row = as_list(node);
  if (row.size() != metrics + columns_before_values)
    refuse(fmt::format("a point of {} numbers, expected {}", row.size(), metrics + columns_before_values));
  CurvePoint point{as_count(row[0]), as_count(row[1]), as_seconds(row[2]), as_seconds(row[3]), {}};
  for (std::size_t i = columns_before_values; i < row.size(); ++i) point.values.push_back(as_number(row[i]));
  return point;
}

Curve parse_curve(const json::Node& root) {
  Curve curve;
  for (const json::Node& name : as_list(member(root, "metrics"))) {
    const auto* text = name.as<std::string>();
    if (text == nullptr || text->empty()) refuse("a metric without a name");
    curve.metrics.push_back(*text);
  }
  if (curve.metrics.size() > most_metrics) refuse(fmt::format("more than {} metrics", most_metrics));
  for (const json::Node& point : as_list(member(root, "points"))) {
    curve.points.push_back(parse_point(point, curve.metrics.size()));
    const std::size_t last = curve.points.size() - 1;
    if (last > 0 && curve.points[last].step <= curve.points[last - 1].step) refuse("steps that do not grow");
  }
  return curve;
}

std::string parse_hits(const json::Node& node, std::int64_t samples) {
  const auto* text = node.as<std::string>();
  if (text == nullptr) refuse(fmt::format("found {}, expected which test samples were right", json::describe(node)));
  if (!text->empty()) hits_of(*text, samples);
  return *text;
}

LegEnd parse_end(const json::Node& node) {
  const auto* text = node.as<std::string>();
  for (std::size_t i = 0; text != nullptr && i < std::size(leg_end_names); ++i) {
    if (*text == leg_end_names[i]) return static_cast<LegEnd>(i);
  }
  refuse(fmt::format("it ended with {}, expected one of {}", json::describe(node), fmt::join(leg_end_names, ", ")));
}

}  // namespace

std::string hits_text(const std::vector<bool>& hits) {
  std::string text((hits.size() + samples_per_digit - 1) / samples_per_digit, '0');
  for (std::size_t digit = 0; digit < text.size(); ++digit) {
    std::size_t value = 0;
    for (std::size_t at = 0; at < samples_per_digit; ++at) {
      const std::size_t sample = digit * samples_per_digit + at;
      value = 2 * value + (sample < hits.size() && hits[sample] ? 1 : 0);
    }
    text[digit] = hex_digits[value];
  }
  return text;
}

std::vector<bool> hits_of(std::string_view text, std::int64_t samples) {
  const auto wanted = static_cast<std::size_t>(samples);
  if (text.size() != (wanted + samples_per_digit - 1) / samples_per_digit)
    refuse(fmt::format("right and wrong of {} test samples, in {} digits", samples, text.size()));
  std::vector<bool> hits;
  for (const char digit : text) {
    const std::size_t value = hex_digits.find(digit);
    if (value == std::string_view::npos) refuse("test samples that were right, not in hexadecimal digits");
    for (std::size_t bit = samples_per_digit; bit-- > 0;) hits.push_back((value >> bit) % 2 == 1);
  }
  hits.resize(wanted);
  return hits;
}

std::string to_json(const Learned& learned) {
  std::vector<std::string> names;
  for (const std::string& metric : learned.curve.metrics) names.push_back(json::quote(metric));
  std::vector<std::string> points;
  for (const CurvePoint& point : learned.curve.points) points.push_back(point_json(point));
  std::string text =
      fmt::format(R"({{"end":"{}","metrics":[{}],"points":[{}],"best_step":{},"best":{},"samples":[{},{},{},{}])",
                  leg_end_names[static_cast<std::size_t>(learned.end)], fmt::join(names, ","), fmt::join(points, ","),
                  learned.best_step, numbers(learned.best), learned.training_samples, learned.validation_samples,
                  learned.test_samples, learned.repeated_samples);
  if (learned.test_loss) text += ",\"test_loss\":" + number(*learned.test_loss);
  if (learned.test_accuracy) text += ",\"test_accuracy\":" + number(*learned.test_accuracy);
  if (!learned.test_hits.empty()) text += ",\"test_hits\":\"" + learned.test_hits + "\"";
  if (learned.peak_bytes > 0) text += ",\"peak_bytes\":" + number(learned.peak_bytes);
  if (learned.start_seconds > 0) text += ",\"start_seconds\":" + number(learned.start_seconds);
  if (learned.prepare_seconds > 0) text += ",\"prepare_seconds\":" + number(learned.prepare_seconds);
  if (!learned.checkpoint.empty()) text += ",\"checkpoint\":" + json::quote(learned.checkpoint);
  return text + "}";
}

Learned parse_learned(std::string_view text) {
  const json::Node root = json::parse(text, "the results of a leg");
  Learned learned;
  learned.end = parse_end(member(root, "end"));
  learned.curve = parse_curve(root);
  learned.best_step = as_count(member(root, "best_step"));
  for (const json::Node& value : as_list(member(root, "best"))) learned.best.push_back(as_number(value));
  if (!learned.best.empty() && learned.best.size() != learned.curve.metrics.size())
    refuse(fmt::format("{} best values of {} metrics", learned.best.size(), learned.curve.metrics.size()));
  const json::Node::Array& samples = as_list(member(root, "samples"));
  if (samples.size() != 3 && samples.size() != 4) refuse("\"samples\" is not the sizes of three parts");
  learned.training_samples = as_count(samples[0]);
  learned.validation_samples = as_count(samples[1]);
  learned.test_samples = as_count(samples[2]);
  if (samples.size() == 4) learned.repeated_samples = as_count(samples[3]);
  if (const auto* loss = json::find_member(root, "test_loss")) learned.test_loss = as_number(loss->node);
  if (const auto* accuracy = json::find_member(root, "test_accuracy"))
    learned.test_accuracy = as_number(accuracy->node);
  if (const auto* peak = json::find_member(root, "peak_bytes")) learned.peak_bytes = as_number(peak->node);
  if (const auto* start = json::find_member(root, "start_seconds")) learned.start_seconds = as_seconds(start->node);
  if (const auto* prepare = json::find_member(root, "prepare_seconds"))
    learned.prepare_seconds = as_seconds(prepare->node);
  if (const auto* hits = json::find_member(root, "test_hits"))
    learned.test_hits = parse_hits(hits->node, learned.test_samples);
  if (const auto* checkpoint = json::find_member(root, "checkpoint")) {
    const auto* name = checkpoint->node.as<std::string>();
    if (name == nullptr) refuse("its checkpoint is no name of a file");
    learned.checkpoint = *name;
  }
  return learned;
}

}  // namespace regatta::sweep
