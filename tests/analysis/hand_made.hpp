// Contrasts with intervals made by hand: native eager against native graph, the baseline.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/effects/effects.hpp"
#include "regatta/analysis/fastest.hpp"
#include "report/sample_results.hpp"

namespace regatta::testing_support {

struct HandMade {
  ResultsBuilder made;
  analysis::Contrasts contrasts;

  /// eager / graph = ratio, with the interval [ratio / factor, ratio x factor].
  analysis::Contrast& contrast(std::optional<std::int64_t> batch, double ratio, double factor, std::int64_t squares = 7,
                               const char* model = "mlp-10", const char* engine = "native") {
    const auto add = [&](const char* of_engine, const char* mode) {
      Values values = {{sweep::Param::engine, std::string(of_engine)},
                       {sweep::Param::mode, std::string(mode)},
                       {sweep::Param::model, std::string(model)}};
      if (batch) values.emplace_back(sweep::Param::batch, *batch);
      return made.trial(values);
    };
    const auto b = add("native", "graph");
    const auto a = add(engine, "eager");
    analysis::Contrast& of_both = against(b, a, ratio, factor);
    of_both.squares = squares;
    of_both.verdict = ratio < 1 ? stats::Verdict::faster : stats::Verdict::slower;
    return of_both;
  }

  /// One more cell of one setting, engine@1, engine@2, ..., against the same baseline, native: 1 % to both sides.
  analysis::Contrast& cell(double ratio, stats::Verdict verdict = stats::Verdict::slower) {
    const auto engine = [](const std::string& name) { return Values{{sweep::Param::engine, name}}; };
    if (contrasts.contrasts.empty()) made.trial(engine("native"));
    const std::string name = "engine@" + std::to_string(contrasts.contrasts.size() + 1);
    analysis::Contrast& of_both = against(TrialIndex{0}, made.trial(engine(name)), ratio, 1.01);
    of_both.margin = 0.01;
    of_both.verdict = verdict;
    return of_both;
  }

  [[nodiscard]] std::vector<analysis::Fastest> fastest() const { return fastest_of(made.results, contrasts); }

  /// A fresh process for each value of `steps`, the seconds of a step.
  void starts(TrialIndex trial, double start, double first, const std::vector<double>& steps) {
    made.slices(BlockIndex{0}, trial, steps);
    start_processes(made.results, trial, start, first);
  }

  [[nodiscard]] analysis::Effects effects() const { return effects_of(analysis::judge_of(made.results), contrasts); }

 private:
  /// Both in a block of their own.
  analysis::Contrast& against(TrialIndex b, TrialIndex a, double ratio, double factor) {
    analysis::Contrast& of_both = contrasts.contrasts.emplace_back();
    of_both.block = made.block({b, a});
    of_both.a = a;
    of_both.b = b;
    of_both.ratio = ratio;
    of_both.low = ratio / factor;
    of_both.high = ratio * factor;
    return of_both;
  }
};

}  // namespace regatta::testing_support
