#include <gtest/gtest.h>

#include "data/formats/formats.hpp"

namespace regatta::data {
namespace {

TEST(CsvLooks, NumbersHaveMarksAndUnits) {
  for (const char* const text :
       {"1,5",        "1.234,56", "1,234,567",   "1 234",     "1'234.5",    "$5",    "1,5E+03",  "1_000",
        "-$1,200.50", "5 \u20ac", "12%",         "12 %",      "5cm",        "70 kg", "(12)",     "\u22123",
        "20\u00b0C",  "USD 5",    "EUR5",        "<5",        "1\u00a0234", "5,-",   "3.",       "'7",
        "12 years",   "80 km/h",  "1.5D+03",     "'4'",       "5'11\"",     "1.2bn", "\u200b12", "3\u00d710^4",
        "5\u00b10.1", "Rs. 500",  "200 z\u0142", "48\u00b0 N"})
    EXPECT_EQ(look_of(text), CsvLook::number) << text;
}

TEST(CsvLooks, NumbersOfProgramsFractionsAndRangesAreNumbers) {
  for (const char* const text : {"0x10", "0XfF", "-0x1", "0b101", "0o17", "1.5f", "1e3L", "2,5d", "1/2", "5-10",
                                 "18-25", "1.5 / 2", "10\u201320", "0..5", "2^10", "$5-$10", "5-10 years"})
    EXPECT_EQ(look_of(text), CsvLook::number) << text;
  for (const char* const text : {"0x", "0xyz", "12F", "3D", "A-5", "5-A", "1/", "4x4"})
    EXPECT_NE(look_of(text), CsvLook::number) << text;
}

TEST(CsvLooks, TimesAreDatesAndHours) {
  for (const char* const text :
       {"2024-01-31", "2024-01", "31.01.2024", "1/31/2024", "2024-01-31 10:20:30", "2024-01-31T10:20:30Z", "10:20",
        "31-Jan-2024", "31 Jan 2024", "Jan 5, 2024", "March 2024", "Mon, 05 Feb 2024", "5-Jan", "Sept-24", "2024 Oct"})
    EXPECT_EQ(look_of(text), CsvLook::time) << text;
}

TEST(CsvLooks, WordsMayStandForNoValue) {
  for (const char* const text : {"?", "-", "n/a", "N/A", "NULL", "#DIV/0!", "<NA>", "\\N", "n.a.", "  "})
    EXPECT_EQ(look_of(text), CsvLook::missing) << text;
  for (const char* const text : {"None", "missing", "unknown", "."})
    EXPECT_EQ(look_of(text), CsvLook::doubtful) << text;
}

TEST(CsvLooks, KindsAreTexts) {
  for (const char* const text : {"red",
                                 "B7",
                                 "2WD",
                                 "4x4",
                                 "1st",
                                 "3-A",
                                 "A+",
                                 "3D",
                                 "Iris-setosa",
                                 "yes",
                                 "",
                                 "room 5",
                                 "<=50K",
                                 ">50K",
                                 "Q1",
                                 "5th grade",
                                 "10th",
                                 "May",
                                 "Monday",
                                 "march",
                                 "marathon 5",
                                 "12 High Street",
                                 "March of 3"})
    EXPECT_EQ(look_of(text), CsvLook::text) << text;
}

}  // namespace
}  // namespace regatta::data
