#include "measure/same_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace regatta::measure {

namespace {

using protocol::Checked;
using protocol::Evidence;
using protocol::NumberType;

bool normalizes_batches(const sweep::ArmTask& arm) {
  const auto* network = arm.model ? std::get_if<model::Network>(&*arm.model) : nullptr;
  return network != nullptr && std::ranges::any_of(network->layers, [](const model::Layer& layer) {
           return std::holds_alternative<model::BatchNorm>(layer);
         });
}

/// Into how many parts a batch falls that are normalized by moments of their own.
std::int64_t normalized_parts(const sweep::Parameters& parameters) {
  using sweep::Param;
  return is_level(parameters, Param::batch_statistics, "batch") ? 1 : integer_or(parameters, Param::shards, 1);
}

}  // namespace

Agreement owed(const sweep::ArmTask& one, const sweep::ArmTask& other) {
  using sweep::Param;
  const sweep::Parameters& a = one.parameters;
  const sweep::Parameters& b = other.parameters;
  constexpr std::array same = {Param::model, Param::length, Param::batch, Param::dataset, Param::seed, Param::work};
  // Nobody reads the precision of what computes nothing: no-op and commands.
  const bool computes = a[Param::precision] != sweep::Value() && b[Param::precision] != sweep::Value();
  if (!computes || a.own() != b.own() ||
      !std::ranges::all_of(same, [&](const auto& param) { return a[param] == b[param]; }))
    return Agreement::none;
  if (normalized_parts(a) != normalized_parts(b) && normalizes_batches(one)) return Agreement::in_the_mean;
  return a[Param::precision] != b[Param::precision] ? Agreement::rounded : Agreement::same;
}

NumberType number_type(const sweep::ArmTask& task, const Checked& checked) {
  NumberType type = NumberType::fp32;
  if (const auto* precision = std::get_if<std::string>(&task.parameters[sweep::Param::precision]))
    type = sweep::state_of<NumberType>(protocol::number_type_names, *precision).value_or(type);
  return std::max(type, checked.number_type.value_or(type));
}

Tolerances tolerances_of(NumberType type, const sweep::SameWork& widened) {
  Tolerances found = tolerance_table.at(static_cast<std::size_t>(type));
  if (widened.gradient) found.close_gradient = std::max(found.close_gradient, *widened.gradient);
  if (widened.loss) found.close_loss = std::max(found.close_loss, *widened.loss);
  return found;
}

