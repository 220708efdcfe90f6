#include "regatta/data/digits.hpp"

#include "data/manifest.hpp"
#include "regatta/base/error.hpp"

namespace regatta::data {

namespace {

IdxArray read_listed_idx(const std::filesystem::path& folder, const std::string& name) {
  return parse_idx(read_listed_file(folder, name), (folder / name).string());
}

}  // namespace

Digits read_digits(const std::filesystem::path& folder) {
  Digits digits{read_listed_idx(folder, "images-idx3-ubyte"), read_listed_idx(folder, "labels-idx1-ubyte")};
  const bool fit = digits.images.shape.size() == 3 && digits.labels.shape.size() == 1 &&
                   digits.images.shape.front() == digits.labels.shape.front() && !digits.images.values.empty();
  if (!fit)
    throw InputError("'" + folder.string() +
                     "' holds images and labels that do not belong together; restore the folder");
  return digits;
}

}  // namespace regatta::data
