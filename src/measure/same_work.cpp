#include "measure/same_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace regatta::measure {

namespace {

using Losses = std::vector<std::vector<double>>;

std::string difference(const Losses& a, const Losses& b) {
  if (a.size() != b.size() || a.empty()) return fmt::format("{} and {} steps were reported", a.size(), b.size());
  for (std::size_t step = 0; step < a.size(); ++step) {
    if (a[step].size() != b[step].size() || a[step].empty()) {
      return fmt::format("step {}: {} and {} values", step + 1, a[step].size(), b[step].size());
    }
    for (std::size_t i = 0; i < a[step].size(); ++i) {
      const double scale = std::max({std::abs(a[step][i]), std::abs(b[step][i]), tolerance});
      const double apart = std::abs(a[step][i] - b[step][i]) / scale;
      if (!(apart <= tolerance)) {
        return fmt::format("step {}, row {}: {:.6g} and {:.6g} differ by {:.2g} (relative; tolerance {})", step + 1, i,
                           a[step][i], b[step][i], apart, tolerance);
      }
    }
  }
  return {};
}

std::string probes_apart(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return fmt::format("optimizer: {} and {} values", a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double scale = std::max({std::abs(a[i]), std::abs(b[i]), 1e-12});
    if (!(std::abs(a[i] - b[i]) <= tolerance * scale)) {
      return fmt::format(
          "the optimizer makes {:.6g} and {:.6g} of the same gradients (weight {} of a probe from 1e-10 to 1)", a[i],
          b[i], i);
    }
  }
  return {};
}

double largest_norm(const protocol::Projections& tensors) {
  double largest = 0;
  for (const auto& [name, values] : tensors) largest = std::max(largest, values.empty() ? 0 : values.front());
  return largest;
}

/// What cancels to nothing in one tensor is judged by the size of the others.
std::string tensors_apart(const protocol::Projections& a, const protocol::Projections& b, double relative,
                          const std::map<std::string, double>& resolution) {
  const double largest = std::max(largest_norm(a), largest_norm(b));
  if (a.size() != b.size()) return fmt::format("{} and {} parameters", a.size(), b.size());
  for (const auto& [name, values] : a) {
    const auto other = b.find(name);
    if (other == b.end() || other->second.size() != values.size() || values.empty())
      return fmt::format("parameter {} is only in one", name);
    const double norm = std::max(values.front(), other->second.front());
    const auto open = resolution.find(name);
    const double allowed =
        relative * std::max(norm, tolerance * largest) + (open == resolution.end() ? 0 : open->second);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double apart = std::abs(values[i] - other->second[i]);
      const double limit = i == 0 ? allowed : sum_spread * allowed;
      if (!(apart <= limit))
        return fmt::format("{} is {:.2g} apart, with a norm of {:.3g} (allowed {:.2g})", name, apart, norm, limit);
    }
  }
  return {};
}

std::string difference(const protocol::Evidence& a, const protocol::Evidence& b) {
  if (a.gradients.size() != b.gradients.size() || a.updates.size() != b.updates.size() ||
      a.gradients.size() != a.updates.size())
    return "gradients and updates of other steps were reported";
  if (auto text = probes_apart(a.probe, b.probe); !text.empty()) return text;
  for (std::size_t step = 0; step < a.gradients.size(); ++step) {
    // Later gradients are those of weights that updates moved, which need not agree as well.
    const double allowed = step == 0 ? tolerance : update_tolerance;
    if (const auto text = tensors_apart(a.gradients[step], b.gradients[step], allowed, {}); !text.empty())
      return fmt::format("step {}, gradient: {}", step + 1, text);
    if (const auto text = tensors_apart(a.updates[step], b.updates[step], update_tolerance, a.resolution);
        !text.empty())
      return fmt::format("step {}, update: {}", step + 1, text);
  }
  return {};
}

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
  if (a[Param::precision] != b[Param::precision]) return Agreement::rounded;
  const bool in_other_parts = normalized_parts(a) != normalized_parts(b);
  return in_other_parts && normalizes_batches(one) ? Agreement::rounded : Agreement::same;
}

double rounding_apart(const protocol::Checked& a, const protocol::Checked& b) {
  double most = 0;
  if (a.losses.size() != b.losses.size() || a.losses.empty()) return std::numeric_limits<double>::infinity();
  for (std::size_t step = 0; step < a.losses.size(); ++step) {
    const auto& left = a.losses[step];
    const auto& right = b.losses[step];
    if (left.size() != right.size() || left.empty()) return std::numeric_limits<double>::infinity();
    double size = 0;
    double apart = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
      size += std::max(std::abs(left[i]), std::abs(right[i]));
      apart += left[i] - right[i];
    }
    const double relative = std::abs(apart) / std::max(size, tolerance);
    most = std::isnan(relative) ? std::numeric_limits<double>::infinity() : std::max(most, relative);
  }
  return most;
}

std::string difference(const protocol::Checked& a, const protocol::Checked& b) {
  const std::string apart = difference(a.losses, b.losses);
  if (!apart.empty() || !a.evidence || !b.evidence) return apart;
  return difference(*a.evidence, *b.evidence);
}

}  // namespace regatta::measure