namespace {

/// Steps whose gradients or updates count: the one that rounding moves least, or all where that is not known. A relu
/// whose input is rounded to the other side of 0 moves the gradients of some batches, a fault those of all.
std::vector<std::size_t> steps_that_count(std::size_t steps, const std::vector<TensorsApart>& sensitivity) {
  std::vector<std::size_t> all(steps);
  for (std::size_t step = 0; step < steps; ++step) all[step] = step;
  if (sensitivity.size() != steps || steps == 0) return all;
  return {static_cast<std::size_t>(std::ranges::min_element(sensitivity, {}, furthest) - sensitivity.begin())};
}

/// A difference, the words that a row says it with, and the answer that it leaves.
struct Finding {
  sweep::Verified verified = sweep::Verified::yes;
  double apart = 0;
  std::string text;
};

std::string percent(double share) { return fmt::format("{:.2g} %", 100 * share); }

Finding judge_losses(const Checked& expected, const Checked& its, const Tolerances& tolerances,
                     const Sensitivity& sensitivity, std::size_t from, std::size_t to) {
  Finding found;
  for (std::size_t step = from; step < to; ++step) {
    const LossApart most = loss_apart(its, expected, step);
    double rounding = tolerances.loss;
    if (step < sensitivity.losses.size()) rounding = std::max(rounding, most_rounding * sensitivity.losses[step]);
    found.apart = std::max(found.apart, most.apart);
    if (most.apart <= rounding || found.verified == sweep::Verified::no) continue;
    found.verified = most.apart <= tolerances.close_loss ? sweep::Verified::close : sweep::Verified::no;
    found.text = fmt::format("step {}, row {}: {:.6g} and {:.6g} are {} apart (rounding explains up to {})", step + 1,
                             most.row, most.b, most.a, percent(most.apart), percent(rounding));
  }
  return found;
}

struct TensorLimits {
  const char* what;  ///< "gradient" or "update"
  double same;
  double close;
};

/// The tensor of one step that is furthest beyond what rounding explains, by what it does to each tensor.
Finding judge_tensors(const TensorsApart& apart, const TensorsApart& rounding, const TensorLimits& limits,
                      std::size_t step) {
  Finding found;
  found.apart = furthest(apart);
  double worst = 1;
  const double of_any = std::max(limits.same, model_spread * furthest(rounding));
  for (const auto& [name, each] : apart) {
    const auto own = rounding.find(name);
    const double allowed = std::max(of_any, own == rounding.end() ? 0 : tensor_spread * own->second);
    if (each <= allowed || each / allowed <= worst) continue;
    worst = each / allowed;
    found.text = fmt::format("step {}, {}: {} is {} apart (rounding explains up to {})", step + 1, limits.what, name,
                             percent(each), percent(allowed));
  }
  if (found.text.empty()) return found;
  const double close = std::max(limits.close, furthest(rounding));
  found.verified = found.apart <= close ? sweep::Verified::close : sweep::Verified::no;
  return found;
}

Finding judge_norm(const protocol::Projections& its, const protocol::Projections& expected,
                   const Tolerances& tolerances, std::size_t step) {
  Finding found;
  found.apart = std::abs(norms_apart(its, expected));
  if (found.apart <= tolerances.gradient) return found;
  found.verified = found.apart <= tolerances.close_gradient ? sweep::Verified::close : sweep::Verified::no;
  found.text =
      fmt::format("step {}, gradient: the norm of all parameters together is {} apart (rounding explains up to {})",
                  step + 1, percent(found.apart), percent(tolerances.gradient));
  return found;
}

/// The worse answer, and of the same answer the first one.
void take_worse(Finding& found, Finding other) {
  const double apart = std::max(found.apart, other.apart);
  const auto rank = [](const Finding& finding) {
    return finding.verified == sweep::Verified::no ? 2 : finding.verified == sweep::Verified::close ? 1 : 0;
  };
  if (rank(other) > rank(found)) found = std::move(other);
  found.apart = apart;
}

/// The evidence of two arms, and by what it is judged.
struct Compared {
  const Evidence& expected;
  const Evidence& its;
  const Tolerances& tolerances;
  const Sensitivity& sensitivity;
};

Finding judge_gradients(const Compared& both, std::size_t step) {
  const TensorLimits limits{"gradient", both.tolerances.gradient, both.tolerances.close_gradient};
  const protocol::Projections& its = both.its.gradients[step];
  const protocol::Projections& expected = both.expected.gradients[step];
  Finding found = judge_tensors(tensors_apart(its, expected), over_steps(both.sensitivity.gradients), limits, step);
  take_worse(found, judge_norm(its, expected, both.tolerances, step));
  return found;
}

Finding judge_updates(const Compared& both, std::size_t step) {
  const TensorLimits limits{"update", both.tolerances.update, both.tolerances.close_gradient};
  const TensorsApart apart =
      tensors_apart(both.its.updates[step], both.expected.updates[step], both.expected.resolution);
  // Not over all steps: later updates are those of weights that rounding has moved by then.
  const auto& sensitivity = both.sensitivity.updates;
  return judge_tensors(apart, step < sensitivity.size() ? sensitivity[step] : TensorsApart(), limits, step);
}

/// The first difference is the cause; later ones may be its consequence.
std::string first_that_is(sweep::Verified answer, const Compared& both) {
  for (std::size_t step = 0; step < std::max(both.expected.gradients.size(), both.expected.updates.size()); ++step) {
    if (step < both.expected.gradients.size())
      if (Finding found = judge_gradients(both, step); found.verified == answer) return std::move(found.text);
    if (step < both.expected.updates.size())
      if (Finding found = judge_updates(both, step); found.verified == answer) return std::move(found.text);
  }
  return {};
}

Finding judge_evidence(const Compared& both) {
  Finding found;
  for (const std::size_t step : steps_that_count(both.expected.gradients.size(), both.sensitivity.gradients))
    take_worse(found, judge_gradients(both, step));
  for (const std::size_t step : steps_that_count(both.expected.updates.size(), both.sensitivity.updates))
    take_worse(found, judge_updates(both, step));
  if (found.verified == sweep::Verified::no) found.text = first_that_is(found.verified, both);
  return found;
}

std::string close_text(std::string text, double losses_apart, const Sensitivity& sensitivity) {
  text += fmt::format("; losses agree to {}", percent(losses_apart));
  if (!sensitivity.gradients.empty())
    text += fmt::format("; rounding the weights otherwise moves gradients of the same arm by up to {}",
                        percent(furthest(over_steps(sensitivity.gradients))));
  return text;
}

std::size_t tensors(const Evidence& evidence) {
  return evidence.gradients.empty() ? 0 : evidence.gradients.front().size();
}

}  // namespace

