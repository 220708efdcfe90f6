#include "regatta/search/due.hpp"

#include "search/finals.hpp"
#include "search/search.hpp"

namespace regatta::search {

std::vector<Due> due(const Problem& problem, std::span<const Done> runs) {
  const Records records = records_of(runs);
  const Competition competition = compete(problem, records);
  std::vector<Due> legs = competition.missing;
  const std::vector<Due> finals = finals_due(problem, records, finalists_of(problem, competition));
  legs.insert(legs.end(), finals.begin(), finals.end());
  for (const TrainedOn& one : trained_on_of(problem, competition)) {
    if (recorded(records, one.rest) == nullptr) legs.push_back(one.rest);
  }
  return legs;
}

}  // namespace regatta::search
