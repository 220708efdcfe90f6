#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "data/formats/format_files.hpp"
#include "data/formats/formats.hpp"
#include "regatta/data/formats.hpp"

namespace regatta::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Array> parsed_csv(const std::string& text, const CsvOptions& options = {}) {
  return parse_csv(file_of(text, "x.csv"), options);
}

std::string csv_refusal(const std::string& text, const CsvOptions& options = {}) {
  return refusal_of([&] { parsed_csv(text, options); });
}

CsvOptions csv_label(const std::string& column) {
  CsvOptions options;
  options.label = column;
  return options;
}

CsvOptions csv_first_line(bool has_header) {
  CsvOptions options;
  options.has_header = has_header;
  return options;
}

std::vector<std::string> names_of(const Array& array) {
  std::vector<std::string> names;
  for (const Column& column : array.columns) names.push_back(column.name);
  return names;
}

TEST(Csv, OfNumbersIsATable) {
  const std::vector<Array> arrays = parsed_csv("a,b\n1,2.5\n-3,4e2\n");
  ASSERT_EQ(arrays.size(), 1U);
  const Array& x = arrays[0];
  EXPECT_EQ(x.name, "x");
  EXPECT_EQ(x.type, ElementType::float32);
  EXPECT_EQ(x.count, 2);
  EXPECT_THAT(x.shape, ElementsAre(2));
  EXPECT_THAT(values_of<float>(x), ElementsAre(1, 2.5, -3, 400));
  EXPECT_THAT(names_of(x), ElementsAre("a", "b"));
}

TEST(Csv, ReadsNumbersAsTheyAreWritten) {
  const std::string text = "0007,+5,16777217,.5,1.,1e-400,-0.1,12345678\n";
  EXPECT_THAT(values_of<float>(parsed_csv(text)[0]), ElementsAre(7, 5, 16777216, 0.5F, 1, 0, -0.1F, 12345678));
}

