#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "report/findings/findings.hpp"

namespace regatta::report {
namespace {

constexpr std::size_t most_settings_named = 3;  // named in a sentence
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

std::set<std::string> names_of_arms(const View& view, std::span<const TrialIndex> trials) {
  std::set<std::string> names;
  for (const TrialIndex trial : trials) names.insert(arm_of(view, trial));
  return names;
}

/// Settings with the same cells in front. One with two cells counts where their ratio decides which is faster.
std::vector<Alike> alike(const View& view) {
  std::map<std::pair<std::set<std::string>, bool>, std::size_t> places;
  std::vector<Alike> groups;
  const bool has_many = std::ranges::any_of(view.fastest, [](const auto& each) { return each.cells > 2; });
  if (!has_many) return groups;
  for (const analysis::Fastest& fastest : view.fastest) {
    const auto known = known_trials(fastest);
    if (fastest.cells <= 2 && (known.size() != 1 || fastest.unsure > 0)) continue;
    const auto [entry, is_new] =
        places.try_emplace(std::pair(names_of_arms(view, known), fastest.unsure > 0), groups.size());
    if (is_new) groups.emplace_back();
    groups[entry->second].push_back(&fastest);
  }
  std::ranges::stable_sort(groups, std::ranges::greater(), [](const Alike& each) { return each.size(); });
  return groups;
}

/// "batch 1, batch 8 and batch 32"; `parts` is not empty.
std::string listed(std::vector<std::string> parts) {
  if (parts.size() == 1) return parts.front();
  const std::string last = std::move(parts.back());
  parts.pop_back();
  return fmt::format("{} and {}", fmt::join(parts, ", "), last);
}

std::string names_text(const View& view, std::span<const TrialIndex> trials) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(trials.size(), most_names); ++i) names.push_back(arm_of(view, trials[i]));
  if (names.size() < trials.size()) names.push_back(fmt::format("{} more", trials.size() - names.size()));
  return listed(std::move(names));
}

/// "is fastest", "are probably fastest"; "has the smallest peak memory" for other metrics.
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

std::string places_text(const Alike& settings) {
  std::vector<std::string> places;
  for (const auto* setting : settings) places.push_back(setting->where);
  return listed(std::move(places));
}

/// " in all 7 settings", " in 5 of 7 settings", " at batch 1 and batch 8"; empty of a single one.
std::string where_text(const Alike& settings, std::size_t all) {
  if (all == 1) return "";
  if (settings.size() == all) return all == 2 ? " in both settings" : fmt::format(" in all {} settings", all);
  if (settings.size() <= most_settings_named && settings.size() < all - settings.size())
    return " at " + places_text(settings);
  return fmt::format(" in {} of {} settings", settings.size(), all);
}

/// Settings of these in which the same arms are `part` of what is known.
template <class Part>
std::map<std::set<std::string>, Alike> by_part(const View& view, const Alike& settings, Part part) {
  std::map<std::set<std::string>, Alike> found;
  for (const auto* setting : settings) {
    std::set<std::string> names = names_of_arms(view, part(*setting));
    if (!names.empty()) found[std::move(names)].push_back(setting);
  }
  return found;
}

/// " at batch 8"; " in 4 settings" for many of them, nothing for all.
std::string among_text(const Alike& some, const Alike& settings) {
  if (some.size() == settings.size()) return "";
  return some.size() <= most_settings_named ? " at " + places_text(some) : fmt::format(" in {} settings", some.size());
}

/// The cells that may be the fastest, then those of which that is not known surely enough for all cells together.
std::string set_text(const View& view, const Alike& settings, std::size_t all) {
  const auto known = known_trials(*settings.front());
  const bool many = known.size() > 1;
  const bool sure = unsure_trials(*settings.front()).empty();
  const bool is_open =
      many && std::ranges::all_of(settings, [&](const auto* each) { return known.size() == each->cells; });
  std::string text =
      is_open ? fmt::format("No difference between {} is known{}", names_text(view, known), where_text(settings, all))
              : fmt::format("{} {}{}", names_text(view, known), wins_text(view, many, sure), where_text(settings, all));
  if (many && !is_open) text += "; no difference between them is known";
  for (const auto& [names, some] : by_part(view, settings, unsure_trials))
    text += fmt::format("; {} may be as good{}", fmt::join(names, ", "), among_text(some, settings));
  text += ".";
  for (const auto& [names, some] : by_part(view, settings, distrusted_trials))
    text += fmt::format(" The whole interval of {}{} says slower, but that is not decided yet.", fmt::join(names, ", "),
                        among_text(some, settings));
  return text;
}

/// How far the figures of the best of many can be relied on, in the settings of one sentence.
std::string chosen_text(const View& view, const Alike& settings) {
  if (std::ranges::any_of(settings, [](const auto* each) { return !each->due.empty(); }))
    return "The best of many looks better than it is: --rerun fastest measures it afresh.";
  if (std::ranges::none_of(settings, [](const auto* each) { return each->measured_again > 0; })) return "";
  std::set<std::string> unconfirmed;
  for (const auto* setting : settings) unconfirmed.merge(names_of_arms(view, setting->unconfirmed));
  const std::string text = "The best were measured again after they were chosen";
  return unconfirmed.empty() ? text + "." : text + fmt::format(", but not {}.", fmt::join(unconfirmed, ", "));
}

}  // namespace

std::vector<FastestSentence> fastest_sentences(const View& view) {
  const auto all = static_cast<std::size_t>(
      std::ranges::count_if(view.groups, [&](const Group& group) { return is_compared(view, group); }));
  std::vector<FastestSentence> sentences;
  for (const Alike& settings : alike(view)) {
    sentences.push_back({settings.size(), set_text(view, settings, all), chosen_text(view, settings)});
  }
  return sentences;
}

}  // namespace regatta::report
