#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "data/batches/batches.hpp"
#include "regatta/base/error.hpp"
#include "regatta/data/batches.hpp"
#include "regatta/json/text.hpp"
#include "regatta/model/shapes.hpp"

namespace regatta::data {
namespace {

using model::Tensor;
using Classes = std::vector<std::int32_t>;

constexpr double usual_test_share = 0.2;
constexpr std::int64_t least_rows = 5;

/// The class of each of `rows` rows; empty where the loss takes numbers.
Classes classes_of(const model::Network& network, const Tensor& y, std::int64_t rows) {
  if (const auto* classes = std::get_if<Classes>(&y.values)) return *classes;
  const auto& values = std::get<std::vector<float>>(y.values);
  const bool is_binary = network.loss == model::Loss::binary_crossentropy;
  if (!is_binary || std::ssize(values) != rows) return {};
  Classes classes;
  for (const float value : values) classes.push_back(value > 0.5F ? 1 : 0);
  return classes;
}

/// The number of a class, with its text where it has one.
std::string shown(std::int32_t number, const std::vector<std::string>& categories) {
  const auto at = static_cast<std::size_t>(number);
  return at < categories.size() ? fmt::format("{} ({})", number, json::show(categories[at])) : std::to_string(number);
}

/// Nothing that is learnt from the training part could find it.
void refuse_unknown_class(const std::string& file, const char* part, const Classes& training, const Classes& held,
                          const std::vector<std::string>& categories) {
  const std::set<std::int32_t> known(training.begin(), training.end());
  const auto unknown = std::ranges::find_if(held, [&](std::int32_t each) { return !known.contains(each); });
  if (unknown == held.end()) return;
  throw InputError(
      fmt::format("'{}': the {} part holds the class {}, which no row of the training part has. Add such "
                  "rows, or divide the data in another way",
                  file, part, shown(*unknown, categories)));
}

Classes classes_at(const Classes& classes, const std::vector<std::uint32_t>& rows) {
  Classes some;
  if (classes.empty()) return some;
  for (const std::uint32_t row : rows) some.push_back(classes[row]);
  return some;
}

Classes numbers_of(const Array& groups) {
  Classes numbers(static_cast<std::size_t>(groups.count));
  std::memcpy(numbers.data(), groups.first, numbers.size() * sizeof(std::int32_t));
  return numbers;
}

/// Without the axis of batches.
Tensor part_named(Tensor tensor, const char* name) {
  tensor.shape.erase(tensor.shape.begin());
  tensor.name = name;
  return tensor;
}

std::vector<Tensor> tensors_within_limits(const Samples& samples, const model::Network& network,
                                          const DataFiles& files) {
  checked_bytes(network.name, joined({1, samples.x.count}, network.input));
  return finite_tensors(samples, network, files);
}

std::vector<Tensor> with_test_part(const model::Network& network, const DataFiles& files, const Samples& training,
                                   const Samples& test) {
  DataFiles of_test = files;
  if (!files.test.empty()) {
    of_test.data = files.test;
    of_test.labels = files.test_labels;
  }
  std::vector<Tensor> learnt = tensors_within_limits(training, network, files);
  std::vector<Tensor> tested = tensors_within_limits(in_words_of(training, test, of_test.data), network, of_test);
  refuse_unknown_class(of_test.data, "test", classes_of(network, learnt[1], training.x.count),
                       classes_of(network, tested[1], test.x.count), training.y.categories);
  std::vector<Tensor> set;
  set.push_back(part_named(std::move(learnt[0]), "x"));
  set.push_back(part_named(std::move(learnt[1]), "y"));
  set.push_back(part_named(std::move(tested[0]), "test_x"));
  set.push_back(part_named(std::move(tested[1]), "test_y"));
  return set;
}

/// How the rows are divided: by what the sweep says, or else so that each class has its share.
PartRule rule_of(const model::Network& network, const DataFiles& files, const Samples& samples,
                 const Classes& classes) {
  const SplitRule& split = files.split;
  PartRule rule{.rows = samples.x.count, .test = split.test.value_or(usual_test_share), .order = split.order};
  if (split.stratified.value_or(true)) rule.classes = classes;
  if (split.stratified.value_or(false) && classes.empty())
    throw InputError(
        fmt::format("\"stratified\" needs labels that are classes (the loss of {} takes numbers); leave it "
                    "out",
                    network.name));
  if (samples.group) rule.groups = numbers_of(*samples.group);
  return rule;
}

std::vector<Tensor> divided(const model::Network& network, const DataFiles& files, const Samples& samples) {
  if (samples.x.count < least_rows)
    throw InputError(fmt::format("'{}' has {} rows (a training and a test part need at least {}); use more samples",
                                 files.data, samples.x.count, least_rows));
  const std::vector<Tensor> all = tensors_within_limits(samples, network, files);
  const Classes classes = classes_of(network, all[1], samples.x.count);
  const RowParts parts = row_parts(rule_of(network, files, samples, classes));
  if (parts.training.empty())
    throw InputError(
        fmt::format("'{}': all rows belong to one group (a test part needs another); use more groups", files.data));
  refuse_unknown_class(files.data, "test", classes_at(classes, parts.training), classes_at(classes, parts.test),
                       samples.y.categories);
  return {rows_at(all[0], parts.training, "x"), rows_at(all[1], parts.training, "y"),
          rows_at(all[0], parts.test, "test_x"), rows_at(all[1], parts.test, "test_y")};
}

/// The rows of both, one after the other.
void append(Tensor& tensor, const Tensor& more, std::int64_t rows) {
  std::visit(
      [&](auto& values) {
        const auto& others = std::get<std::decay_t<decltype(values)>>(more.values);
        values.insert(values.end(), others.begin(), others.end());
      },
      tensor.values);
  tensor.shape.front() += rows;
}

/// The rows of a validation part behind those of the training part, and how many they are.
void append_validation(const model::Network& network, const DataFiles& files, const Samples& training,
                       const Samples& validation, std::vector<Tensor>& set) {
  DataFiles held_files = files;
  held_files.data = files.validation;
  held_files.labels = files.validation_labels;
  const Samples alike = in_words_of(training, validation, files.validation);
  const std::vector<Tensor> held = tensors_within_limits(alike, network, held_files);
  refuse_unknown_class(files.validation, "validation", classes_of(network, set[1], set[1].shape.front()),
                       classes_of(network, held[1], validation.x.count), training.y.categories);
  append(set[0], held[0], validation.x.count);
  append(set[1], held[1], validation.x.count);
  set.push_back({validation_rows, {1}, std::vector{static_cast<std::int32_t>(validation.x.count)}});
}

}  // namespace

std::vector<Tensor> file_parts(const model::Network& network, const DataFiles& files) {
  const SampleParts parts = read_sample_parts(files);
  std::vector<Tensor> set =
      parts.test ? with_test_part(network, files, parts.all, *parts.test) : divided(network, files, parts.all);
  if (parts.validation) append_validation(network, files, parts.all, *parts.validation, set);
  return set;
}

}  // namespace regatta::data
