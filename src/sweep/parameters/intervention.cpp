#include "regatta/sweep/intervention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "regatta/base/error.hpp"
#include "regatta/sweep/capabilities.hpp"

namespace regatta::sweep {
namespace {

constexpr std::string_view batch_prefix = "batch ";

/// Below this batch a line through smaller ones would be all intercept; larger ones tell the slope.
constexpr std::int64_t small_batch = 8;
constexpr std::int64_t middle_of_small = 8;
constexpr std::int64_t largest_of_small = 64;

/// The power of two at or below the root.
std::int64_t middle_batch(std::int64_t batch) {
  std::int64_t middle = 1;
  while (4 * middle * middle <= batch) middle *= 2;
  return middle;
}

/// Two more batches: three points tell a line from a bend.
std::vector<std::int64_t> other_batches(std::int64_t batch) {
  if (batch >= small_batch) return {1, middle_batch(batch)};
  if (batch == 1) return {middle_of_small, largest_of_small};
  return {1, largest_of_small};
}

}  // namespace

const std::vector<InterventionKind>& intervention_kinds() {
  using enum InterventionKind;
  static const std::vector<InterventionKind> kinds = {unchanged, input_resident, kernels_emptied, exchange_off, batch};
  return kinds;
}

std::string_view name_of(InterventionKind kind) {
  switch (kind) {
    case InterventionKind::unchanged:
      return "unchanged";
    case InterventionKind::input_resident:
      return "input_resident";
    case InterventionKind::kernels_emptied:
      return "kernels_emptied";
    case InterventionKind::exchange_off:
      return "exchange_off";
    case InterventionKind::batch:
      return "batch";
  }
  throw InternalError("unknown intervention");
}

std::string text_of(const Intervention& intervention) {
  if (intervention.kind != InterventionKind::batch) return std::string(name_of(intervention.kind));
  return fmt::format("{}{}", batch_prefix, intervention.batch);
}

std::optional<Intervention> parse_intervention(std::string_view text) {
  if (text.starts_with(batch_prefix)) {
    Intervention found{InterventionKind::batch, 0};
    const char* const end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data() + batch_prefix.size(), end, found.batch);
    if (error != std::errc() || at != end || found.batch < 1) return std::nullopt;
    return found;
  }
  for (const InterventionKind kind : intervention_kinds()) {
    if (kind != InterventionKind::batch && text == name_of(kind)) return Intervention{kind, 0};
  }
  return std::nullopt;
}

bool needs_engine(InterventionKind kind) {
  return kind == InterventionKind::input_resident || kind == InterventionKind::kernels_emptied ||
         kind == InterventionKind::exchange_off;
}

bool keeps_work(InterventionKind kind) {
  return kind == InterventionKind::unchanged || kind == InterventionKind::input_resident;
}

Parameters changed(Parameters parameters, const Intervention& intervention) {
  if (intervention.kind == InterventionKind::batch) parameters[Param::batch] = intervention.batch;
  return parameters;
}

std::vector<Intervention> interventions_for(const Parameters& parameters, const model::Model* model) {
  if (model == nullptr || std::holds_alternative<model::Noop>(*model)) return {};
  std::vector<Intervention> found = {{InterventionKind::unchanged, 0}};
  if (std::holds_alternative<model::Network>(*model)) found.push_back({InterventionKind::input_resident, 0});
  found.push_back({InterventionKind::kernels_emptied, 0});
  if (integer_or(parameters, Param::ranks, 1) > 1) found.push_back({InterventionKind::exchange_off, 0});
  const auto batch = batch_of(parameters);
  if (!batch) return found;
  for (const std::int64_t other : other_batches(*batch)) {
    const Intervention intervention{InterventionKind::batch, other};
    if (!skip_reason(changed(parameters, intervention), model)) found.push_back(intervention);
  }
  return found;
}

}  // namespace regatta::sweep
