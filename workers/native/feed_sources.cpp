#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "batches/host_samples.hpp"
#include "batches/pipeline.hpp"
#include "batches/train_data.hpp"
#include "loader_options.hpp"
#include "native.hpp"
#include "regatta/base/error.hpp"
#include "regatta/data/permutation.hpp"

namespace regatta::worker {
namespace {

using data::ElementType;

constexpr std::string_view of_all[] = {"--fd", "--parent", "--threads", "--depth", "--memory", "--first-step"};

struct Kind {
  std::string_view source;
  std::vector<std::string_view> options;
  FeedSource (*open)(const Options& options);
};

FeedSource of_files(const Options& options) {
  FeedSource source;
  source.arrays = read_arrays(options);
  source.options = loader_options(options, source.arrays.size());
  return source;
}

/// Batches that engines are compared on, in their order, as their own pipelines would hold and give them.
FeedSource of_batches(const Options& options) {
  const auto tensors =
      std::make_shared<const std::vector<model::Tensor>>(model::read_safetensors(std::string(options.at("--batches"))));
  constexpr ElementType types[] = {ElementType::float32, ElementType::float64, ElementType::uint8};
  const ElementType type = types[level_of(options, "--as", {"float32", "float64", "uint8"})];
  const bool are_bytes = type == ElementType::uint8;
  if (are_bytes && !option(options, "--x-scale"))
    throw InputError("--as uint8 needs --x-scale (x is float32(byte) * scale); name it");
  constexpr float smallest = std::numeric_limits<float>::denorm_min();
  const auto scale = number_or<float>(options, "--x-scale", 1, smallest, std::numeric_limits<float>::max());
  FeedSource source;
  source.arrays = arrays_of_batches(*tensors);
  for (data::Array& array : source.arrays) array.owner = tensors;
  data::Array& x = source.arrays.front();
  x = held_as(x, type, scale);
  source.options = options_for_batches(*tensors);
  const bool gives_floats = level_of(options, "--give", {"file", "float32"}) == 1;
  if (gives_floats && x.type != ElementType::int32)
    source.options.fields.front() = {.type = ElementType::float32, .scale = are_bytes ? scale : 1};
  return source;
}

/// The steps of a run of training, as `train` reads them.
FeedSource of_training(const Options& options) {
  const auto data = read_data_set(std::string(options.at("--training")));
  protocol::Train request;
  request.validation = number_or<double>(options, "--validation", request.validation, 0, 1);
  const TrainPlan plan = plan_of(request, rows_in(*data), batch_of(options));
  const std::vector<std::uint32_t> rows = split_rows(plan, seed_of(options));
  const std::span training = std::span(rows).subspan(static_cast<std::size_t>(plan.validation));
  const auto part = std::make_shared<const Part>(rows_of(*data, training));
  FeedSource source;
  source.arrays = arrays_of(*part);
  for (data::Array& array : source.arrays) array.owner = part;
  source.options = options_for_training(plan, seed_of(options), 0);
  return source;
}

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"--data",
       {"--data", "--labels", "--batch", "--ranks", "--rank", "--seed", "--order", "--dtype", "--scale", "--shift",
        "--flips"},
       of_files},
      {"--batches", {"--batches", "--as", "--x-scale", "--give"}, of_batches},
      {"--training", {"--training", "--validation", "--seed", "--batch"}, of_training}};
  return all;
}

/// The one kind whose source `is_named`.
template <class IsNamed>
const Kind& kind_where(const IsNamed& is_named) {
  const auto named = [&](const Kind& kind) { return is_named(kind.source); };
  if (std::ranges::count_if(kinds(), named) != 1)
    throw InputError("feed reads one of --data, --batches and --training (batches have one source); name one");
  return *std::ranges::find_if(kinds(), named);
}

}  // namespace

std::vector<std::string_view> feed_options(const std::vector<std::string_view>& words) {
  const Kind& kind =
      kind_where([&](std::string_view source) { return std::ranges::find(words, source) != words.end(); });
  std::vector<std::string_view> known = kind.options;
  if (kind.source == "--data") known.insert(known.end(), std::begin(table_options), std::end(table_options));
  known.insert(known.end(), std::begin(of_all), std::end(of_all));
  return known;
}

FeedSource open_feed_source(const Options& options) {
  const Kind& kind = kind_where([&](std::string_view source) { return options.contains(source); });
  FeedSource source = kind.open(options);
  set_supply(options, source.options);
  source.options.is_shared = true;
  return source;
}

}  // namespace regatta::worker
