// Messages for people who write the names that other programs use.
#include <gtest/gtest.h>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

std::string batch(const std::string& level) { return error_with("\"axes\": {\"batch\": " + level + "}"); }

TEST(Synonyms, NumbersInQuotesAndRangesInTexts) {
  const std::string expected = "expected an integer from 1 to 16777216";
  EXPECT_EQ(batch("\"32\""), "s.json:2: /axes/batch: found \"32\", " + expected + " (32 without quotes)");
  const std::string range = " (a range is {\"linear\": [1, 64]} or {\"geometric\": [1, 64]})";
  for (const std::string written : {"1..64", "1:64", "1-64", "1 to 64"})
    EXPECT_EQ(batch("\"" + written + "\""), "s.json:2: /axes/batch: found \"" + written + "\", " + (expected + range));
  EXPECT_EQ(batch("\"1, 2,4\""), "s.json:2: /axes/batch: found \"1, 2,4\", " + expected +
                                     " (several levels are a list without quotes: [1, 2, 4])");
  EXPECT_EQ(batch("\"many\""), "s.json:2: /axes/batch: found \"many\", " + expected);
}

TEST(Synonyms, LevelsByTheNamesOfOthers) {
  EXPECT_EQ(error_with("\"axes\": {\"mode\": \"compile\"}"),
            "s.json:2: /axes/mode: found \"compile\", expected \"eager\", \"graph\", \"xla\", \"v1-session\" or "
            "\"reduce-overhead\" (\"graph\" is torch.compile); did you mean \"graph\"?");
  EXPECT_NE(error_with("\"axes\": {\"engine\": \"pytorch\"}").find("did you mean \"torch\"?"), std::string::npos);
  EXPECT_NE(error_with("\"axes\": {\"device\": \"gpu\"}").find("did you mean \"cuda\"?"), std::string::npos);
}

TEST(Synonyms, AxesByTheNamesOfOthers) {
  EXPECT_NE(error_with("\"axes\": {\"batch_size\": 1}").find("did you mean \"batch\"?"), std::string::npos);
  EXPECT_NE(error_with("\"axes\": {\"optimizer\": \"adam\"}").find("(an optimizer belongs to the model: "),
            std::string::npos);
}

TEST(Synonyms, ABenchmarkHasItsLearningRateInTheModel) {
  EXPECT_NE(error_with("\"axes\": {\"learning_rate\": 0.1}").find("(a benchmark has that of its model. "),
            std::string::npos);
}

TEST(Synonyms, CommentsAndCommasTooManyAreLeftOutOfWhatIsRecorded) {
  const Sweep sweep = sweep_with("\"axes\": {\"model\": \"noop\", // the one that does nothing\n\"batch\": [1, 2,],}");
  EXPECT_EQ(sweep.axes[1].levels.size(), 2U);
  EXPECT_EQ(sweep.text.find("//"), std::string::npos);
}

}  // namespace
}  // namespace regatta::sweep
