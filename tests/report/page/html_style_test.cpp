// Contrast of the page's colours by WCAG 2.1 (1.4.3 and 1.4.11): text at least 4.5, what a figure is read by at
// least 3.
#include "report/page/html_style.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace regatta::report {
namespace {

using Palette = std::map<std::string, std::string>;  ///< "ink" -> "#1b1c1d"

/// The colours of the first rule from `start` on.
Palette palette_after(std::string_view sheet, std::string_view start) {
  Palette palette;
  const auto from = sheet.find(start);
  const std::string_view rule = sheet.substr(from, sheet.find('}', from) - from);
  for (auto at = rule.find("--"); at != std::string_view::npos; at = rule.find("--", at + 2)) {
    const auto colon = rule.find(':', at);
    const auto hash = rule.find('#', colon);
    palette[std::string(rule.substr(at + 2, colon - at - 2))] = std::string(rule.substr(hash, 7));
  }
  return palette;
}

double luminance(const std::string& colour) {
  const auto channel = [&](std::size_t at) {
    const double value = std::stoi(colour.substr(at, 2), nullptr, 16) / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

double contrast(const std::string& x, const std::string& y) {
  const double a = luminance(x);
  const double b = luminance(y);
  return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

class Colours : public testing::TestWithParam<const char*> {
 protected:
  Palette palette = palette_after(style_sheet, GetParam());

  void expect(const std::string& front, const std::string& back, double least) const {
    EXPECT_GE(contrast(palette.at(front), palette.at(back)), least) << front << " on " << back;
  }
};

TEST(Contrast, IsThatOfTheStandard) {
  EXPECT_NEAR(contrast("#000000", "#ffffff"), 21, 1e-9);
  EXPECT_NEAR(contrast("#767676", "#ffffff"), 4.54, 0.005);
  EXPECT_NEAR(contrast("#777777", "#ffffff"), 4.48, 0.005);
}

TEST_P(Colours, TextCanBeRead) {
  for (const char* text : {"ink", "soft", "accent", "bad"}) expect(text, "page", 4.5);
  for (const char* text : {"ink", "soft"}) expect(text, "panel", 4.5);
  for (const char* back : {"h0", "f1", "f2", "f3", "w1", "w2", "w3"}) expect("ink", back, 4.5);
  expect("ink", "rule", 4.5);  // hatched cells
  expect("soft", "rule", 3);   // crossed cells: the lines are thin, and the word stands on the page beside them
}

TEST_P(Colours, FiguresCanBeRead) {
  for (const char* mark : {"accent", "mark", "bad", "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"})
    expect(mark, "page", 3);
  for (const char* mark : {"accent", "c0", "c1", "c2", "c3"}) expect(mark, "band", 3);
}

INSTANTIATE_TEST_SUITE_P(LightAndDark, Colours, testing::Values(":root { color-scheme", "  :root { --page"));

TEST(StyleSheet, IsLightOnPaper) {
  EXPECT_NE(style_sheet.find("@media screen and (prefers-color-scheme: dark)"), std::string_view::npos);
  EXPECT_NE(style_sheet.find("@media print"), std::string_view::npos);
}

}  // namespace
}  // namespace regatta::report
