#include <fmt/format.h>

#include <cmath>

#include "regatta/base/error.hpp"
#include "regatta/results/machine_json.hpp"
#include "regatta/stats/pair_spreads.hpp"
#include "results/rows/json_values.hpp"

namespace regatta::results {
namespace {

constexpr double most_degrees = 1e9;

double finite(const Json& value) {
  const auto read = value.get<double>();
  if (!std::isfinite(read)) throw InputError("a likelihood that is no number");
  return read;
}

stats::SpreadHistory history_from(const Json& from) {
  stats::SpreadHistory history;
  const Json& likelihoods = from.at("log_likelihoods");
  if (likelihoods.size() != history.log_likelihoods.size())
    throw InputError(fmt::format("{} likelihoods", likelihoods.size()));
  for (std::size_t k = 0; k < likelihoods.size(); ++k) history.log_likelihoods[k] = finite(likelihoods[k]);
  history.degrees = finite(from.at("degrees"));
  if (history.degrees <= 0 || history.degrees > most_degrees)
    throw InputError(fmt::format("{} degrees of freedom", history.degrees));
  return history;
}

}  // namespace

std::string to_json(const stats::SpreadPool& spreads) {
  if (spreads.is_empty()) return {};
  Json list = Json::array();
  for (const auto& [classes, history] : spreads.histories())
    list.push_back({{"classes", classes}, {"degrees", history.degrees}, {"log_likelihoods", history.log_likelihoods}});
  return text_of(list);
}

stats::SpreadPool parse_spreads(const std::string& json) {
  stats::SpreadPool spreads;
  if (json.empty()) return spreads;
  try {
    for (const Json& each : parse_flat(json)) spreads.add(each.at("classes").get<std::string>(), history_from(each));
  } catch (const nlohmann::json::exception& error) {
    throw InputError(words_of(error));
  }
  return spreads;
}

}  // namespace regatta::results
