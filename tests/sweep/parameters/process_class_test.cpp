#include "regatta/sweep/process_class.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace regatta::sweep {
namespace {

Parameters torch(const char* engine = "torch") {
  Parameters parameters;
  parameters.set(Param::engine, std::string(engine));
  parameters.set(Param::mode, std::string("graph"));
  parameters.set(Param::device, std::string("cpu"));
  parameters.set(Param::threads, std::int64_t{2});
  return parameters;
}

TEST(ProcessClass, IsEngineModeDeviceThreadsAndRanks) {
  EXPECT_EQ(process_class(torch()), "torch graph cpu, 2 threads, 1 ranks");
}

TEST(ProcessClass, TellsApartWhatScattersInItsOwnWay) {
  const std::vector<std::pair<Param, Value>> changes = {{Param::engine, std::string("jax")},
                                                        {Param::mode, std::string("eager")},
                                                        {Param::device, std::string("cuda")},
                                                        {Param::threads, std::int64_t{4}},
                                                        {Param::ranks, std::int64_t{2}}};
  for (const auto& [param, value] : changes) {
    Parameters other = torch();
    other.set(param, value);
    EXPECT_NE(process_class(other), process_class(torch())) << name_of(param);
  }
}

TEST(ProcessClass, IsTheSameForAllModelsBatchesAndEnvironments) {
  Parameters other = torch("torch@old");
  other.set(Param::model, std::string("mlp-10"));
  other.set(Param::batch, std::int64_t{32});
  EXPECT_EQ(process_class(other), process_class(torch()));
}

}  // namespace
}  // namespace regatta::sweep
