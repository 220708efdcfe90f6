// All cases asked, one after the other, whatever happens.
#pragma once

#include <string>
#include <vector>

#include "gpu/contract/contract.hpp"

namespace regatta::gpu_contract {

/// agreed: as expected. milder: the library takes what the fake refuses, which costs a detour at most. differed: a
/// fake, or the engine, is wrong. not_asked: the device was lost in an earlier case.
enum class Verdict { agreed, milder, differed, not_asked };

struct Answer {
  const Case* asked = nullptr;
  std::string got;
  Details details;
  Verdict verdict = Verdict::not_asked;
};

Verdict verdict_of(const Case& one, const std::string& got);

/// Asks one; an exception is an answer too.
Answer ask(const Case& one);

/// Asks all. After a case that leaves a sticky error the rest is not asked, and `lost_in` names it.
struct Answers {
  std::vector<Answer> all;
  std::string lost_in;
};
Answers ask_all(const std::vector<Case>& cases);

const char* word(Verdict verdict);

}  // namespace regatta::gpu_contract
