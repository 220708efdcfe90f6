#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <cmath>
#include <variant>

#include "regatta/base/error.hpp"
#include "regatta/json/document.hpp"
#include "regatta/json/text.hpp"
#include "regatta/sweep/facts.hpp"

namespace regatta::sweep {
namespace {

constexpr double longest_us = 1e15;  // thirty years

/// A member of a row: its key in JSON, and whether it is a size in bytes or a time in us.
template <class Row>
struct Column {
  std::string_view key;
  std::variant<std::int64_t Row::*, double Row::*> member;
};
constexpr std::array bucket_columns = {
    Column<BucketTimes>{"bytes", &BucketTimes::bytes}, Column<BucketTimes>{"first_us", &BucketTimes::first_us},
    Column<BucketTimes>{"last_us", &BucketTimes::last_us}, Column<BucketTimes>{"summed_us", &BucketTimes::summed_us}};
constexpr std::array rank_columns = {Column<RankTimes>{"compute_us", &RankTimes::compute_us},
                                     Column<RankTimes>{"wait_us", &RankTimes::wait_us},
                                     Column<RankTimes>{"exchange_us", &RankTimes::exchange_us}};

std::string number(std::int64_t bytes) { return fmt::format("{}", bytes); }
std::string number(double us) { return fmt::format("{:.1f}", us); }

template <class Row, class Columns>
std::string rows_json(const std::vector<Row>& rows, const Columns& columns) {
  std::string text;
  for (const Row& row : rows) {
    for (const auto& column : columns)
      text += fmt::format(R"({}"{}":{})", &column == columns.data() ? text.empty() ? "[{" : ",{" : ",", column.key,
                          std::visit([&](auto member) { return number(row.*member); }, column.member));
    text += '}';
  }
  return rows.empty() ? text : text + "]";
}

[[noreturn]] void refuse_times(const std::string& what) { throw InputError("times of an exchange: " + what); }

void take(const json::Node& node, std::int64_t& bytes) {
  const auto* integer = node.as<std::int64_t>();
  if (integer == nullptr || *integer < 0)
    refuse_times(fmt::format("found {}, expected a size in bytes", json::describe(node)));
  bytes = *integer;
}

void take(const json::Node& node, double& us) {
  const auto* integer = node.as<std::int64_t>();
  const auto* real = node.as<json::Real>();
  us = integer != nullptr ? static_cast<double>(*integer) : real != nullptr ? real->value : NAN;
  if (!(std::abs(us) <= longest_us)) refuse_times(fmt::format("found {}, expected a time in us", json::describe(node)));
}

template <class Row, class Columns>
std::vector<Row> parse_rows(std::string_view text, const Columns& columns) {
  std::vector<Row> rows;
  if (text.empty()) return rows;
  const json::Node root = json::parse(text, "times of an exchange");
  const auto* list = root.as<json::Node::Array>();
  if (list == nullptr) refuse_times(fmt::format("found {}, expected a list", json::describe(root)));
  for (const json::Node& node : *list) {
    Row& row = rows.emplace_back();
    for (const auto& column : columns) {
      const json::Member* found = json::find_member(node, column.key);
      if (found == nullptr) refuse_times(fmt::format("{} has no \"{}\"", json::describe(node), column.key));
      std::visit([&](auto member) { take(found->node, row.*member); }, column.member);
    }
  }
  return rows;
}

}  // namespace

std::string peaks_text(const ProcessPeaks& peaks) { return fmt::format("{}", fmt::join(peaks, " ")); }

ProcessPeaks parse_peaks(std::string_view text) {
  ProcessPeaks peaks;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    const auto [behind, error] = std::from_chars(at, end, peaks.emplace_back());
    const bool is_size = error == std::errc() && peaks.back() >= 0;
    if (!is_size || (behind < end && *behind != ' '))
      throw InputError(fmt::format("found {}, expected sizes of memory in bytes", json::show(text)));
    at = behind + 1;
  }
  return peaks;
}

std::string to_json(const std::vector<BucketTimes>& buckets) { return rows_json(buckets, bucket_columns); }
std::string to_json(const std::vector<RankTimes>& ranks) { return rows_json(ranks, rank_columns); }

std::vector<BucketTimes> parse_buckets(std::string_view text) {
  auto buckets = parse_rows<BucketTimes>(text, bucket_columns);
  if (buckets.size() > most_buckets) refuse_times(fmt::format("more than {} buckets", most_buckets));
  return buckets;
}

std::vector<RankTimes> parse_ranks(std::string_view text) { return parse_rows<RankTimes>(text, rank_columns); }

}  // namespace regatta::sweep
