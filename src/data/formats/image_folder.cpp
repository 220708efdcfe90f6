// A folder for each class, with its pictures: the layout that torchvision's ImageFolder and Keras read.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "data/formats/formats.hpp"
#include "data/formats/picture.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/random.hpp"
#include "regatta/data/formats.hpp"
#include "regatta/data/permutation.hpp"

namespace regatta::data {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_classes = 65'536;
constexpr std::size_t most_pictures = std::size_t{1} << 24;

/// The entries of the folder, by name; names that begin with a dot are hidden, as everywhere.
std::vector<fs::path> listed(const fs::path& folder, std::size_t most, const char* what) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().filename().string().starts_with('.')) continue;
    found.push_back(at->path());
    if (found.size() > most)
      throw InputError(fmt::format("'{}' holds more than {} {} (no more are read); use a part of them", folder.string(),
                                   most, what));
  }
  if (error) throw InputError(errno_text(fmt::format("cannot list '{}'", folder.string()), error.value()));
  std::sort(found.begin(), found.end());
  return found;
}

struct ListedPicture {
  fs::path path;
  std::int32_t label;
};

struct Listed {
  std::vector<std::string> classes;
  std::vector<ListedPicture> pictures;  ///< class by class, in each by name
};

Listed listed_pictures(const fs::path& folder) {
  Listed all;
  for (const fs::path& path : listed(folder, most_classes, "classes")) {
    if (!fs::is_directory(path)) {
      throw InputError(fmt::format("'{}' lies beside the folders of the classes (pictures of what?); move it into one",
                                   path.string()));
    }
    const auto label = static_cast<std::int32_t>(all.classes.size());
    all.classes.push_back(path.filename().string());
    for (fs::path& picture : listed(path, most_pictures - all.pictures.size(), "pictures in all"))
      all.pictures.push_back({std::move(picture), label});
  }
  if (!all.pictures.empty()) return all;
  throw InputError(
      fmt::format("'{}' holds no pictures (a folder of data has a folder for each class, with its pictures); check the "
                  "path",
                  folder.string()));
}

std::string text_of(const PictureShape& shape) {
  return fmt::format("{} x {} pixels of {} channel{}", shape.height, shape.width, shape.channels,
                     shape.channels == 1 ? "" : "s");
}

/// All pictures one behind the other; the first one says how large they are.
struct Pixels {
  const Listed& all;
  std::uint64_t memory_cap_bytes;
  PictureShape shape{};
  std::shared_ptr<std::byte[]> memory = {};

  /// Where picture i goes; throws if its shape is another than that of the first.
  std::byte* place(const FileBytes& file, std::size_t row, const PictureShape& found) {
    if (memory == nullptr) {
      shape = found;
      memory = shared_memory(file, shape.bytes() * all.pictures.size(), memory_cap_bytes);
      first_name = file.name;
    }
    if (found != shape) {
      throw InputError(fmt::format("'{}' has {}, where '{}' has {} (samples are equally large); make all alike",
                                   file.name, text_of(found), first_name, text_of(shape)));
    }
    return memory.get() + row * shape.bytes();
  }
  std::string first_name = {};
};

Array labels_of(const Listed& all, const std::vector<std::uint32_t>& order) {
  const auto memory = std::make_shared<std::vector<std::int32_t>>();
  for (const std::uint32_t at : order) memory->push_back(all.pictures[at].label);
  Array labels;
  labels.name = "y";
  labels.type = ElementType::int32;
  labels.count = static_cast<std::int64_t>(memory->size());
  labels.first = reinterpret_cast<const std::byte*>(memory->data());
  labels.stride_bytes = sizeof(std::int32_t);
  labels.categories = all.classes;
  labels.owner = memory;
  return labels;
}

}  // namespace

std::vector<Array> read_image_folder(const std::string& path, std::uint64_t memory_cap_bytes) {
  const Listed all = listed_pictures(path);
  // Class by class, the last rows would be of the last class alone: they are drawn once, from their number.
  const std::size_t count = all.pictures.size();
  std::vector<std::uint32_t> order(count);
  Permutation(static_cast<std::int64_t>(count), random_bits(count, 0)).images(0, order);
  Pixels pixels{all, memory_cap_bytes};
  for (std::size_t row = 0; row < count; ++row) {
    const FileBytes file = map_file(all.pictures[order[row]].path.string());
    read_picture(file, [&](const PictureShape& shape) { return pixels.place(file, row, shape); });
  }
  Array x;
  x.name = "x";
  x.shape = {pixels.shape.height, pixels.shape.width, pixels.shape.channels};
  x.count = static_cast<std::int64_t>(count);
  x.first = pixels.memory.get();
  x.stride_bytes = pixels.shape.bytes();
  x.owner = pixels.memory;
  return {std::move(x), labels_of(all, order)};
}

}  // namespace regatta::data
