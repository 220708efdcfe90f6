#include <gtest/gtest.h>

#include "regatta/base/error.hpp"
#include "regatta/sweep/facts.hpp"

namespace regatta::sweep {
namespace {

TEST(ProcessPeaks, AreReadBackInTheirOrder) {
  const ProcessPeaks peaks{12582912, 12587008, 9'000'000'000};
  EXPECT_EQ(peaks_text(peaks), "12582912 12587008 9000000000");
  EXPECT_EQ(parse_peaks(peaks_text(peaks)), peaks);
  EXPECT_EQ(peaks_text(ProcessPeaks()), "");
  EXPECT_TRUE(parse_peaks("").empty());
}

TEST(ProcessPeaks, RefuseWhatIsNoListOfSizes) {
  for (const char* const text : {"x", "-1", "1.5", "1 x", "1,2", "1  2", " 1", "9223372036854775808", "1e3", "nan"})
    EXPECT_THROW(parse_peaks(text), InputError) << text;
}

TEST(BucketTimes, AreReadBackToATenthOfAMicrosecond) {
  const std::vector<BucketTimes> buckets{{4096, 0, 1.5, 2.5}, {8, 1e6, 2e6, 3e6}};
  EXPECT_EQ(to_json(buckets), R"([{"bytes":4096,"first_us":0.0,"last_us":1.5,"summed_us":2.5},)"
                              R"({"bytes":8,"first_us":1000000.0,"last_us":2000000.0,"summed_us":3000000.0}])");
  EXPECT_EQ(parse_buckets(to_json(buckets)), buckets);
  EXPECT_EQ(to_json(std::vector<BucketTimes>()), "");
  EXPECT_TRUE(parse_buckets("").empty());
}

TEST(BucketTimes, RefuseWhatIsNoListOfThem) {
  const auto with = [](const std::string& bytes, const std::string& time) {
    return R"([{"bytes":)" + bytes + R"(,"first_us":)" + time + R"(,"last_us":1,"summed_us":2}])";
  };
  EXPECT_EQ(parse_buckets(with("1", "0")), (std::vector<BucketTimes>{{1, 0, 1, 2}}));
  for (const std::string& text : {with("-1", "0"), with("1.5", "0"), with("\"1\"", "0"), with("1", "\"nan\""),
                                  with("1", "null"), with("1", "1e999"), with("1", "1e16"), with("1", "[]")})
    EXPECT_THROW(parse_buckets(text), InputError) << text;
  for (const char* const text : {"{}", "3", "[3]", "[", "[{}]", R"([{"bytes":1}])"})
    EXPECT_THROW(parse_buckets(text), InputError) << text;
}

TEST(BucketTimes, AreNoMoreThanAreToldOneByOne) {
  EXPECT_EQ(parse_buckets(to_json(std::vector<BucketTimes>(most_buckets))).size(), most_buckets);
  EXPECT_THROW(parse_buckets(to_json(std::vector<BucketTimes>(most_buckets + 1))), InputError);
}

TEST(RankTimes, AreReadBackByRank) {
  const std::vector<RankTimes> ranks{{9.5, 0.5, 1}, {10, 0, 1}};
  EXPECT_EQ(to_json(ranks), R"([{"compute_us":9.5,"wait_us":0.5,"exchange_us":1.0},)"
                            R"({"compute_us":10.0,"wait_us":0.0,"exchange_us":1.0}])");
  EXPECT_EQ(parse_ranks(to_json(ranks)), ranks);
  EXPECT_TRUE(parse_ranks("").empty());
  for (const char* const text : {"{}", "[{}]", R"([{"compute_us":"1","wait_us":1,"exchange_us":1}])"})
    EXPECT_THROW(parse_ranks(text), InputError) << text;
}

}  // namespace
}  // namespace regatta::sweep
