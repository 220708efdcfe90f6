#include <gtest/gtest.h>

#include "regatta/base/error.hpp"
#include "regatta/results/machine_json.hpp"

namespace regatta::results {
namespace {

stats::SpreadPool two_histories() {
  stats::SpreadPool pool;
  stats::SpreadHistory history;
  history.add(0.004, 6, 1e-6);
  pool.add("torch eager cpu", "torch graph cpu", history);
  history.add(0.1, 1.0 / 3, 0);
  pool.add("native eager cpu", "native eager cpu", history);
  return pool;
}

TEST(SpreadsJson, ComeBackAsTheyWere) {
  EXPECT_EQ(parse_spreads(to_json(two_histories())), two_histories());
  EXPECT_EQ(to_json(stats::SpreadPool()), "");
  EXPECT_TRUE(parse_spreads("").is_empty());
}

TEST(SpreadsJson, OfAnotherFormAreRefused) {
  const char* const texts[] = {
      "[",
      "[1]",
      R"([{"classes": "a | b", "degrees": 2, "log_likelihoods": [1, 2]}])",
      R"([{"classes": "a | b", "degrees": -1, "log_likelihoods": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}])",
      R"([{"classes": "a | b", "degrees": 1, "log_likelihoods": [1, 2, 3, 4, 5, 6, 7, 8, 9, null]}])",
  };
  for (const char* text : texts) EXPECT_THROW(static_cast<void>(parse_spreads(text)), InputError) << text;
}

}  // namespace
}  // namespace regatta::results
