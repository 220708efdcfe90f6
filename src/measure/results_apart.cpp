#include "measure/results_apart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

namespace regatta::measure {
namespace {

using Losses = std::vector<std::vector<double>>;
using protocol::Evidence;
using protocol::Projections;

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Not a number is as far apart as anything can be.
double finite_or_infinite(double value) { return std::isnan(value) ? infinite : value; }

std::string other_losses(const Losses& a, const Losses& b) {
  if (a.size() != b.size() || a.empty()) return fmt::format("{} and {} steps were reported", a.size(), b.size());
  for (std::size_t step = 0; step < a.size(); ++step) {
    if (a[step].size() != b[step].size() || a[step].empty())
      return fmt::format("step {}: {} and {} values", step + 1, a[step].size(), b[step].size());
  }
  return {};
}

std::string other_tensors(const std::vector<Projections>& a, const std::vector<Projections>& b) {
  if (a.size() != b.size()) return "gradients and updates of other steps were reported";
  for (std::size_t step = 0; step < a.size(); ++step) {
    if (a[step].size() != b[step].size()) return fmt::format("{} and {} parameters", a[step].size(), b[step].size());
    for (const auto& [name, values] : a[step]) {
      const auto other = b[step].find(name);
      if (other == b[step].end() || other->second.size() != values.size() || values.empty())
        return fmt::format("parameter {} is only in one", name);
    }
  }
  return {};
}

double largest_norm(const Projections& tensors) {
  double largest = 0;
  for (const auto& [name, values] : tensors) largest = std::max(largest, values.front());
  return largest;
}

/// Random signs give sums whose mean square is that of the norm: no factor stands before it.
double difference_norm(const std::vector<double>& a, const std::vector<double>& b) {
  double squares = 0;
  for (std::size_t i = 1; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  const double of_sums = a.size() > 1 ? std::sqrt(squares / static_cast<double>(a.size() - 1)) : 0;
  return finite_or_infinite(std::max(of_sums, finite_or_infinite(std::abs(a[0] - b[0]))));
}

double squared_norm(const Projections& tensors) {
  double sum = 0;
  for (const auto& [name, values] : tensors) sum += values.front() * values.front();
  return sum;
}

/// The same numbers, summed up in another order.
constexpr double same_norm = 1e-9;

struct NormOfTensor {
  double norm;
  double resolution;
};

double resolution_of(const Evidence& evidence, const std::string& name) {
  const auto found = evidence.resolution.find(name);
  return found == evidence.resolution.end() ? 0 : found->second;
}

/// The largest first.
std::vector<NormOfTensor> norms_by_size(const Projections& tensors, const Evidence& evidence) {
  std::vector<NormOfTensor> norms;
  for (const auto& [name, values] : tensors) norms.push_back({values.front(), resolution_of(evidence, name)});
  std::ranges::stable_sort(norms, std::ranges::greater(), &NormOfTensor::norm);
  return norms;
}

NormOfTensor joined(const std::vector<NormOfTensor>& norms) {
  NormOfTensor all{0, 0};
  for (const NormOfTensor& each : norms) {
    all.norm = std::hypot(all.norm, each.norm);
    all.resolution = std::hypot(all.resolution, each.resolution);
  }
  return all;
}

/// Puts the norms of one step by their place in the order of size, and how far each may be off beside them.
class NormsOfSteps {
 public:
  explicit NormsOfSteps(bool joins) : joins_(joins) {}

  std::vector<Projections> of(const std::vector<Projections>& steps, const Evidence& evidence) {
    std::vector<Projections> all;
    for (const Projections& step : steps) {
      std::vector<NormOfTensor> norms = norms_by_size(step, evidence);
      if (joins_) norms = {joined(norms)};
      Projections& found = all.emplace_back();
      for (std::size_t place = 0; place < norms.size(); ++place) {
        const std::string name = joins_ ? "all weights together" : fmt::format("the norm of size {:03}", place + 1);
        found[name] = {norms[place].norm};
        resolution_[name] = std::max(resolution_[name], norms[place].resolution);
      }
    }
    return all;
  }

  [[nodiscard]] const std::map<std::string, double>& resolution() const { return resolution_; }

 private:
  bool joins_;
  std::map<std::string, double> resolution_;
};

}  // namespace

std::string other_shape(const protocol::Checked& a, const protocol::Checked& b) {
  if (auto text = other_losses(a.losses, b.losses); !text.empty()) return text;
  if (!a.evidence || !b.evidence) return {};
  if (auto text = other_tensors(a.evidence->gradients, b.evidence->gradients); !text.empty()) return text;
  return other_tensors(a.evidence->updates, b.evidence->updates);
}

protocol::Checked without_layout(protocol::Checked checked, bool joins) {
  if (!checked.evidence) return checked;
  Evidence& evidence = *checked.evidence;
  evidence.gradients = NormsOfSteps(joins).of(evidence.gradients, evidence);
  NormsOfSteps updates(joins);
  evidence.updates = updates.of(evidence.updates, evidence);
  evidence.resolution = updates.resolution();
  return checked;
}

std::string other_number_of_weights(const protocol::Checked& a, const protocol::Checked& b) {
  if (!a.own_weights || !b.own_weights || a.own_weights->count == b.own_weights->count) return {};
  return fmt::format("the models have {} and {} weights", a.own_weights->count, b.own_weights->count);
}

std::string other_start(const protocol::Checked& a, const protocol::Checked& b) {
  if (!a.own_weights || !b.own_weights) return {};
  const double here = a.own_weights->norm;
  const double there = b.own_weights->norm;
  if (std::abs(here - there) <= same_norm * std::max(here, there)) return {};
  return fmt::format("the models start from other weights (norms {:.6g} and {:.6g})", here, there);
}

LossApart loss_apart(const protocol::Checked& a, const protocol::Checked& b, std::size_t step) {
  const std::vector<double>& left = a.losses[step];
  const std::vector<double>& right = b.losses[step];
  double size = 0;
  for (const double value : right) size += std::abs(value);
  size = std::max(size / static_cast<double>(right.size()), small_loss);
  LossApart most{step, 0, left[0], right[0], -1};
  for (std::size_t row = 0; row < left.size(); ++row) {
    const double scale = std::max({std::abs(left[row]), std::abs(right[row]), size});
    const double apart = finite_or_infinite(std::abs(left[row] - right[row]) / scale);
    if (apart > most.apart) most = {step, row, left[row], right[row], apart};
  }
  return most;
}

TensorsApart tensors_apart(const Projections& a, const Projections& b,
                           const std::map<std::string, double>& resolution) {
  const double least = small_norm * std::max(largest_norm(a), largest_norm(b));
  TensorsApart found;
  for (const auto& [name, values] : a) {
    const std::vector<double>& others = b.at(name);
    const auto open = resolution.find(name);
    const double norm = std::max({values.front(), others.front(), least});
    const double apart = difference_norm(values, others) - (open == resolution.end() ? 0 : open->second);
    found[name] = apart <= 0 ? 0 : finite_or_infinite(apart / norm);
  }
  return found;
}

double furthest(const TensorsApart& tensors) {
  double most = 0;
  for (const auto& [name, apart] : tensors) most = std::max(most, apart);
  return most;
}

TensorsApart over_steps(const std::vector<TensorsApart>& steps) {
  TensorsApart most;
  for (const TensorsApart& step : steps)
    for (const auto& [name, apart] : step) most[name] = std::max(most[name], apart);
  return most;
}

double norms_apart(const Projections& a, const Projections& b) {
  const double of_b = squared_norm(b);
  if (of_b == 0) return squared_norm(a) == 0 ? 0 : infinite;
  return std::sqrt(squared_norm(a) / of_b) - 1;
}

std::string probes_apart(const std::vector<double>& a, const std::vector<double>& b, double allowed) {
  if (a.size() != b.size()) return fmt::format("optimizer: {} and {} values", a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double scale = std::max({std::abs(a[i]), std::abs(b[i]), 1e-12});
    if (!(std::abs(a[i] - b[i]) <= allowed * scale))
      return fmt::format(
          "the optimizer makes {:.6g} and {:.6g} of the same gradients (weight {} of a probe from 1e-10 to 1)", a[i],
          b[i], i);
  }
  return {};
}

double means_apart(const protocol::Checked& a, const protocol::Checked& b) {
  if (!other_losses(a.losses, b.losses).empty()) return infinite;
  double most = 0;
  for (std::size_t step = 0; step < a.losses.size(); ++step) {
    double size = 0;
    double apart = 0;
    for (std::size_t i = 0; i < a.losses[step].size(); ++i) {
      size += std::max(std::abs(a.losses[step][i]), std::abs(b.losses[step][i]));
      apart += a.losses[step][i] - b.losses[step][i];
    }
    most = std::max(most, finite_or_infinite(std::abs(apart) / std::max(size, small_loss)));
  }
  return most;
}

Sensitivity sensitivity_of(const protocol::Checked& one, const protocol::Checked& other) {
  if (!other_shape(one, other).empty()) return {};
  // Both were moved, so that they lie further apart by the root of two than each from where it began.
  constexpr double each = 1 / std::numbers::sqrt2;
  const auto of_each = [](TensorsApart tensors) {
    for (auto& [name, apart] : tensors) apart *= each;
    return tensors;
  };
  Sensitivity found;
  for (std::size_t step = 0; step < one.losses.size(); ++step)
    found.losses.push_back(each * loss_apart(one, other, step).apart);
  if (!one.evidence || !other.evidence) return found;
  for (std::size_t step = 0; step < one.evidence->gradients.size(); ++step)
    found.gradients.push_back(of_each(tensors_apart(one.evidence->gradients[step], other.evidence->gradients[step])));
  for (std::size_t step = 0; step < one.evidence->updates.size(); ++step)
    found.updates.push_back(
        of_each(tensors_apart(one.evidence->updates[step], other.evidence->updates[step], one.evidence->resolution)));
  return found;
}

}  // namespace regatta::measure
