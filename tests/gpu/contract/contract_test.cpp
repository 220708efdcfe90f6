// The fakes answer as the contract says; test by test the machine is a fresh one.
#include <gmock/gmock.h>

#include <algorithm>

#include "gpu/contract/asking.hpp"
#include "support/cuda/control.hpp"

namespace regatta::gpu_contract {
namespace {

using cuda_fakes::StreamOrder;
using cuda_fakes::ThreadOrder;

class Fakes : public ::testing::Test {
 protected:
  static void expect_agreement(const std::vector<Case>& cases, StreamOrder streams, std::uint64_t seed = 1) {
    const cuda_fakes::Control& control = *regatta_cuda_emulator();
    EXPECT_FALSE(cases.empty());
    for (const Case& one : cases) {
      control.reset();
      control.set_orders({streams, ThreadOrder::forward, seed});
      const Answer answer = ask(one);
      EXPECT_EQ(answer.got, one.expected) << one.name << "\n" << control.complaint(0) << "\n" << control.refusal();
    }
    control.reset();
    cudaGetLastError();
  }

  static std::vector<Case> calls() {
    std::vector<Case> all = all_cases();
    all.resize(all.size() - model_cases().size() - convolution_cases().size());
    return all;
  }
};

TEST_F(Fakes, AgreeWhereWorkIsDoneLate) { expect_agreement(calls(), StreamOrder::late); }

TEST_F(Fakes, AgreeWhereWorkIsDoneEarly) { expect_agreement(calls(), StreamOrder::early); }

TEST_F(Fakes, AgreeWhereWorkIsDoneAtRandom) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) expect_agreement(calls(), StreamOrder::random, seed);
}

TEST_F(Fakes, KnowTheProductsOfAllNamedModels) { expect_agreement(model_cases(), StreamOrder::late); }

TEST_F(Fakes, HavePlansForTheConvolutionsOfAllNamedModels) { expect_agreement(convolution_cases(), StreamOrder::late); }

TEST_F(Fakes, CasesHaveNamesOfTheirOwn) {
  std::vector<std::string> names;
  for (const Case& one : all_cases()) names.push_back(one.name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  EXPECT_GE(calls().size(), 100U);
}

Case answering(const char* got, const char* expected, Agreement agreement) {
  return {"a case", expected, [got](Details&) { return std::string(got); }, agreement};
}

TEST(Verdicts, TellWhoIsWrong) {
  regatta_cuda_emulator()->reset();
  EXPECT_EQ(ask(answering("yes", "yes", Agreement::exact)).verdict, Verdict::agreed);
  EXPECT_EQ(ask(answering("no", "yes", Agreement::exact)).verdict, Verdict::differed);
  EXPECT_EQ(ask(answering("no", "yes", Agreement::fake_may_refuse)).verdict, Verdict::milder);
}

TEST(Verdicts, NothingIsAskedOfALostDevice) {
  regatta_cuda_emulator()->reset();
  const std::vector<Case> cases{{"loses it", "yes",
                                 [](Details&) {
                                   regatta_cuda_emulator()->fail_next("cudaFree", cudaErrorECCUncorrectable, 0);
                                   cudaFree(nullptr);
                                   return std::string("yes");
                                 }},
                                answering("yes", "yes", Agreement::exact)};
  const Answers answers = ask_all(cases);
  EXPECT_EQ(answers.lost_in, "loses it");
  EXPECT_EQ(answers.all.at(1).verdict, Verdict::not_asked);
  regatta_cuda_emulator()->reset();
}

}  // namespace
}  // namespace regatta::gpu_contract
