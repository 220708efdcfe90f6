#include "regatta/sweep/parameters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

TEST(RowValues, OfACopyAreItsOwn) {
  Parameters first;
  first[Param::batch] = std::int64_t{8};
  first[Param::mode] = std::string("eager");
  Parameters second = first;
  EXPECT_EQ(first, second);
  second.set(Param::batch, std::int64_t{32});
  EXPECT_EQ(std::as_const(first)[Param::batch], Value(std::int64_t{8}));
  EXPECT_EQ(std::as_const(second)[Param::batch], Value(std::int64_t{32}));
  EXPECT_NE(first, second);
  second[Param::batch] = std::int64_t{8};
  EXPECT_EQ(first, second) << "what is equal need not be shared";
  first[Param::mode] = std::string("graph");
  EXPECT_EQ(std::as_const(second)[Param::mode], Value(std::string("eager")));
}

TEST(RowValues, AreNullUntilTheyAreSet) {
  Parameters none;
  EXPECT_EQ(std::as_const(none)[Param::work], Value());
  Parameters set_to_null;
  set_to_null[Param::work] = Value();
  EXPECT_EQ(none, set_to_null);
  none.set(Param::accumulate, std::int64_t{2});
  EXPECT_NE(none, set_to_null);
}

TEST(RowValues, ThatAreSetToWhatTheyAreStayShared) {
  Parameters first;
  first[Param::mode] = std::string("eager");
  Parameters second = first;
  second.set(Param::mode, std::string("eager"));
  EXPECT_EQ(&std::as_const(first)[Param::mode], &std::as_const(second)[Param::mode]);
  second.set(Param::mode, std::string("graph"));
  EXPECT_NE(&std::as_const(first)[Param::mode], &std::as_const(second)[Param::mode]);
}

TEST(ParameterTable, IsOrderedAsParamAndByName) {
  const auto& table = parameter_table();
  ASSERT_EQ(table.size(), param_count);
  for (std::size_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(table[i].param.known()), i) << table[i].name;
    EXPECT_EQ(find_param(table[i].name), table[i].param);
    EXPECT_EQ(&info(table[i].param), &table[i]);
    EXPECT_TRUE(i == 0 || table[i - 1].name < table[i].name) << table[i].name;
  }
  EXPECT_EQ(find_param("bacth"), std::nullopt);
}

TEST(ParameterTable, DefaultsAreLevelsOfTheirOwnRow) {
  for (const ParamInfo& row : parameter_table()) {
    if (const auto* text = std::get_if<std::string>(&row.fallback)) {
      EXPECT_EQ(row.type, ParamType::text) << row.name;
      EXPECT_EQ(std::count(row.levels.begin(), row.levels.end(), *text), 1) << row.name;
    } else if (const auto* integer = std::get_if<std::int64_t>(&row.fallback)) {
      EXPECT_EQ(row.type, ParamType::integer) << row.name;
      EXPECT_TRUE(row.minimum <= *integer && *integer <= row.maximum) << row.name;
    } else if (const auto* real = std::get_if<double>(&row.fallback)) {
      EXPECT_EQ(row.type, ParamType::real) << row.name;
      EXPECT_TRUE(row.least <= *real && *real <= row.most) << row.name;
    } else {
      EXPECT_TRUE(row.param == Param::model || row.param == Param::command || row.param == Param::learning_rate ||
                  row.param == Param::transform)
          << row.name;
    }
    EXPECT_FALSE(row.description.empty()) << row.name;
  }
}

TEST(Parameters, AskingForWhatIsNotThereIsOurMistake) {
  Parameters parameters;
  parameters[Param::batch] = std::int64_t{32};
  parameters[Param::mode] = std::string("eager");
  EXPECT_EQ(text_of(parameters, Param::mode), "eager");
  EXPECT_THROW(text_of(parameters, Param::length), InternalError);
  EXPECT_THROW(text_of(parameters, Param::batch), InternalError);
}

TEST(Engine, NameSplitsAtTheEnvironment) {
  EXPECT_EQ(split_engine("native").engine, "native");
  EXPECT_EQ(split_engine("native").environment, "");
  EXPECT_EQ(split_engine("tensorflow@tf-2.15").engine, "tensorflow");
  EXPECT_EQ(split_engine("tensorflow@tf-2.15").environment, "tf-2.15");
}

}  // namespace
}  // namespace regatta::sweep
