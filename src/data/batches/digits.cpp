#include "regatta/data/digits.hpp"

#include "data/batches/manifest.hpp"
#include "regatta/base/error.hpp"
#include "regatta/data/formats.hpp"

namespace regatta::data {

namespace {

Array read_listed_idx(const std::filesystem::path& folder, const std::string& name) {
  const auto bytes = std::make_shared<const std::string>(read_listed_file(folder, name));
  return parse_idx({(folder / name).string(), *bytes, bytes});
}

}  // namespace

Digits read_digits(const std::filesystem::path& folder) {
  Digits digits{read_listed_idx(folder, "images-idx3-ubyte"), read_listed_idx(folder, "labels-idx1-ubyte")};
  const auto& [images, labels] = digits;
  const bool fit = images.type == ElementType::uint8 && labels.type == ElementType::uint8 && images.shape.size() == 2 &&
                   labels.shape.empty() && images.count == labels.count && images.count > 0;
  if (!fit)
    throw InputError("'" + folder.string() +
                     "' holds images and labels that do not belong together; restore the folder");
  return digits;
}

}  // namespace regatta::data
