// report/export/tensorboard.cpp: event files, read again byte by byte.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <filesystem>

#include "regatta/base/crc32c.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "regatta/report/export.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::report {
namespace {

results::Results trained() {
  results::Results results;
  results.axis_names = {"batch"};
  results.trials.resize(1);
  results.trials[0].parameters[sweep::Param::engine] = std::string("native");
  results.trials[0].parameters[sweep::Param::model] = std::string("a/../b c");
  results::LegRow leg;
  leg.leg.seed = 7;
  leg.start_wall_seconds = 1000;
  leg.learned.curve = {{"train_loss", "f1"}, {{10, 320, 1, 0.5, {0.25, std::nan("")}}}};
  results.legs = {leg};
  return results;
}

/// The data of each record, whose checksums must be right.
std::vector<std::string> records_of(const std::string& bytes) {
  std::vector<std::string> records;
  const auto masked = [](const std::string& part) { return std::rotr(crc32c(part), 15) + 0xa282ead8U; };
  for (std::size_t at = 0; at < bytes.size();) {
    std::uint64_t length = 0;
    std::uint32_t of_length = 0;
    std::uint32_t of_data = 0;
    std::memcpy(&length, bytes.data() + at, 8);
    std::memcpy(&of_length, bytes.data() + at + 8, 4);
    EXPECT_EQ(of_length, masked(bytes.substr(at, 8)));
    records.push_back(bytes.substr(at + 12, length));
    std::memcpy(&of_data, bytes.data() + at + 12 + length, 4);
    EXPECT_EQ(of_data, masked(records.back()));
    at += 16 + length;
  }
  return records;
}

TEST(TensorBoard, HasAFileForEachRunWithAScalarForEachValue) {
  const support::TemporaryFolder folder;
  EXPECT_EQ(write_tensorboard(trained(), folder / "tb"), 1U);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "tb"))
    if (entry.is_regular_file()) files.push_back(entry.path());
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].parent_path().filename(), "plain-7");
  const auto records = records_of(read_file(files[0]));
  ASSERT_EQ(records.size(), 2U) << "the version, and the one value that is finite";
  EXPECT_NE(records[0].find("brain.Event:2"), std::string::npos);
  const std::string scalar = std::string("\x0a\x0atrain_loss\x15", 13) + std::string("\x00\x00\x80\x3e", 4);
  EXPECT_NE(records[1].find(scalar), std::string::npos);
  EXPECT_EQ(records[1].substr(9, 2), std::string("\x10\x0a")) << "field 2, the step";
}

TEST(TensorBoard, NamesStayInsideTheFolder) {
  const support::TemporaryFolder folder;
  write_tensorboard(trained(), folder / "tb");
  for (const auto& entry : std::filesystem::directory_iterator(folder / "tb"))
    EXPECT_EQ(entry.path().filename().string().find(".."), std::string::npos);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "tb"), {}), 1);
}

TEST(TensorBoard, ABenchmarkHasNoCurves) {
  const support::TemporaryFolder folder;
  EXPECT_THROW(write_tensorboard({}, folder / "tb"), InputError);
}

}  // namespace
}  // namespace regatta::report
