// gpu_contract [FILE]: asks NVIDIA's own libraries what the fakes are held to, writes all answers as JSON into FILE
// (answers.json), prints those that differ. Exit code 0: none does; 1: some do; 2: no device, or FILE cannot be
// written.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "gpu/contract/asking.hpp"

namespace {

using namespace regatta::gpu_contract;

constexpr int kDiffers = 1;
constexpr int kCannot = 2;

/// The facts that a table of fake answers needs: names, the expected and the actual answers.
nlohmann::ordered_json json_of(const Answers& answers) {
  nlohmann::ordered_json cases = nlohmann::ordered_json::array();
  for (const Answer& one : answers.all) {
    nlohmann::ordered_json entry{
        {"name", one.asked->name}, {"verdict", word(one.verdict)}, {"expected", one.asked->expected}, {"got", one.got}};
    if (!one.details.empty()) entry["details"] = one.details;
    cases.push_back(std::move(entry));
  }
  nlohmann::ordered_json document{{"cublasLt", cublasLtGetVersion()}, {"cases", std::move(cases)}};
  if (!answers.lost_in.empty()) document["device_lost_in"] = answers.lost_in;
  return document;
}

void print(const Answers& answers) {
  std::map<Verdict, int> counts;
  for (const Answer& one : answers.all) {
    ++counts[one.verdict];
    if (one.verdict != Verdict::differed && one.verdict != Verdict::milder) continue;
    std::printf("%s: %s\n  expected: %s\n  got:      %s\n", word(one.verdict), one.asked->name.c_str(),
                one.asked->expected.c_str(), one.got.c_str());
  }
  if (!answers.lost_in.empty()) std::printf("the device was lost in: %s\n", answers.lost_in.c_str());
  std::printf("%zu calls: %d agreed, %d differed, %d milder than the fake, %d not asked\n", answers.all.size(),
              counts[Verdict::agreed], counts[Verdict::differed], counts[Verdict::milder], counts[Verdict::not_asked]);
}

}  // namespace

int main(int count, char** arguments) {
  int devices = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&devices); error != cudaSuccess) {
    std::printf("no device to ask: %s (%s)\n", cudaGetErrorName(error), cudaGetErrorString(error));
    return kCannot;
  }
  const auto cases = all_cases();
  const Answers answers = ask_all(cases);
  print(answers);
  const char* const path = count > 1 ? arguments[1] : "answers.json";
  std::ofstream file(path);
  file << json_of(answers).dump(1) << '\n';
  if (!file.flush()) {
    std::printf("%s cannot be written: the answers are lost; name another file\n", path);
    return kCannot;
  }
  const bool differs = std::any_of(answers.all.begin(), answers.all.end(), [](const Answer& one) {
    return one.verdict == Verdict::differed || one.verdict == Verdict::not_asked;
  });
  return differs ? kDiffers : 0;
}
