"""Wrong ways of searching as patches of shipped code: whole searches, or a test of a part, must notice."""

from tools.mutants import Mutant, first_to_notice, main

COMPETITION = "src/search/competition.cpp"
FINALS = "src/search/finals.cpp"
VERDICT = "src/search/verdict.cpp"

MUTANTS = {
    "one_seed": Mutant(
        VERDICT,
        "finals.runs.push_back(runs);",
        "finals.runs.push_back(FreshRuns{*runs.begin()});",
        "leader and set are decided by the first fresh seed alone",
    ),
    "seeds_reused": Mutant(
        FINALS,
        "seeds.push_back(sweep::first_fresh_seed + i);",
        "seeds.push_back(sweep::search_seed + i);",
        "the seeds that chose the finalists judge them, too",
    ),
    "searched_reported": Mutant(
        VERDICT,
        "values.push_back({seed, score_of(problem.objective, *goodness)});",
        "values.push_back({seed, score_of(problem.objective, contender.goodness)});",
        "what the search saw is reported as validation",
    ),
    "choice_by_test": Mutant(
        VERDICT,
        "if (run != nullptr) runs[seed] = goodness_of(problem.objective, run->score);",
        """const Done* test = recorded(records, test_leg(configuration, seed));
    if (test != nullptr) runs[seed] = goodness_of(problem.objective, test->test);
    else if (run != nullptr) runs[seed] = goodness_of(problem.objective, run->score);""",
        "tests name the leader and the set",
    ),
    "test_opened_early": Mutant(
        FINALS,
        "return fresh.empty() ? tests : fresh;",
        """fresh.insert(fresh.end(), tests.begin(), tests.end());
  return fresh;""",
        "the test part is opened while fresh runs are missing",
    ),
    "clones_as_configurations": Mutant(
        FINALS,
        "by_configuration[standing.entry.configuration];",
        "by_configuration[i];",
        "a configuration and its clone are two",
    ),
    "clones_never_stopped": Mutant(
        COMPETITION,
        "for (std::size_t i = 0; i < done.going_on; ++i) entries.push_back(done.standings[i].entry);",
        """for (std::size_t i = 0; i < done.standings.size(); ++i) {
      const bool is_clone = done.standings[i].entry.purpose == sweep::Purpose::clone;
      if (i < done.going_on || (is_clone && done.standings[i].goodness)) entries.push_back(done.standings[i].entry);
    }""",
        "the search can tell clones apart, and keeps them",
    ),
    "noise_ignored": Mutant(
        FINALS,
        "return best.goodness - other.goodness - half_width > margin;",
        "return best.goodness - other.goodness > margin;",
        "single runs tell configurations apart",
    ),
    "first_come_goes_on": Mutant(
        COMPETITION,
        "if (!competition.missing.empty()) return competition;",
        "if (3 * rung.standings.size() < 2 * entries.size()) return competition;",
        "a rung is cut once most of its runs are there: the fastest decide",
    ),
}


if __name__ == "__main__":
    main("search", MUTANTS, first_to_notice)
