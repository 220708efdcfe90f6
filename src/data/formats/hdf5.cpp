#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>

#include "data/formats/csv_column.hpp"
#include "data/formats/formats.hpp"
#include "data/formats/stored.hpp"
#include "regatta/base/confined_child.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/own_paths.hpp"
#include "regatta/base/shared_memory.hpp"
#include "regatta/data/hdf5_answer.hpp"
#include "regatta/json/text.hpp"

namespace regatta::data {

namespace {

constexpr double least_seconds = 30;
constexpr double bytes_a_second = 20e6;
constexpr int cannot_run = 127;

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw InputError(fmt::format("'{}': {}", path, what));
}

/// Kills the child unless it has ended after the time that the file may take.
void await_child(const std::string& path, pid_t child, double seconds) {
  const int status = end_of_child(child, seconds);
  if (WIFEXITED(status) && WEXITSTATUS(status) == cannot_run) {
    throw InputError(
        fmt::format("'{}' is an HDF5 file, which this build cannot read: it has no program {}. Install libhdf5-dev and "
                    "build again, or save the arrays with numpy.save",
                    path, hdf5_program));
  }
  const int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (by == 0 || by == SIGXCPU || by == SIGKILL) return;  // the answer says what it has; its time is over
  refuse(path, fmt::format("the process that read it ended by signal {} (the file is damaged, or was made to do harm); "
                           "get the file again",
                           by));
}

Array array_of(const Hdf5Array& found, const std::shared_ptr<std::byte>& memory, std::uint64_t memory_bytes) {
  Array array;
  array.type = found.type;
  std::uint64_t left = memory_bytes - std::min(memory_bytes, found.offset);
  left /= size_of(found.type);
  for (std::size_t axis = 0; axis < std::min<std::size_t>(found.axes, Hdf5Array::most_axes); ++axis) {
    left /= std::max<std::uint64_t>(found.sizes[axis], 1);
    array.shape.push_back(static_cast<std::int64_t>(found.sizes[axis]));
  }
  expect(left > 0 && !array.shape.empty(), "the child's array lies in the memory that it was given");
  array.count = array.shape.front();
  array.shape.erase(array.shape.begin());
  array.stride_bytes = row_bytes(array);
  array.first = memory.get() + found.offset;
  array.owner = memory;
  return array;
}

/// The texts that follow one another in the child's memory, each with a zero behind it.
std::vector<std::string> categories_of(const std::string& path, const Hdf5Array& found, const std::byte* memory,
                                       std::uint64_t memory_bytes) {
  if (found.texts_bytes == 0) return {};
  expect(found.texts_offset < memory_bytes && found.texts_bytes <= memory_bytes - found.texts_offset,
         "the child's texts lie in the memory that it was given");
  std::string_view rest(reinterpret_cast<const char*>(memory) + found.texts_offset, found.texts_bytes);
  std::vector<std::string> texts;
  for (std::size_t end = rest.find('\0'); end != std::string_view::npos; end = rest.find('\0')) {
    const std::string_view text = rest.substr(0, end);
    if (is_missing_cell(text))
      refuse(path,
             fmt::format("its texts hold {} (a missing value); fill it in, or take the rows out", json::show(text)));
    if (json::find_strange_byte(text)) refuse(path, "one of its texts is not UTF-8; save them as UTF-8");
    texts.emplace_back(text);
    rest.remove_prefix(end + 1);
  }
  return texts;
}

Stored stored_as(ElementType type) {
  switch (type) {
    case ElementType::uint8:
      return Stored::uint8;
    case ElementType::int32:
      return Stored::int32;
    case ElementType::int64:
      return Stored::int64;
    case ElementType::float32:
      return Stored::float32;
    case ElementType::float64:
      return Stored::float64;
  }
  throw InternalError("numbers of no type");
}

/// The array with its axes turned round: MATLAB's first axis, which counts the rows, is the file's last.
Array turned(const std::string& path, const Array& array, std::uint64_t memory_cap_bytes) {
  Layout layout{
      .stored = stored_as(array.type), .is_big_endian = false, .first_axis_is_fastest = true, .axes = {}, .offset = 0};
  layout.axes.assign(array.shape.rbegin(), array.shape.rend());
  layout.axes.push_back(array.count);
  const std::uint64_t bytes = row_bytes(array) * static_cast<std::size_t>(array.count);
  const FileBytes held{path, {reinterpret_cast<const char*>(array.first), bytes}, array.owner};
  return array_of(held, layout, memory_cap_bytes - std::min(memory_cap_bytes, bytes));
}

/// Whom the answer is for.
struct Asked {
  const std::string& path;
  const std::string& dataset;
  std::uint64_t memory_cap_bytes;
};

std::vector<Array> arrays_of(const Asked& asked, const Hdf5Answer& answer, int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) throw InternalError(errno_text("stat shared memory", errno));
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  const auto memory = map_shared(fd, bytes, PROT_READ);
  const std::vector<std::string> names = hdf5_names(asked.dataset);
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Hdf5Array& found = answer.arrays[i];
    if (found.axes == 0) continue;
    Array array = array_of(found, memory, bytes);
    if (found.first_axis_is_fastest) array = turned(asked.path, array, asked.memory_cap_bytes);
    array.categories = categories_of(asked.path, found, memory.get(), bytes);
    arrays.push_back(std::move(array));
    arrays.back().name = names[i].substr(names[i].rfind('/') + 1);
  }
  return arrays;
}

}  // namespace

std::vector<Array> read_hdf5(const std::string& path, const std::string& dataset, std::uint64_t memory_cap_bytes) {
  const std::uint64_t file_bytes = map_file(path).bytes.size();  // refuses what is no file
  const double seconds = least_seconds + static_cast<double>(file_bytes) / bytes_a_second;
  const UniqueFd fd = make_shared_memory("regatta-hdf5", hdf5_answer_bytes);
  const auto mapping = map_shared(fd.get(), hdf5_answer_bytes, PROT_READ | PROT_WRITE);
  auto& answer = *reinterpret_cast<Hdf5Answer*>(mapping.get());
  const std::string program = executable_folder() / hdf5_program;
  const std::string cap = fmt::format("{}", memory_cap_bytes);
  const std::string time = fmt::format("{:.0f}", seconds);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw InternalError(errno_text("fork (too many processes?); raise `ulimit -u`", errno));
  if (child == 0) {
    confine(fd.get(), parent);
    ::execl(program.c_str(), hdf5_program, path.c_str(), dataset.c_str(), cap.c_str(), time.c_str(), nullptr);
    ::_exit(cannot_run);
  }
  await_child(path, child, seconds);
  answer.refusal.back() = '\0';
  if (answer.is_complete) return arrays_of({path, dataset, memory_cap_bytes}, answer, fd.get());
  if (answer.refusal.front() != '\0') refuse(path, answer.refusal.data());
  refuse(path,
         fmt::format("reading it took more than {:.0f} s, which no file of its size takes (it is damaged); get the "
                     "file again",
                     seconds));
}

}  // namespace regatta::data
