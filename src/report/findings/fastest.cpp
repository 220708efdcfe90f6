#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include "report/findings/findings.hpp"

namespace regatta::report {
namespace {

constexpr std::size_t most_places = 3;  // named in a sentence
constexpr std::size_t most_names = 5;

using Alike = std::vector<const analysis::Fastest*>;

std::span<const TrialIndex> unsure_trials(const analysis::Fastest& fastest) {
  return std::span(fastest.trials).last(fastest.unsure).first(fastest.unsure - fastest.distrusted);
}

std::span<const TrialIndex> distrusted_trials(const analysis::Fastest& fastest) {
  return std::span(fastest.trials).last(fastest.distrusted);
}

std::span<const TrialIndex> known_trials(const analysis::Fastest& fastest) {
  return std::span(fastest.trials).first(fastest.trials.size() - fastest.unsure);
}

/// Settings with the same cells in front, and as much known of them.
std::vector<Alike> alike(const View& view) {
  using Names = std::set<std::string>;
  using Key = std::tuple<Names, Names, Names, Names>;
  std::map<Key, std::size_t> places;
  std::vector<Alike> groups;
  for (const analysis::Fastest& fastest : view.fastest) {
    if (fastest.cells <= 2) continue;
    Names known, unsure, distrusted, unconfirmed;
    for (const TrialIndex trial : known_trials(fastest)) known.insert(arm_of(view, trial));
    for (const TrialIndex trial : unsure_trials(fastest)) unsure.insert(arm_of(view, trial));
    for (const TrialIndex trial : distrusted_trials(fastest)) distrusted.insert(arm_of(view, trial));
    for (const TrialIndex trial : fastest.unconfirmed) unconfirmed.insert(arm_of(view, trial));
    Key key{std::move(known), std::move(unsure), std::move(distrusted), std::move(unconfirmed)};
    const auto [entry, is_new] = places.try_emplace(std::move(key), groups.size());
    if (is_new) groups.emplace_back();
    groups[entry->second].push_back(&fastest);
  }
  std::ranges::stable_sort(groups, std::ranges::greater(), [](const Alike& each) { return each.size(); });
  return groups;
}

std::string names_text(const View& view, std::span<const TrialIndex> trials) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(trials.size(), most_names); ++i) names.push_back(arm_of(view, trials[i]));
  if (names.size() < trials.size()) names.push_back(fmt::format("{} more", trials.size() - names.size()));
  if (names.size() == 1) return names.front();
  const std::string last = std::move(names.back());
  names.pop_back();
  return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

/// "is fastest", "are probably fastest"; of other metrics "has the smallest peak memory".
std::string wins_text(const View& view, bool many, bool sure) {
  const sweep::MetricInfo& info = sweep::info(view.contrasts.metric);
  if (sweep::is_step_time(view.contrasts.metric))
    return fmt::format("{}{} fastest", many ? "are" : "is", sure ? "" : " probably");
  std::string best(info.best);
  best.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(best.front())));
  const std::string noun = view.contrasts.result ? view.contrasts.result->name : std::string(info.noun);
  return fmt::format("{}{} the {} {}", sure ? "" : "probably ", many ? "have" : "has", best, noun);
}

bool is_compared(const View& view, const Group& group) {
  return std::ranges::any_of(group.trials, [&](TrialIndex trial) { return view.ratio[trial.value] != nullptr; });
}

/// " in all 7 settings", " in 5 of 7 settings (batch 1, batch 8 and 3 more)"; empty of a single one.
std::string where_text(const Alike& settings, std::size_t all) {
  if (all == 1) return "";
  if (settings.size() == all) return all == 2 ? " in both settings" : fmt::format(" in all {} settings", all);
  std::vector<std::string> places;
  for (std::size_t i = 0; i < std::min(settings.size(), most_places); ++i) places.push_back(settings[i]->where);
  if (settings.size() == 1) return " at " + places.front();
  const std::size_t more = settings.size() - places.size();
  return fmt::format(" in {} of {} settings ({}{})", settings.size(), all, fmt::join(places, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

/// The cells that may be the fastest, then those of which that is not known surely enough for all cells together.
std::string set_text(const View& view, const analysis::Fastest& fastest, const std::string& where) {
  const auto known = known_trials(fastest), unsure = unsure_trials(fastest);
  const bool many = known.size() > 1;
  std::string text = fmt::format("{} {}{}", names_text(view, known), wins_text(view, many, unsure.empty()), where);
  if (many) text += "; no difference between them is known";
  if (!unsure.empty()) text += fmt::format("; {} may be as good", names_text(view, unsure));
  text += ".";
  const auto distrusted = distrusted_trials(fastest);
  if (!distrusted.empty())
    text +=
        fmt::format(" The interval of {} says slower, but a check speaks against it.", names_text(view, distrusted));
  return text;
}

/// How far the figures of the best of many can be relied on, in the settings of one sentence.
std::string chosen_text(const View& view, const Alike& settings) {
  if (std::ranges::any_of(settings, [](const auto* each) { return !each->due.empty(); }))
    return " The best of many looks better than it is: --rerun fastest measures it afresh.";
  if (std::ranges::none_of(settings, [](const auto* each) { return each->measured_again > 0; })) return "";
  const std::string text = " The best were measured again after they were chosen";
  const auto& unconfirmed = settings.front()->unconfirmed;
  return unconfirmed.empty() ? text + "." : text + fmt::format(", but not {}.", names_text(view, unconfirmed));
}

}  // namespace

std::vector<FastestSentence> fastest_sentences(const View& view) {
  const auto all = static_cast<std::size_t>(
      std::ranges::count_if(view.groups, [&](const Group& group) { return is_compared(view, group); }));
  std::vector<FastestSentence> sentences;
  for (const Alike& settings : alike(view)) {
    const analysis::Fastest& first = *settings.front();
    sentences.push_back(
        {settings.size(), set_text(view, first, where_text(settings, all)) + chosen_text(view, settings)});
  }
  return sentences;
}

}  // namespace regatta::report
