#include "regatta/sweep/facts.hpp"

#include <algorithm>

#include "regatta/base/error.hpp"

namespace regatta::sweep {
namespace {

const FactValue* find(const Facts& facts, Fact fact) {
  const auto found = std::ranges::find(facts, fact, &KnownFact::fact);
  return found == facts.end() ? nullptr : &found->value;
}

}  // namespace

const FactInfo& info(Fact fact) {
  const auto found = std::ranges::find(fact_table, fact, &FactInfo::fact);
  expect(found != fact_table.end(), "every fact stands in the table");
  return *found;
}

void set(Facts& facts, Fact fact, FactValue value) {
  const FactInfo& row = info(fact);
  expect(value.index() == row.zero.index(), "a fact has the type that the table gives it");
  std::erase_if(facts, [&](const KnownFact& known) { return known.fact == fact; });
  if (value == row.zero) return;
  const auto behind = std::ranges::upper_bound(facts, fact, {}, &KnownFact::fact);
  facts.insert(behind, {fact, std::move(value)});
}

void merge(Facts& facts, const Facts& more) {
  for (const KnownFact& known : more) set(facts, known.fact, known.value);
}

std::string text_of(const Facts& facts, Fact fact) {
  const FactValue* value = find(facts, fact);
  return value == nullptr ? std::string() : std::get<std::string>(*value);
}

double number_of(const Facts& facts, Fact fact) {
  const FactValue* value = find(facts, fact);
  if (value == nullptr) return 0;
  if (const auto* count = std::get_if<std::int64_t>(value)) return static_cast<double>(*count);
  return std::get<double>(*value);
}

}  // namespace regatta::sweep
