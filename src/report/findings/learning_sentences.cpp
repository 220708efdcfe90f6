#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "regatta/report/text.hpp"
#include "regatta/report/wording.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/summaries.hpp"
#include "regatta/sweep/capabilities.hpp"
#include "report/findings/learning_words.hpp"

namespace regatta::report {
namespace {

using analysis::Ranked;
using search::Warning;

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

bool warns(const Learning& learning, Warning warning) {
  return std::ranges::find(learning.warnings, warning) != learning.warnings.end();
}

bool is_accuracy(const Learning& learning) { return analysis::is_accuracy(learning.objective.metric); }

std::string test_sentence(const Learning& learning, const Ranked& leader) {
  const std::size_t runs = leader.test.by_seed.size();
  if (runs == 0) return {};
  const std::string samples =
      learning.parts.test > 0 ? fmt::format("{} test samples", learning.parts.test) : "the test part";
  std::string text = fmt::format("T{}: {}{} on {}", test_name(learning).substr(1),
                                 figure_text(is_test_accuracy(learning), leader.test),
                                 runs == 1 ? "" : fmt::format(", the mean of {} runs", runs), samples);
  if (!leader.test_loss.by_seed.empty()) text += fmt::format("; test loss {:.3g}", leader.test_loss.mean.value);
  if (leader.new_samples)
    text += fmt::format(". Expect {:.1f} to {:.1f} % on new samples", 100 * leader.new_samples->low,
                        100 * leader.new_samples->high);
  return text;
}

/// The others that came out as the leader did, to the last digit, under each seed.
std::vector<const Ranked*> level_with_leader(const Learning& learning) {
  std::vector<const Ranked*> level;
  for (auto row = learning.ranking.begin() + 1; row != learning.ranking.end(); ++row)
    if (row->validation.by_seed == learning.ranking.front().validation.by_seed) level.push_back(&*row);
  return level;
}

/// Nothing was chosen then.
bool are_all_level(const Learning& learning) {
  return level_with_leader(learning).size() + 1 == learning.tally.configurations;
}

std::string validation_sentence(const Learning& learning, const Ranked& leader) {
  std::string name = objective_name(learning);
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  const std::string figure = figure_text(is_accuracy(learning), leader.validation);
  const std::size_t seeds = leader.validation.by_seed.size();
  if (!learning.search) {
    std::string text = fmt::format("{}: {} under {}", name, figure, counted(seeds, "seed", "seeds"));
    if (learning.ranking.size() > 1 && !are_all_level(learning))
      text += ". The same runs chose it, so this figure may be too good";
    return text;
  }
  std::string text = fmt::format("{}: {} under {}", name, figure, counted(seeds, "fresh seed", "fresh seeds"));
  if (!leader.searched) return text;
  const std::string seen = quality_text(is_accuracy(learning), *leader.searched);
  const double optimism = learning.optimism.value_or(0);
  const std::string luck = difference_text(is_accuracy(learning), std::abs(optimism));
  if (luck.starts_with("0 ") || luck.starts_with("0.0 ") || optimism < 0)
    return text + fmt::format(". No sign of selection bias: the search itself saw {}", seen);
  return text + fmt::format(". The search saw {}: {} of it {} the luck of the choice", seen, luck,
                            luck == "1 point" ? "was" : "were");
}

/// The configurations that differ from the best one in their ranks alone, itself among them.
std::vector<const Ranked*> same_but_for_ranks(const View& view, const Learning& learning) {
  const auto learnt_by = [&](const Ranked& row) {
    return sweep::without_ranks(view.results.trials[row.trial.value].parameters);
  };
  const sweep::Parameters leader = learnt_by(learning.ranking.front());
  std::vector<const Ranked*> same;
  for (const Ranked& row : learning.ranking)
    if (!row.train_seconds.by_seed.empty() && learnt_by(row) == leader) same.push_back(&row);
  return same;
}

/// How long one training takes, with each number of ranks that there is.
std::string time_sentence(const View& view, const Learning& learning) {
  const std::vector<const Ranked*> rows = same_but_for_ranks(view, learning);
  std::string times;
  for (const Ranked* row : rows) {
    times += (times.empty() ? "" : ", ") + duration_text(row->train_seconds.mean.value);
    if (rows.size() < 2) continue;
    const auto ranks = sweep::integer_or(view.results.trials[row->trial.value].parameters, sweep::Param::ranks, 1);
    times += fmt::format(" with {}", counted(static_cast<std::size_t>(ranks), "rank", "ranks"));
  }
  return times.empty() ? times : "One training takes " + times;
}

std::string left_out_sentence(const Learning& learning) {
  return fmt::format("{} may be as good, but \"at_most\" leaves places for {} finalists",
                     counted(learning.left_out, "more configuration", "more configurations"), learning.search->at_most);
}

/// "Best of 9: batch 32", and who is level with it to the last digit.
std::string first_sentence(const View& view, const Learning& learning) {
  const Ranked& leader = learning.ranking.front();
  const std::string name = configuration_text(view, learning, leader.trial);
  const std::size_t all = learning.tally.configurations;
  if (all == 1) return "Trained: " + name;
  if (are_all_level(learning))
    return fmt::format("No difference: all {} have the same {} under each seed", all, objective_name(learning));
  const bool few = leader.validation.by_seed.size() < stats::rules::fewest_units;
  std::string text = fmt::format("{} of {} configurations: {}", few ? "Ahead by the mean alone" : "Best", all, name);
  if (const auto level = level_with_leader(learning); !level.empty())
    text += fmt::format(", and with the same {} under each seed {}{}", objective_name(learning),
                        configuration_text(view, learning, level.front()->trial),
                        level.size() > 1 ? fmt::format(" and {} more", level.size() - 1) : "");
  return text;
}

/// The configuration that reached the target soonest. Medians decide, so that a run that never reaches it counts.
std::string target_sentence(const View& view, const Learning& learning) {
  const Ranked* soonest = nullptr;
  for (const Ranked& row : learning.ranking) {
    if (!row.target || !std::isfinite(row.target->train_seconds.value)) continue;
    if (soonest == nullptr || row.target->train_seconds.value < soonest->target->train_seconds.value) soonest = &row;
  }
  if (!learning.objective.target) return {};
  const std::string target =
      objective_name(learning) + " " + quality_text(is_accuracy(learning), *learning.objective.target);
  if (soonest == nullptr) return "No configuration reaches " + target + " in half of its runs";
  std::string text = fmt::format("Soonest at {}: {}, reached by {} of {} runs, after {}", target,
                                 configuration_text(view, learning, soonest->trial), soonest->target->reached,
                                 soonest->target->runs, arrival_text(*soonest->target));
  if (std::isfinite(soonest->target->with_start.value))
    text += fmt::format(" ({} with evaluations, preparation and a cold start)",
                        duration_text(soonest->target->with_start.value));
  if (soonest->trial == *learning.leader) return text;
  const stats::Estimate& ratio = soonest->target->ratio;
  if (!(ratio.range.high < 1)) return text + "; it is not shown to be sooner than the best one";
  return text + fmt::format("; this is {:.2f} [{:.2f}, {:.2f}] of the time that the best one takes", ratio.value,
                            ratio.range.low, ratio.range.high);
}

/// How many of the others are as good as far as these seeds tell.
std::string set_sentence(const Learning& learning) {
  const std::size_t others = learning.ranking.size() - 1;
  if (others == 0 && learning.tally.configurations == 1) return {};
  if (others == 0 && learning.left_out == 0) return "No other configuration came close enough to be trained again";
  if (others == 0) return left_out_sentence(learning);
  const std::string margin = by_margin_text(learning);
  const auto as_good = static_cast<std::size_t>(std::ranges::count(learning.ranking, true, &Ranked::in_set)) - 1;
  const bool few = std::ranges::any_of(learning.ranking, &Ranked::few_test_samples);
  const std::string_view one = learning.search ? "other finalist" : "other configuration";
  const std::string_view many = learning.search ? "other finalists" : "other configurations";
  const std::string all = others == 1   ? fmt::format("The {}", one)
                          : others == 2 ? fmt::format("Both {}", many)
                                        : fmt::format("All {} {}", others, many);
  if (as_good == 0)
    return fmt::format("{} {} worse{}{}", all, others == 1 ? "is" : "are",
                       learning.objective.margin > 0 ? " by more than" + margin.substr(3) : "",
                       few ? ", on this test part alone: it has few samples" : "");
  if (as_good == others)
    return fmt::format("{} may be as good: {} not shown to be worse{}", all, others == 1 ? "it is" : "they are",
                       margin);
  return fmt::format("{} of {} {} may be as good: {} not shown to be worse{}", as_good, others, many,
                     as_good == 1 ? "it is" : "they are", margin);
}

void add_unled(std::vector<std::string>& sentences, const View& view, const Learning& learning) {
  if (warns(learning, Warning::all_diverged)) {
    const bool any_failed = !learning.failures.empty();
    const char* how = !any_failed ? "diverged" : learning.tally.diverged == 0 ? "failed" : "diverged or failed";
    sentences.push_back(fmt::format("Nothing to choose from: all {} {}. There is no {}",
                                    counted(learning.tally.configurations, "configuration", "configurations"), how,
                                    objective_name(learning)));
    return;
  }
  if (learning.ranking.empty() && learning.tally.configurations == 0 && learning.tally.skipped > 0)
    sentences.push_back(fmt::format("Nothing was trained: {} skipped. The table of trials has the reasons",
                                    counted(learning.tally.skipped, "configuration was", "configurations were all")));
  if (learning.ranking.empty()) return;
  const Ranked& first = learning.ranking.front();
  const std::string name = configuration_text(view, learning, first.trial);
  if (!first.validation.by_seed.empty())
    sentences.push_back(fmt::format("So far ahead: {}: {} {} under {}", name, objective_name(learning),
                                    figure_text(is_accuracy(learning), first.validation),
                                    counted(first.validation.by_seed.size(), "seed", "seeds")));
  else if (first.searched)
    sentences.push_back(fmt::format("So far ahead: {}: the search saw {}, which may be too good", name,
                                    quality_text(is_accuracy(learning), *first.searched)));
}

}  // namespace

std::string learning_counts(const Learning& learning) {
  std::string text = counted(learning.tally.configurations, "configuration", "configurations");
  if (learning.search && learning.search->halves)
    text += fmt::format(", {} {}", learning.search->rungs, learning.search->rungs == 1 ? "rung" : "rungs");
  if (!learning.search)
    text += fmt::format(", {} {}", learning.training.seeds, learning.training.seeds == 1 ? "seed" : "seeds");
  return text + ", " + counted(learning.tally.runs, "run", "runs");
}

std::vector<std::string> learning_headline(const View& view, const Learning& learning) {
  std::vector<std::string> sentences;
  if (!learning.over)
    sentences.push_back(fmt::format("The {} is not finished: this report tells what is recorded so far",
                                    learning.search ? "search" : "training"));
  if (!learning.leader) {
    add_unled(sentences, view, learning);
    return sentences;
  }
  const Ranked& leader = learning.ranking.front();
  const bool all_few = leader.validation.by_seed.size() < stats::rules::fewest_units;
  sentences.push_back(first_sentence(view, learning));
  for (std::string& each : std::vector{test_sentence(learning, leader), validation_sentence(learning, leader),
                                       time_sentence(view, learning)}) {
    if (!each.empty()) sentences.push_back(std::move(each));
  }
  if (warns(learning, Warning::few_seeds)) {
    const std::string seeds = counted(leader.validation.by_seed.size(), "seed", "seeds");
    sentences.push_back(all_few ? fmt::format("No verdict after {}: at least {} seeds are needed to tell one "
                                              "configuration from another",
                                              seeds, stats::rules::fewest_units)
                                : "Some configurations diverged under too many seeds for a verdict");
    if (all_few) return sentences;
  }
  if (std::string set = set_sentence(learning); !set.empty()) sentences.push_back(std::move(set));
  if (std::string target = target_sentence(view, learning); !target.empty()) sentences.push_back(std::move(target));
  if (learning.left_out > 0 && learning.ranking.size() > 1) sentences.push_back(left_out_sentence(learning));
  return sentences;
}

std::string stopped_text(const Learning& learning) {
  if (!learning.search || learning.stopped.empty()) return {};
  const auto count = [&](auto holds) {
    return static_cast<std::size_t>(std::ranges::count_if(learning.stopped, holds));
  };
  std::string text = fmt::format("{} of {}:", learning.stopped.size(), learning.tally.configurations);
  for (std::uint32_t rung = 0; rung < learning.noise.size(); ++rung) {
    const std::size_t stopped = count([&](const auto& each) { return each.after_rung == rung; });
    if (stopped == 0) continue;
    const bool is_first = text.ends_with(':');
    const double percent = 100 * sweep::end_of_rung(*learning.search, rung);
    text += fmt::format("{} {} after {:.{}g} %{}", is_first ? "" : ",", stopped, percent, percent < 99.5 ? 2 : 3,
                        is_first ? " of the samples" : "");
  }
  const std::size_t diverged = count([](const auto& each) { return each.diverged; });
  if (diverged > 0) text += fmt::format("; {} of them diverged or failed", diverged);
  const std::size_t trained_on = count([](const auto& each) { return each.end_score.has_value(); });
  if (trained_on == 0) return text;
  const std::size_t lost = count([](const auto& each) { return each.would_be_in_set; });
  text += fmt::format("; {} went on to the end as a check, and {} would have been {}",
                      counted(trained_on, "stopped one", "stopped ones"), lost == 0 ? "none" : std::to_string(lost),
                      lost == 1 ? "a finalist" : "finalists");
  return lost == 0 ? text : text + ". A smaller factor, or a longer first stage, loses fewer good ones";
}

std::string noise_text(const Learning& learning) {
  const bool accuracy = is_accuracy(learning);
  std::string text;
  if (const auto& noise = learning.seed_noise; noise.configurations > 0)
    text = fmt::format("another seed alone changes {} by {} (standard deviation within {}, {} runs)",
                       objective_name(learning), difference_text(accuracy, noise.spread),
                       counted(noise.configurations, learning.search ? "finalist" : "configuration",
                               learning.search ? "finalists" : "configurations"),
                       noise.runs);
  if (learning.noise.empty()) return text;
  const search::Noise& last = learning.noise.back();
  const std::string begin = text.empty() ? "" : text + "; ";
  if (last.pairs == 0)
    return begin +
           "the search did not know it: no configuration was trained twice so far, so all went on to the "
           "fresh seeds";
  return begin + fmt::format("the search took it for {}, from {} trained twice{}",
                             difference_text(accuracy, last.spread),
                             counted(last.pairs, "configuration", "configurations"),
                             last.of_earlier ? ", some of them stopped before, after less training" : "");
}

namespace {

/// Whole trainings as a whole number; with runs that ended early there is a part.
std::string rounded_text(double trainings) {
  const bool is_whole = std::abs(trainings - std::round(trainings)) < 0.05;
  return fmt::format("{:.{}f}", trainings, is_whole ? 0 : 1);
}

}  // namespace

std::string trainings_text(double trainings) {
  const std::string number = rounded_text(trainings);
  return number + (number == "1" ? " full training" : " full trainings");
}

std::string cost_text(const Learning& learning) {
  if (learning.tally.configurations == 0) return {};
  const search::Cost& cost = learning.cost;
  const double spent = cost.search + cost.clones + cost.trained_on + cost.fresh;
  std::string text;
  if (learning.search) {
    text = fmt::format(
        "{} (search {:.1f}, noise {:.1f}, stopped ones trained on {:.1f}, "
        "fresh seeds {:.0f})",
        trainings_text(spent), cost.search, cost.clones, cost.trained_on, cost.fresh);
    text += fmt::format(" in place of {:.0f} for all configurations under all seeds", cost.everything);
  } else {
    text = fmt::format("{} of {:.0f} trainings", rounded_text(spent), cost.everything);
  }
  if (cost.repeats > 0) text += fmt::format(", and {} under the same seed again", rounded_text(cost.repeats));
  if (!(learning.tally.train_seconds > 0)) return text;
  return text + fmt::format("; training took {}, evaluating {}", duration_text(learning.tally.train_seconds),
                            duration_text(learning.tally.evaluate_seconds));
}

}  // namespace regatta::report