Answer compared(const Checked& expected, const Checked& its, const Tolerances& tolerances,
                const Sensitivity& sensitivity) {
  if (auto text = other_shape(expected, its); !text.empty()) return {sweep::Verified::no, std::move(text)};
  const Finding first = judge_losses(expected, its, tolerances, sensitivity, 0, 1);
  if (first.verified == sweep::Verified::no) return {first.verified, first.text};
  Finding tensors;
  if (expected.evidence && its.evidence) {
    auto probes = probes_apart(expected.evidence->probe, its.evidence->probe, probe_tolerance);
    if (!probes.empty()) return {sweep::Verified::no, std::move(probes)};
    tensors = judge_evidence({*expected.evidence, *its.evidence, tolerances, sensitivity});
  }
  Finding losses = judge_losses(expected, its, tolerances, sensitivity, 1, expected.losses.size());
  losses.apart = std::max(losses.apart, first.apart);
  // A loss that is off after an update is the consequence; what stands in the gradients is the cause.
  const Finding& cause = tensors.text.empty() ? (losses.text.empty() ? first : losses) : tensors;
  Finding all = first;
  take_worse(all, tensors);
  take_worse(all, losses);
  if (all.verified == sweep::Verified::yes) return {};
  if (all.verified == sweep::Verified::no) return {all.verified, cause.text};
  return {all.verified, close_text(cause.text, losses.apart, sensitivity)};
}

Answer compared_in_any_layout(const Checked& expected, const Checked& its, const Tolerances& tolerances,
                              const Sensitivity& sensitivity) {
  const std::size_t here = expected.evidence ? tensors(*expected.evidence) : 0;
  const std::size_t there = its.evidence ? tensors(*its.evidence) : 0;
  const bool joins = here != there;
  Answer answer = compared(without_layout(expected, joins), without_layout(its, joins), tolerances, sensitivity);
  if (!joins || answer.verified != sweep::Verified::yes) return answer;
  return {sweep::Verified::close,
          fmt::format("losses and norms agree, but the models keep their weights in {} and {} tensors, so that these "
                      "cannot be compared one by one",
                      here, there)};
}

std::string side_that_is_off(const Checked& expected, const Checked& its, const Checked& exact_expected,
                             const Checked& exact_its, const Tolerances& tolerances) {
  const auto has_first = [](const Checked& checked) {
    return !checked.losses.empty() && !checked.losses.front().empty();
  };
  for (const Checked* each : {&expected, &its, &exact_expected, &exact_its})
    if (!has_first(*each) || each->losses.front().size() != expected.losses.front().size()) return {};
  const auto first_apart = [](const Checked& a, const Checked& b) { return loss_apart(a, b, 0).apart; };
  if (first_apart(exact_expected, exact_its) > tolerances.loss)
    return "in double precision they lie apart as well: model, data or loss are not the same";
  const double of_expected = first_apart(expected, exact_expected);
  const double of_its = first_apart(its, exact_its);
  if ((of_expected > tolerances.loss) == (of_its > tolerances.loss)) return {};
  const bool is_its = of_its > tolerances.loss;
  return fmt::format("{} is {} from the same step in double precision, {} only {}",
                     is_its ? "this arm" : "the baseline", percent(is_its ? of_its : of_expected),
                     is_its ? "the baseline" : "this arm", percent(is_its ? of_expected : of_its));
}

}  // namespace regatta::measure
