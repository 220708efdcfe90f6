#include <gtest/gtest.h>

#include "data/formats/formats.hpp"

namespace regatta::data {
namespace {

TEST(CsvLooks, NumbersHaveMarksAndUnits) {
  for (const char* const text :
       {"1,5",        "1.234,56", "1,234,567", "1 234", "1'234.5",    "$5",    "1,5E+03", "1_000",
        "-$1,200.50", "5 \u20ac", "12%",       "12 %",  "5cm",        "70 kg", "(12)",    "\u22123",
        "20\u00b0C",  "USD 5",    "EUR5",      "<5",    "1\u00a0234", "5,-",   "3.",      "'7"})
    EXPECT_EQ(look_of(text), CsvLook::number) << text;
}

TEST(CsvLooks, TimesAreDatesAndHours) {
  for (const char* const text : {"2024-01-31", "2024-01", "31.01.2024", "1/31/2024", "2024-01-31 10:20:30",
                                 "2024-01-31T10:20:30Z", "10:20", "31-Jan-2024", "31 Jan 2024"})
    EXPECT_EQ(look_of(text), CsvLook::time) << text;
}

TEST(CsvLooks, WordsMayStandForNoValue) {
  for (const char* const text : {"?", "-", "n/a", "N/A", "NULL", "#DIV/0!", "None", "<NA>", "missing"})
    EXPECT_EQ(look_of(text), CsvLook::missing) << text;
}

TEST(CsvLooks, KindsAreTexts) {
  for (const char* const text : {"red", "B7", "2WD", "4x4", "1st", "18-25", "A+", "3D", "Iris-setosa", "yes", "",
                                 "room 5", "<=50K", ">50K", "Q1", "5th grade", "10th"})
    EXPECT_EQ(look_of(text), CsvLook::text) << text;
}

}  // namespace
}  // namespace regatta::data
