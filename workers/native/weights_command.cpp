#include <fmt/format.h>

#include <optional>
#include <set>

#include "batches/train_data.hpp"
#include "native.hpp"
#include "options.hpp"
#include "regatta/base/error.hpp"
#include "regatta/data/batches.hpp"
#include "regatta/json/text.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/model/tensors.hpp"
#include "regatta/sweep/parameters.hpp"

namespace regatta::worker {
namespace {

using sweep::Param;

std::string_view required(const Options& options, std::string_view name) {
  const auto text = option(options, name);
  if (!text) throw InputError(std::string(name) + " is missing; see regatta-worker --help");
  return *text;
}

std::optional<data::DataFiles> files_of(const Options& options) {
  const auto entry = option(options, "--dataset");
  return entry ? std::optional(data::parse_data_files(*entry, "--dataset")) : std::nullopt;
}

data::BatchSource source_of(const Options& options, const sweep::Parameters& parameters) {
  data::BatchSource source;
  if (const auto* name = std::get_if<std::string>(&parameters[Param::dataset])) source.dataset = *name;
  if (options.contains("--datasets")) source.datasets_folder = options.at("--datasets");
  source.batch = integer_or(parameters, Param::batch, 1);
  source.seed = static_cast<std::uint64_t>(integer_or(parameters, Param::seed, 0));
  source.files = files_of(options);
  return source;
}

/// How many different classes a part has; 0 if its labels are none.
std::size_t classes_in(const std::vector<model::Tensor>& tensors, const char* name) {
  const auto* classes = std::get_if<std::vector<std::int32_t>>(&model::tensor_named(tensors, name).values);
  return classes == nullptr ? 0 : std::set<std::int32_t>(classes->begin(), classes->end()).size();
}

std::string why(const char* key, const InputError& error) {
  return fmt::format("{{{}: {}}}\n", json::quote(key), json::quote(error.what()));
}

}  // namespace

void write_inputs(const Options& options) {
  const auto parameters = sweep::parse_parameters(required(options, "--parameters"));
  const model::Model model = model::parse_model(required(options, "--model"), "--model");
  const data::BatchSource source = source_of(options, parameters);
  if (options.contains("--weights")) {
    const auto* network = std::get_if<model::Network>(&model);
    if (network == nullptr) throw InputError(model::name_of(model) + " has no weights; leave --weights out");
    model::write_safetensors(options.at("--weights"), model::initial_weights(*network, source.seed));
  }
  if (options.contains("--batches"))
    model::write_safetensors(options.at("--batches"), data::make_batches(model, source));
  if (options.contains("--data-set"))
    model::write_safetensors(options.at("--data-set"), data::make_data_set(model, source));
}

std::string check_data_set(const Options& options) {
  const auto parameters = sweep::parse_parameters(required(options, "--parameters"));
  const model::Model model = model::parse_model(required(options, "--model"), "--model");
  try {
    const auto tensors = data::make_data_set(model, source_of(options, parameters));
    return fmt::format("{{\"samples\": {}, \"validation\": {}, \"test\": {}, \"classes\": {}, \"test_classes\": {}}}\n",
                       model::tensor_named(tensors, "x").shape.front(), number_in(tensors, data::validation_rows),
                       model::tensor_named(tensors, "test_x").shape.front(), classes_in(tensors, "y"),
                       classes_in(tensors, "test_y"));
  } catch (const data::DoesNotFit& error) {
    return why("does_not_fit", error);
  } catch (const InputError& error) {
    return why("refused", error);
  }
}

}  // namespace regatta::worker
