#include "engine/cuda/products/algorithms_file.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "support/temporary_folder.hpp"

namespace regatta::engine::cuda {
namespace {

class AlgorithmsFileTest : public testing::Test {
 protected:
  static cublasLtMatmulAlgo_t algorithm(std::uint64_t number) {
    cublasLtMatmulAlgo_t made{};
    for (std::uint64_t& word : made.data) word = number++ * 0x123456789abcdef1U;
    return made;
  }
  static bool same(const std::optional<cublasLtMatmulAlgo_t>& a, const cublasLtMatmulAlgo_t& b) {
    return a && std::memcmp(&*a, &b, sizeof b) == 0;
  }

  support::TemporaryFolder folder;
  std::string path = (folder / "algorithms.txt").string();
};

TEST_F(AlgorithmsFileTest, KeepsWhatWasAdded) {
  AlgorithmsFile(path, "GPU, 1").keep("product a", algorithm(1));
  AlgorithmsFile file(path, "GPU, 1");
  file.keep("product b", algorithm(2));
  EXPECT_TRUE(same(AlgorithmsFile(path, "GPU, 1").find("product a"), algorithm(1)));
  EXPECT_TRUE(same(AlgorithmsFile(path, "GPU, 1").find("product b"), algorithm(2)));
  EXPECT_FALSE(AlgorithmsFile(path, "GPU, 1").find("product c"));
}

TEST_F(AlgorithmsFileTest, HoldsForOneDeviceAndVersion) {
  AlgorithmsFile(path, "GPU, 1").keep("product", algorithm(1));
  AlgorithmsFile(path, "GPU, 2").keep("product", algorithm(2));
  EXPECT_TRUE(same(AlgorithmsFile(path, "GPU, 1").find("product"), algorithm(1)));
  EXPECT_TRUE(same(AlgorithmsFile(path, "GPU, 2").find("product"), algorithm(2)));
  EXPECT_FALSE(AlgorithmsFile(path, "GPU, 3").find("product"));
}

TEST_F(AlgorithmsFileTest, WhatOthersWroteInTheMeantimeStays) {
  AlgorithmsFile first(path, "GPU"), second(path, "GPU");
  first.keep("a", algorithm(1));
  second.keep("b", algorithm(2));
  EXPECT_TRUE(same(AlgorithmsFile(path, "GPU").find("a"), algorithm(1)));
  EXPECT_TRUE(same(AlgorithmsFile(path, "GPU").find("b"), algorithm(2)));
  EXPECT_TRUE(same(second.keep("a", algorithm(3)), algorithm(1)));
  EXPECT_TRUE(same(AlgorithmsFile(path, "GPU").find("a"), algorithm(1))) << "all processes share the first";
}

TEST_F(AlgorithmsFileTest, ADamagedFileIsNone) {
  AlgorithmsFile(path, "GPU").keep("kept", algorithm(1));
  std::ofstream(path, std::ios::app) << "zzz GPU: bad\n1234 GPU: short\nnospace\n"
                                     << std::string(128, 'g') << " GPU: x\n";
  const AlgorithmsFile file(path, "GPU");
  EXPECT_TRUE(same(file.find("kept"), algorithm(1)));
  for (const char* const name : {"bad", "short", "x"}) EXPECT_FALSE(file.find(name)) << name;
}

TEST_F(AlgorithmsFileTest, WhatIsKeptTakesThePlaceOfADamagedLine) {
  std::ofstream(path) << "zzz GPU: a\n";
  EXPECT_TRUE(same(AlgorithmsFile(path, "GPU").keep("a", algorithm(1)), algorithm(1)));
  EXPECT_TRUE(same(AlgorithmsFile(path, "GPU").find("a"), algorithm(1)));
}

TEST_F(AlgorithmsFileTest, AnEmptyPathKeepsNothingAndAFolderThatIsNotThereIsDoneWithout) {
  AlgorithmsFile nowhere("", "GPU");
  EXPECT_TRUE(same(nowhere.keep("a", algorithm(1)), algorithm(1)));
  EXPECT_FALSE(nowhere.find("a"));
  AlgorithmsFile file((folder / "missing" / "file").string(), "GPU");
  EXPECT_NO_THROW(file.keep("a", algorithm(1)));
  EXPECT_TRUE(same(file.find("a"), algorithm(1)));
}

}  // namespace
}  // namespace regatta::engine::cuda
