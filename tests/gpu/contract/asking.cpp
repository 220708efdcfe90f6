#include "gpu/contract/asking.hpp"

#include <exception>

namespace regatta::gpu_contract {

const char* word(Verdict verdict) {
  switch (verdict) {
    case Verdict::agreed:
      return "agreed";
    case Verdict::milder:
      return "milder";
    case Verdict::differed:
      return "differed";
    case Verdict::not_asked:
      return "not asked";
  }
  return "";
}

Verdict verdict_of(const Case& one, const std::string& got) {
  if (got == one.expected) return Verdict::agreed;
  return one.agreement == Agreement::fake_may_refuse ? Verdict::milder : Verdict::differed;
}

Answer ask(const Case& one) {
  Answer answer;
  answer.asked = &one;
  try {
    answer.got = one.ask(answer.details);
  } catch (const std::exception& problem) {
    answer.got = std::string("exception: ") + problem.what();
  }
  answer.verdict = verdict_of(one, answer.got);
  return answer;
}

Answers ask_all(const std::vector<Case>& cases) {
  Answers answers;
  for (const Case& one : cases) {
    if (!answers.lost_in.empty()) {
      answers.all.push_back({&one, "", {}, Verdict::not_asked});
      continue;
    }
    answers.all.push_back(ask(one));
    cudaGetLastError();
    if (cudaDeviceSynchronize() != cudaSuccess) answers.lost_in = one.name;
  }
  return answers;
}

}  // namespace regatta::gpu_contract
