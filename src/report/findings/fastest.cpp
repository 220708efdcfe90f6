#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
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
  using Key = std::tuple<Names, Names, Names, Names, std::size_t, bool, bool>;
  std::map<Key, std::size_t> places;
  std::vector<Alike> groups;
  for (const analysis::Fastest& fastest : view.fastest) {
    if (fastest.cells <= 2) continue;
    Names known, unsure, distrusted, unconfirmed;
    for (const TrialIndex trial : known_trials(fastest)) known.insert(arm_of(view, trial));
    for (const TrialIndex trial : unsure_trials(fastest)) unsure.insert(arm_of(view, trial));
    for (const TrialIndex trial : distrusted_trials(fastest)) distrusted.insert(arm_of(view, trial));
    for (const TrialIndex trial : fastest.unconfirmed) unconfirmed.insert(arm_of(view, trial));
    Key key{std::move(known), std::move(unsure),   std::move(distrusted),     std::move(unconfirmed),
            fastest.cells,    fastest.due.empty(), fastest.measured_again > 0};
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

/// The cells that may be the fastest, and those of which that is not known surely enough for all cells together.
std::string set_text(const View& view, const analysis::Fastest& fastest) {
  const auto known = known_trials(fastest), unsure = unsure_trials(fastest);
  std::string text = names_text(view, known) + (known.size() > 1 ? ", not told apart" : "");
  if (!unsure.empty())
    text += fmt::format("; not yet confirmed against {} (the best of {} cells needs more squares than one ratio)",
                        names_text(view, unsure), fastest.cells);
  const auto distrusted = distrusted_trials(fastest);
  if (!distrusted.empty())
    text +=
        fmt::format("; {} {} slower by the whole interval, though that is not decided (why stands beside the ratio)",
                    names_text(view, distrusted), distrusted.size() == 1 ? "is" : "are");
  return text;
}

std::string places_text(const Alike& settings) {
  std::vector<std::string> places;
  for (std::size_t i = 0; i < std::min(settings.size(), most_places); ++i) places.push_back(settings[i]->where);
  if (places.front().empty()) return "";
  const std::string text = fmt::format(" at {}", fmt::join(places, ", "));
  return settings.size() > most_places ? text + fmt::format(" and {} more", settings.size() - most_places) : text;
}

/// How far the figures of the best of many can be relied on.
std::string chosen_text(const View& view, const analysis::Fastest& fastest) {
  if (!fastest.due.empty())
    return "; chosen as the best of many, its figure may flatter it: --rerun fastest measures it afresh";
  if (fastest.measured_again == 0) return "";
  std::string text = "; the best were measured again after they were chosen";
  if (fastest.unconfirmed.empty()) return text;
  return text + fmt::format(", {} {} not", names_text(view, fastest.unconfirmed),
                            fastest.unconfirmed.size() == 1 ? "was" : "were");
}

}  // namespace

std::vector<FastestSentence> fastest_sentences(const View& view) {
  std::vector<FastestSentence> sentences;
  for (const Alike& settings : alike(view)) {
    const analysis::Fastest& first = *settings.front();
    sentences.push_back(
        {settings.size(), fmt::format("{} of {}{}: {}{}", sweep::info(view.contrasts.metric).best, first.cells,
                                      places_text(settings), set_text(view, first), chosen_text(view, first))});
  }
  return sentences;
}

}  // namespace regatta::report
