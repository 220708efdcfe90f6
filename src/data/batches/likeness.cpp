#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "data/batches/batches.hpp"
#include "regatta/base/error.hpp"
#include "regatta/json/text.hpp"

namespace regatta::data {
namespace {

using Texts = std::vector<std::string>;

/// Where a test part is compared with the training part.
struct Compared {
  const std::string& file;  ///< the one of the test part
  std::string what;         ///< "the column \"color\"", "the array of labels"
};

/// For each number of the test part's texts the number that the same text has in the training part.
std::vector<float> numbers_in(const Compared& at, const Texts& training, const Texts& test) {
  if (training.empty() != test.empty())
    throw InputError(fmt::format("'{}': {} holds {} where the training part holds {}; use files that belong together",
                                 at.file, at.what, test.empty() ? "numbers" : "texts",
                                 test.empty() ? "texts" : "numbers"));
  std::vector<float> numbers;
  for (const std::string& text : test) {
    const auto found = std::ranges::find(training, text);
    if (found == training.end())
      throw InputError(fmt::format("'{}': {} holds {}, which the training part does not know; take these rows out",
                                   at.file, at.what, json::show(text)));
    numbers.push_back(static_cast<float>(found - training.begin()));
  }
  return numbers;
}

bool are_same(const std::vector<float>& numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] != static_cast<float>(i)) return false;
  return true;
}

/// A copy of the array that may be written to.
Array copied(const Array& array, std::vector<std::byte>*& bytes) {
  const std::size_t row = row_bytes(array);
  const auto owner = std::make_shared<std::vector<std::byte>>(row * static_cast<std::size_t>(array.count));
  for (std::size_t i = 0; i < static_cast<std::size_t>(array.count); ++i)
    std::memcpy(owner->data() + i * row, array.first + i * array.stride_bytes, row);
  Array copy = array;
  copy.first = owner->data();
  copy.stride_bytes = row;
  copy.owner = owner;
  bytes = owner.get();
  return copy;
}

/// Every number at these places becomes the one that stands for the same text in the training part.
template <class Number>
void renumber(std::vector<std::byte>& bytes, std::size_t first, std::size_t step, const std::vector<float>& numbers) {
  for (std::size_t at = first * sizeof(Number); at < bytes.size(); at += step * sizeof(Number)) {
    Number number;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    const auto place = static_cast<double>(number);
    const bool has_text = place >= 0 && place < static_cast<double>(numbers.size());
    if (!has_text) continue;  // a missing value
    number = static_cast<Number>(numbers[static_cast<std::size_t>(place)]);
    std::memcpy(bytes.data() + at, &number, sizeof number);
  }
}

Array labels_like(const std::string& file, const Array& training, const Array& test) {
  const std::vector<float> numbers = numbers_in({file, "the array of labels"}, training.categories, test.categories);
  if (are_same(numbers)) return test;
  std::vector<std::byte>* bytes = nullptr;
  Array copy = copied(test, bytes);
  switch (copy.type) {
    case ElementType::uint8:
      renumber<std::uint8_t>(*bytes, 0, 1, numbers);
      break;
    case ElementType::int32:
      renumber<std::int32_t>(*bytes, 0, 1, numbers);
      break;
    case ElementType::int64:
      renumber<std::int64_t>(*bytes, 0, 1, numbers);
      break;
    case ElementType::float32:
      renumber<float>(*bytes, 0, 1, numbers);
      break;
    case ElementType::float64:
      renumber<double>(*bytes, 0, 1, numbers);
      break;
  }
  copy.categories = training.categories;
  return copy;
}

Texts names_of(const std::vector<Column>& columns) {
  Texts names;
  for (const Column& column : columns) names.push_back(column.name);
  return names;
}

Array features_like(const std::string& file, const Array& training, const Array& test) {
  if (training.shape != test.shape)
    throw InputError(
        fmt::format("'{}' has rows of shape ({}), and the training part of shape ({}); use files that "
                    "belong together",
                    file, fmt::join(test.shape, ", "), fmt::join(training.shape, ", ")));
  if ((training.type == ElementType::uint8) != (test.type == ElementType::uint8))
    throw InputError(
        fmt::format("'{}' holds {}, and the training part {} (bytes are scaled, others not); save both "
                    "alike",
                    file, name_of(test.type), name_of(training.type)));
  if (names_of(training.columns) != names_of(test.columns))
    throw InputError(fmt::format("'{}' has the columns {}, and the training part {}; use files that belong together",
                                 file, json::shorten(fmt::format("{}", fmt::join(names_of(test.columns), ", "))),
                                 json::shorten(fmt::format("{}", fmt::join(names_of(training.columns), ", ")))));
  std::vector<std::byte>* bytes = nullptr;
  Array like = test;
  for (std::size_t i = 0; i < test.columns.size(); ++i) {
    const Column& column = training.columns[i];
    const Compared at{file, fmt::format("the column {}", json::show(column.name))};
    const std::vector<float> numbers = numbers_in(at, column.categories, test.columns[i].categories);
    if (are_same(numbers)) continue;
    if (bytes == nullptr) like = copied(test, bytes);
    renumber<float>(*bytes, i, test.columns.size(), numbers);
    like.columns[i].categories = column.categories;
  }
  return like;
}

}  // namespace

Samples in_words_of(const Samples& training, const Samples& test, const std::string& file) {
  return {.x = features_like(file, training.x, test.x), .y = labels_like(file, training.y, test.y), .group = {}};
}

}  // namespace regatta::data
