// A GPU's answers (tests/gpu/answers) agree with the contract as it stands.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "gpu/contract/asking.hpp"
#include "support/places.hpp"

namespace regatta::gpu_contract {
namespace {

std::string path_of(const char* file) { return support::source_folder() + "/tests/gpu/answers/" + file; }

/// By the case's name.
std::map<std::string, std::string> recorded_answers() {
  std::map<std::string, std::string> answers;
  const auto document = nlohmann::json::parse(std::ifstream(path_of("h200_answers.json")));
  for (const auto& one : document.at("cases")) answers[one.at("name")] = one.at("got");
  return answers;
}

std::set<std::string> not_asked() {
  std::set<std::string> names;
  std::ifstream file(path_of("not_asked.txt"));
  for (std::string line; std::getline(file, line);) names.insert(line);
  return names;
}

TEST(RecordedAnswers, ThereIsOneForEachCaseThatWasAsked) {
  const auto recorded = recorded_answers();
  const auto open = not_asked();
  std::set<std::string> names;
  for (const Case& one : all_cases()) {
    names.insert(one.name);
    EXPECT_NE(recorded.contains(one.name), open.contains(one.name))
        << one.name << ": a case has an answer, or stands in not_asked.txt";
  }
  for (const auto& [name, got] : recorded) EXPECT_TRUE(names.contains(name)) << name << " is no case any more";
  for (const std::string& name : open) EXPECT_TRUE(names.contains(name)) << name << " is no case any more";
}

TEST(RecordedAnswers, AgreeWithWhatTheCasesExpect) {
  const auto recorded = recorded_answers();
  for (const Case& one : all_cases()) {
    const auto found = recorded.find(one.name);
    if (found == recorded.end()) continue;
    EXPECT_NE(verdict_of(one, found->second), Verdict::differed)
        << one.name << "\n  expected: " << one.expected << "\n  a GPU answered: " << found->second;
  }
}

TEST(RecordedAnswers, AreMilderOnlyWhereAFakeIsStricterOnPurpose) {
  std::set<std::string> milder;
  const auto recorded = recorded_answers();
  for (const Case& one : all_cases()) {
    const auto found = recorded.find(one.name);
    if (found != recorded.end() && verdict_of(one, found->second) == Verdict::milder) milder.insert(one.name);
  }
  const std::set<std::string> stricter{"memory: no bytes of a pool",
                                       "copy: against its direction",
                                       "capture: cudaMallocAsync",
                                       "capture: cudaMemcpy",
                                       "capture: a copy from pageable memory",
                                       "product: an algorithm of another problem",
                                       "product: without an algorithm"};
  EXPECT_EQ(milder, stricter);
}

}  // namespace
}  // namespace regatta::gpu_contract