TEST(Csv, LabelIsAColumnByNameOrNumber) {
  for (const char* const column : {"kind", "1"}) {
    const std::vector<Array> arrays = parsed_csv("a,kind,b\n1,7,2\n3,-8,4\n", csv_label(column));
    ASSERT_EQ(arrays.size(), 2U);
    EXPECT_THAT(values_of<float>(arrays[0]), ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(names_of(arrays[0]), ElementsAre("a", "b"));
    EXPECT_EQ(arrays[1].name, "y");
    EXPECT_EQ(arrays[1].type, ElementType::int32);
    EXPECT_TRUE(arrays[1].shape.empty());
    EXPECT_THAT(values_of<std::int32_t>(arrays[1]), ElementsAre(7, -8));
  }
}

TEST(Csv, OfLabelsAloneHasNoFeatures) {
  const std::vector<Array> arrays = parsed_csv("class label\n3\n1\n", csv_label("0"));
  ASSERT_EQ(arrays.size(), 1U);
  EXPECT_EQ(arrays[0].name, "y");
  EXPECT_THAT(values_of<std::int32_t>(arrays[0]), ElementsAre(3, 1));
}

TEST(Csv, LabelOfTextsHasCategories) {
  const Array y = parsed_csv("a,kind\n1,cat\n2,dog\n3,cat\n", csv_label("kind")).at(1);
  EXPECT_THAT(values_of<std::int32_t>(y), ElementsAre(0, 1, 0));
  EXPECT_THAT(y.categories, ElementsAre("cat", "dog"));
}

TEST(Csv, LabelOfFractionsIsFloat) {
  const Array y = parsed_csv("a,price\n1,2.5\n2,3\n", csv_label("price")).at(1);
  EXPECT_THAT(values_of<float>(y), ElementsAre(2.5, 3));
  EXPECT_EQ(parsed_csv("a,price\n1,5e9\n", csv_label("price")).at(1).type, ElementType::float32);
}

TEST(Csv, TextsBecomeNumbersInOrderOfAppearance) {
  const Array x = parsed_csv("size,color\n1,red\n2,blue\n3,red\n").at(0);
  EXPECT_THAT(values_of<float>(x), ElementsAre(1, 0, 2, 1, 3, 0));
  EXPECT_TRUE(x.columns[0].categories.empty());
  EXPECT_THAT(x.columns[1].categories, ElementsAre("red", "blue"));
}

TEST(Csv, ColumnThatTurnsOutToHoldTextsIsReadAgain) {
  const Array x = parsed_csv("a,cabin\n1,7\n2,B7\n3,B8\n4,7\n5,C\n").at(0);
  EXPECT_THAT(x.columns[1].categories, ElementsAre("7", "B7", "B8", "C"));
  EXPECT_THAT(values_of<float>(x), ElementsAre(1, 0, 2, 1, 3, 2, 4, 0, 5, 3));
}

TEST(Csv, ATextAmongNumbersIsAnError) {
  EXPECT_EQ(csv_refusal("a,b\n1,2\n1,2\n1,?\n"),
            "'x.csv' line 4 (offset 12): \"?\" stands in the column \"b\", which has numbers in 2 rows and texts in 1. "
            "Correct the cell. If the value is missing, leave it empty or name its text in \"missing\"");
  EXPECT_THAT(csv_refusal("a,b\n1,?\n1,2\n1,3\n"), HasSubstr("line 2 (offset 4): \"?\" stands in the column \"b\""));
}

TEST(Csv, MissingValuesAreNanAndCounted) {
  const Array x = parsed_csv("a,b,c\n1,,NA\nNaN,2,\"\"\n3,4,7\n").at(0);
  const std::vector<float> values = values_of<float>(x);
  for (const std::size_t missing : {1, 2, 3, 5}) EXPECT_TRUE(std::isnan(values[missing])) << missing;
  EXPECT_EQ(x.columns[0].missing, 1);
  EXPECT_EQ(x.columns[1].missing, 1);
  EXPECT_EQ(x.columns[2].missing, 2);
  EXPECT_EQ(csv_refusal("a,kind\n1,2\n3,\n", csv_label("kind")),
            "'x.csv' line 3 (offset 11): the label is missing (nothing is learnt from such a row); fill it in, or take "
            "the row out");
}

TEST(Csv, MayBeWrittenInManyWays) {
  const std::string ways[] = {
      "a,b\r\n1,2\r\n3,4\r\n",
      "a,b\n1,2\n3,4",
      "a,b\r1,2\r3,4\r",
      "\xef\xbb\xbf"
      "a,b\n1,2\n3,4\n",
      "\n\na,b\n\n1,2\n3,4\n\n\n",
      "a , b\n 1,2 \n3\t, 4\n",
      "\"a\",\"b\"\n\"1\",\"2\"\n3,\"4\"\n",
  };
  for (const std::string& text : ways) {
    const Array x = parsed_csv(text).at(0);
    EXPECT_THAT(values_of<float>(x), ElementsAre(1, 2, 3, 4)) << text;
    EXPECT_THAT(names_of(x), ElementsAre("a", "b")) << text;
  }
  CsvOptions options;
  options.delimiter = ';';
  EXPECT_THAT(values_of<float>(parsed_csv("1;2\n3;4\n", options).at(0)), ElementsAre(1, 2, 3, 4));
}

TEST(Csv, QuotedCellsMayHoldAnything) {
  const std::string text = "name,n\n\"a, \"\"b\"\"\nc\",1\n\"\"\"\",2\n\"a, \"\"b\"\"\nc\",3\n";
  const Array x = parsed_csv(text).at(0);
  EXPECT_THAT(x.columns[0].categories, ElementsAre("a, \"b\"\nc", "\""));
  EXPECT_THAT(values_of<float>(x), ElementsAre(0, 1, 1, 2, 0, 3));
}

TEST(Csv, HeaderIsToldFromTheFirstTwoLines) {
  EXPECT_EQ(parsed_csv("1,2\n3,4\n").at(0).count, 2);
  EXPECT_EQ(parsed_csv("a,b\n3,4\n").at(0).count, 1);
  EXPECT_EQ(parsed_csv("5.1,red\n4.9,blue\n").at(0).count, 2);
  EXPECT_EQ(parsed_csv("red,blue\nblue,red\n", csv_first_line(false)).at(0).count, 2);
  EXPECT_EQ(parsed_csv("0,1,2\n5,6,7\n", csv_first_line(true)).at(0).count, 1);
  for (const char* const unclear : {"red,blue\nblue,red\n", ",0,1\n0,5,6\n", "0,1\n2,3\n", "label,1\n5,2\n", "a,b\n"}) {
    EXPECT_THAT(csv_refusal(unclear), HasSubstr("may begin with names or with values")) << unclear;
  }
}

TEST(Csv, HeaderOfNumbersIsNoRow) {
  const std::string years = "region,code,2001,2002\nnorth,N1,1.5,1.6\nsouth,S1,2.5,2.4\n";
  for (const std::string& unclear :
       {years, std::string("2001\n1.5\n2.5\n"), std::string("1990,1991\n3.4,3.5\n"), std::string("2000,2001\nyes,no\n"),
        std::string("400.5,401,401.5\n0.1,0.4,0.2\n"), std::string("id,1,5,20\nx,0.5,0.25,0.75\n")})
    EXPECT_THAT(csv_refusal(unclear), HasSubstr("set \"header\" to true or false")) << unclear;
  for (const char* const values :
       {"1999,2001\n2001,2003\n", "1,2,3\n4,5,6\n", "5,3,1.4,red\n4.9,3,1.4,blue\n", "12,1999,red\n13,2001,blue\n"})
    EXPECT_EQ(parsed_csv(values).at(0).count, 2) << values;
  EXPECT_EQ(parsed_csv(years, csv_label("code")).at(0).count, 2) << "the first line holds the label's name";
  EXPECT_THAT(names_of(parsed_csv(years, csv_label("code")).at(0)), ElementsAre("region", "2001", "2002"));
  EXPECT_EQ(parsed_csv("0,1,label\n5,6,7\n", csv_label("label")).at(0).count, 1);
}

TEST(Csv, TextsThatLookLikeSomethingElseAreRefused) {
  const std::string price = csv_refusal("a,price\n1,\"$1,200\"\n2,\"$900\"\n");
  EXPECT_EQ(
      price,
      "'x.csv' line 2 (offset 8): \"$1,200\" in the column \"price\" looks like a number, but would become a "
      "category. Write plain decimal numbers, without units and other marks, set \"decimal\" for a decimal comma, "
      "or name the column in \"categories\"");
  EXPECT_THAT(csv_refusal("a,b\n1,12 %\n2,n/a\n3,7 %\n"),
              HasSubstr("\"12 %\" in the column \"b\" looks like a number"));
  EXPECT_THAT(csv_refusal("a,day\n1,2024-01-31\n2,2024-02-01\n"), HasSubstr("looks like a date or a time"));
  EXPECT_THAT(csv_refusal("a,b\n1,5\n2,?\n3,?\n"), HasSubstr("\"?\" in the column \"b\" stands among numbers"));
  EXPECT_THAT(csv_refusal("a,kg\n1,3 kg\n2,4 kg\n", csv_label("kg")), HasSubstr("looks like a number"));
  EXPECT_THAT(parsed_csv("a,b\n1,2WD\n2,4WD\n").at(0).columns[1].categories, ElementsAre("2WD", "4WD"));
}

TEST(Csv, KeysSayWhatItsTextsAre) {
  CsvOptions german;
  german.delimiter = ';';
  german.decimal = ',';
  EXPECT_THAT(values_of<float>(parsed_csv("a;b\n0,5;2\n-1,25;3\n", german).at(0)), ElementsAre(0.5, 2, -1.25, 3));
  EXPECT_EQ(parsed_csv("a;b\n0,5;1,5\n", german).at(0).count, 1) << "numbers below names";
  EXPECT_THAT(csv_refusal("a;b\n1.234,5;2\n2.000,5;3\n", german), HasSubstr("looks like a number"));
  CsvOptions missing;
  missing.missing = {"?", "-"};
  const Array x = parsed_csv("a,b\n1,?\n2,-\n3,4\n", missing).at(0);
  EXPECT_EQ(x.columns[1].missing, 2);
  EXPECT_EQ(values_of<float>(x)[5], 4);
  CsvOptions kinds;
  kinds.categories = {"zip"};
  const Array zips = parsed_csv("a,zip\n1,1010\n2,0990\n3,1010\n", kinds).at(0);
  EXPECT_THAT(zips.columns[1].categories, ElementsAre("1010", "0990"));
  EXPECT_THAT(values_of<float>(zips), ElementsAre(1, 0, 2, 1, 3, 0));
}

TEST(Csv, KeysSayWhichColumnsAreRead) {
  CsvOptions options = csv_label("kind");
  options.columns = {"b"};
  const std::string text = "a,b,note,kind\n1,2,$5,x\n3,4,$6,y\n";
  const std::vector<Array> some = parsed_csv(text, options);
  EXPECT_THAT(values_of<float>(some.at(0)), ElementsAre(2, 4));
  EXPECT_THAT(names_of(some.at(0)), ElementsAre("b"));
  EXPECT_THAT(values_of<std::int32_t>(some.at(1)), ElementsAre(0, 1));
  options.columns.clear();
  options.drop = {"note", "0"};
  EXPECT_THAT(names_of(parsed_csv(text, options).at(0)), ElementsAre("b"));
  options.drop = {"notes"};
  EXPECT_THAT(csv_refusal(text, options), HasSubstr("has no column \"notes\" among its 4; did you mean \"note\"?"));
  options = {};
  options.drop = {"a", "b"};
  EXPECT_THAT(csv_refusal("a,b\n1,2\n", options), HasSubstr("has no column left to read"));
}

TEST(Csv, ColumnThatCountsTheRowsIsRefused) {
  for (const char* const indexed :
       {",a\n0,5\n1,7\n2,9\n", "Unnamed: 0,a\n0,5\n1,7\n", "Id,a\n1,5\n2,7\n", "rownames,a\n1,5\n2,7\n"})
    EXPECT_THAT(csv_refusal(indexed), HasSubstr("counts the rows, as an index does. Leave it out by \"drop\": [\""))
        << indexed;
  CsvOptions without;
  without.drop = {""};
  EXPECT_THAT(values_of<float>(parsed_csv(",a\n0,5\n1,7\n", without).at(0)), ElementsAre(5, 7));
  CsvOptions with;
  with.columns = {"id", "a"};
  EXPECT_THAT(names_of(parsed_csv("id,a\n0,5\n1,7\n", with).at(0)), ElementsAre("id", "a"));
  EXPECT_EQ(csv_refusal("id,a\n7,5\n9,7\n"), "no error") << "these are no places";
  EXPECT_THAT(csv_refusal("1,5.5\n2,7\n3,7\n4,1\n5,0\n"), HasSubstr("\"drop\": [\"0\"]")) << "as UCI's glass.data";
  EXPECT_EQ(csv_refusal("1,5.5\n2,7\n3,7\n4,1\n6,0\n"), "no error");
  EXPECT_EQ(csv_refusal("t,a\n0,5\n1,7\n"), "no error") << "it may be a time";
}

/// A table of so many rows: the first column as it is given, the second of numbers.
std::string table_of(const std::string& name, const std::vector<std::string>& cells) {
  std::string text = name + ",m\n";
  for (const std::string& cell : cells) text += cell + ",2.5\n";
  return text;
}

TEST(Csv, ColumnThatNamesTheRowsIsRefused) {
  std::vector<std::string> chosen;
  std::vector<std::string> names;
  for (int row = 0; row < 20; ++row) {
    chosen.push_back(std::to_string(row * 37 % 101));
    names.push_back("person " + chosen.back() + " b");
  }
  for (const char* const name : {"", "id", "PassengerId", "user_id"})
    EXPECT_THAT(csv_refusal(table_of(name, chosen)), HasSubstr("has another number in nearly every row")) << name;
  EXPECT_EQ(csv_refusal(table_of("paid", chosen)), "no error");
  EXPECT_THAT(csv_refusal("m,id\n5,0\n7,1\n9,2\n"), HasSubstr("\"id\" counts the rows")) << "wherever it stands";
  EXPECT_THAT(csv_refusal(table_of("who", names)), HasSubstr("has 20 different texts in 20 rows"));
  CsvOptions kinds;
  kinds.categories = {"who"};
  EXPECT_EQ(csv_refusal(table_of("who", names), kinds), "no error");
}

TEST(Csv, NumbersThatMayBeSomethingElseAreRefused) {
  EXPECT_THAT(csv_refusal("a,m\n7,1\n1.250,2\n12.000,3\n3.125,4\n"),
              HasSubstr("\"1.250\" in the column \"a\" may be a fraction or have a point before its thousands"));
  EXPECT_EQ(csv_refusal("a,m\n0.125,1\n1.250,2\n12.000,3\n3.125,4\n"), "no error");
  EXPECT_EQ(csv_refusal("a,m\n1.250,2\n12.000,3\n3.125,4\n"), "no error") << "commas divide the cells";
  CsvOptions semicolons;
  semicolons.delimiter = ';';
  const std::string german = "a;m\n1.250;2\n12.000;3\n3.125;4\n";
  EXPECT_THAT(csv_refusal(german, semicolons), HasSubstr("set \"decimal\" to \".\" if these are fractions"));
  semicolons.decimal = '.';
  EXPECT_EQ(values_of<float>(parsed_csv(german, semicolons).at(0)).front(), 1.25F);
  EXPECT_THAT(csv_refusal("day,m\n20240131,1\n20240201,2\n20240202,3\n"), HasSubstr("looks like a date"));
  const std::string sentinel = "a,m\n5,1\n-999,2\n7,3\n";
  EXPECT_THAT(csv_refusal(sentinel), HasSubstr("\"-999\" in the column \"a\" is the only number below zero, in 1 row"));
  EXPECT_EQ(csv_refusal("a,m\n5,1\n-999,2\n-7,3\n"), "no error");
  CsvOptions missing;
  missing.missing = {"-999", "7"};
  EXPECT_EQ(parsed_csv(sentinel, missing).at(0).columns[0].missing, 2) << "one that is read fast, too";
}

TEST(Csv, TextsThatMayBeNoKindsAreRefused) {
  EXPECT_THAT(csv_refusal("a,b\n1,red\n2,?\n3,blue\n"), HasSubstr("\"?\" in the column \"b\" may stand for no value"));
  EXPECT_EQ(csv_refusal("a,b\n1,+\n2,-\n3,+\n"), "no error") << "signs of both kinds";
  EXPECT_EQ(csv_refusal("a,b\n1,red\n2,None\n3,blue\n"), "no error");
  EXPECT_THAT(csv_refusal("a,b\n1,red\n2,Red\n3,blue\n"),
              HasSubstr("\"red\" and \"Red\" in the column \"b\" differ in capital letters or blanks alone"));
  EXPECT_THAT(csv_refusal("a,b\n1,\u00e9\n2,\u00c9\n"), HasSubstr("differ in capital letters"));
  EXPECT_THAT(csv_refusal("a,b\nx,red\ny,blue\na,b\n", csv_first_line(true)), HasSubstr("holds its own name"));
  EXPECT_THAT(csv_refusal("a,b\nx,1\ny,2\nTotal,3\n"), HasSubstr("the last row has \"Total\" in the column \"a\""));
  std::string words = "a,b\n";
  for (int row = 0; row < 12; ++row) words += std::to_string(row) + ".5,1\nnowhere,2\n";
  EXPECT_THAT(csv_refusal(words), HasSubstr("\"nowhere\" stands in the column \"a\""));
}

TEST(Csv, RowsWithoutValuesAreRefused) {
  EXPECT_EQ(csv_refusal("a,b\n1,2\n,\n"), "'x.csv' line 3 (offset 8): it has no value in any cell; take the line out");
  EXPECT_THAT(csv_refusal("a\n1\n\n3\n"), HasSubstr("line 4 (offset 5): an empty line stands before it"));
  EXPECT_EQ(csv_refusal("\na\n1\n3\n\n"), "no error");
}

TEST(Csv, AFirstRowWithoutValuesHoldsNoNames) {
  EXPECT_THAT(csv_refusal("?,?\n1,2\n3,4\n"), HasSubstr("\"?\" stands in the column \"0\""));
}

TEST(Csv, OneColumnMayBeMany) {
  EXPECT_THAT(csv_refusal("a::b\n1::2\n"), HasSubstr("\":\" stands as often in both"));
  EXPECT_THAT(csv_refusal("a^b\n1^2\n"), HasSubstr("\"^\" stands as often in both"));
}

TEST(Csv, ColumnWithoutValuesIsRefused) {
  EXPECT_EQ(csv_refusal("a,b,\n1,2,\n3,4,\n"),
            "'x.csv': the column \"\" has no value in any row. Leave it out by \"drop\": [\"\"]");
  CsvOptions options;
  options.drop = {""};
  EXPECT_THAT(values_of<float>(parsed_csv("a,b,\n1,2,\n3,4,\n", options).at(0)), ElementsAre(1, 2, 3, 4));
}

TEST(Csv, TwoDelimitersAreOneTooMany) {
  EXPECT_EQ(csv_refusal("0,5;1,5;0\n2,5;3,5;1\n"),
            "'x.csv' may have cells that end at \",\" or at \";\" (both stand in its first lines); set \"delimiter\"");
  EXPECT_THAT(csv_refusal("\"a\";\"b\"\n\"1\";\"2\"\n"), HasSubstr("set \"delimiter\""));
  EXPECT_EQ(csv_refusal("a,\"b;c\"\n1,2\n"), "no error");
  EXPECT_EQ(csv_refusal("a,tags\n1,x;y\n2,z;y\n"), "no error");
}

TEST(Csv, UsesOfColumnsFollowTheOptions) {
  const FileBytes file = file_of("id,b,kind\n1,2,x\n", "x.csv");
  const CsvOptions options = csv_label("kind");
  const CsvHeader header = read_csv_header(file, options, ',', default_memory_cap_bytes);
  EXPECT_THAT(csv_uses(file, header, options), ElementsAre(CsvUse::feature, CsvUse::feature, CsvUse::label));
  EXPECT_THAT(csv_index_candidates(file, header, options), ElementsAre(0U));
}

TEST(Csv, RaggedLinesAreErrors) {
  EXPECT_EQ(csv_refusal("a,b\n1,2\n3\n"),
            "'x.csv' line 3 (offset 8): it has 1 cells where the first line has 2 (rows are equally long); correct the "
            "line");
  EXPECT_EQ(
      csv_refusal("a,b\n1,2,3\n"),
      "'x.csv' line 2 (offset 4): it has more cells where the first line has 2 (rows are equally long); correct the "
      "line");
}

TEST(Csv, NamesTheLineThatIsWrong) {
  EXPECT_EQ(csv_refusal("a,b\n\"x\ny\",1\n\"x,2\n"),
            "'x.csv' line 4 (offset 12): the quote that opens here is never closed; close it");
  EXPECT_EQ(csv_refusal("a,b\n\"x\"y,1\n"),
            "'x.csv' line 2 (offset 7): there is text behind a closing quote; write a quote inside a cell twice");
  for (const std::string number : {"1e39", "-1e400", "inf", "-Infinity"}) {
    EXPECT_EQ(csv_refusal("a,b\n1," + number + "\n", csv_first_line(true)),
              "'x.csv' line 2 (offset 4): \"" + number +
                  "\" in the column \"b\" is no number that float32 holds; correct the cell, or leave it empty");
  }
  EXPECT_EQ(csv_refusal("a,b\n1,caf\xe9\n"),
            "'x.csv' line 2 (offset 4): the column \"b\" holds a text that is not UTF-8; save the file as UTF-8");
  EXPECT_THAT(csv_refusal(std::string("a,b\n1,x\0y\n", 10)), HasSubstr("the column \"b\" holds a zero byte"));
  EXPECT_EQ(csv_refusal("a,caf\xe9\n1,2\n"),
            "'x.csv' line 1 (offset 0): the names of the columns are not UTF-8; save the file as UTF-8");
}

TEST(Csv, RefusesClassesThatWouldBecomeOthers) {
  EXPECT_THAT(csv_refusal("a,y\n1,0\n2,4294967297\n", csv_label("y")),
              HasSubstr("the label 4294967297 of row 2 (counted from 1, the header not) is beyond 32-bit integers"));
  EXPECT_THAT(csv_refusal("a,y\n1,yes\n2,no\n3,2\n", csv_label("y")), HasSubstr("texts in 2"));
  EXPECT_EQ(csv_refusal("a,y\n1,0.5\n2,4294967297\n", csv_label("y")), "no error") << "a quantity with fractions";
  EXPECT_EQ(csv_refusal("a,y\n1,yes\n2,no\n", csv_label("y")), "no error");
}

TEST(Csv, RefusesNumbersAsProgramsWriteThem) {
  for (const std::string cells : {"0x10\n0x20", "1.5f\n2.5f", "1/2\n1/3", "5-10\n10-20"})
    EXPECT_THAT(
        csv_refusal("a,b\n1," + cells.substr(0, cells.find('\n')) + "\n2," + cells.substr(cells.find('\n') + 1) + "\n"),
        HasSubstr("looks like a number"))
        << cells;
}

TEST(Csv, NamesWhatIsNoTable) {
  EXPECT_EQ(csv_refusal(""), "'x.csv' has no lines (a table is needed); name another file");
  EXPECT_EQ(csv_refusal("\xff\xfe"
                        "a"),
            "'x.csv' is UTF-16 (UTF-8 is read); save it as UTF-8");
  EXPECT_EQ(csv_refusal("a,b\n", csv_first_line(true)), "'x.csv' has a header and no rows");
  EXPECT_EQ(csv_refusal("a;b\n1;2\n"),
            "'x.csv' has one column if cells end at \",\", but its first line holds \";\"; set \"delimiter\"");
  EXPECT_THAT(csv_refusal("1.5 2\n3 4\n"), HasSubstr("but its first line holds \" \"; set \"delimiter\""));
}

TEST(Csv, NamesTheColumnThatIsNotThere) {
  EXPECT_EQ(csv_refusal("color,b\n1,2\n", csv_label("colour")),
            "'x.csv' has no column \"colour\" among its 2; did you mean \"color\"?");
  EXPECT_EQ(csv_refusal("color,b\n1,2\n", csv_label("2")),
            "'x.csv' has no column \"2\" among its 2; name one of them, or its number from 0");
  EXPECT_EQ(csv_refusal("a,a\n1,2\n", csv_label("a")),
            "'x.csv' has several columns \"a\"; name one by its number from 0");
}

TEST(Csv, OfTextsThatNameRowsIsRefused) {
  std::string text = "id,b\n";
  for (int row = 0; row < 65537; ++row) text += "r" + std::to_string(row) + ",1\n";
  EXPECT_THAT(csv_refusal(text), HasSubstr("the column \"id\" has more than 65536 different texts (they name rows, not "
                                           "kinds of rows); take the column out"));
}

TEST(Csv, StaysBelowTheCap) {
  std::string text;
  for (int row = 0; row < 2000; ++row) text += "1,2,3\n";
  const FileBytes file = file_of(text, "x.csv");
  EXPECT_EQ(parse_csv(file, {}, 27000).at(0).count, 2000);
  EXPECT_THAT(refusal_of([&] { parse_csv(file, {}, 23999); }), HasSubstr("of memory or more to read"));
}

TEST(Csv, ColumnsCountInTheCapBeforeTheyAreMade) {
  std::string text;
  for (int line = 0; line < 2; ++line) {
    for (int cell = 0; cell < 99999; ++cell) text += "7,";
    text += "7\n";
  }
  const FileBytes file = file_of(text, "x.csv");  // 800 kB of numbers
  constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
  EXPECT_THAT(refusal_of([&] { parse_csv(file, {}, 8 * mebibyte); }), HasSubstr("(at most 8.0 MiB may be used)"));
  EXPECT_EQ(parse_csv(file, {}, 100 * mebibyte).at(0).count, 2);
  const FileBytes longer = file_of("1,2\n" + text, "x.csv");  // the second line is as long as it likes
  EXPECT_THAT(refusal_of([&] { parse_csv(longer, {}, mebibyte); }), HasSubstr("it has more cells"));
  const FileBytes named = file_of(std::string(5 << 20, 'a') + ",b\n1,2\n", "x.csv");
  EXPECT_THAT(refusal_of([&] { parse_csv(named, {}, 8 * mebibyte); }), HasSubstr("of memory or more to read"));
}

TEST(Csv, DelimiterIsAMarkOfPunctuation) {
  CsvOptions options;
  options.delimiter = '1';
  EXPECT_EQ(csv_refusal("112\n", options), R"(cells cannot be told apart by "1"; expected one of ",;\t|: ")");
}

TEST(Csv, HeaderWithoutNamesCountsItsColumns) {
  EXPECT_THAT(read_csv_header(file_of("5,6\n7,8\n", "x.csv"), {}, ',', default_memory_cap_bytes).names,
              ElementsAre("0", "1"));
}

}  // namespace
}  // namespace regatta::data
