#include "regatta/data/shipped.hpp"

#include <string>
#include <vector>

#include "data/batches/batches.hpp"
#include "regatta/base/error.hpp"
#include "regatta/data/formats.hpp"

namespace regatta::data {

namespace {

Array read_listed_array(const std::filesystem::path& folder, std::string_view name) {
  read_listed_file(folder, std::string(name));  // refuses it unless its SHA-256 is right
  return open_data_file((folder / name).string(), {}).front();
}

}  // namespace

ShippedArrays read_shipped(const std::filesystem::path& folder, const model::ShippedDataset& dataset) {
  ShippedArrays arrays{read_listed_array(folder, dataset.samples), read_listed_array(folder, dataset.labels)};
  const auto& [samples, labels] = arrays;
  const std::vector<std::int64_t> sample(dataset.sample.begin(), dataset.sample.end());
  const bool fit = samples.shape == sample && labels.type == ElementType::uint8 && labels.shape.empty() &&
                   samples.count == dataset.rows && labels.count == dataset.rows;
  if (!fit)
    throw InputError("'" + folder.string() +
                     "' holds samples and labels that do not belong together; restore the folder");
  return arrays;
}

}  // namespace regatta::data
