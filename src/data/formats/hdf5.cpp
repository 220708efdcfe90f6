#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "data/formats/formats.hpp"
#include "regatta/base/confined_child.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/own_paths.hpp"
#include "regatta/base/shared_memory.hpp"
#include "regatta/data/hdf5_answer.hpp"

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

std::vector<Array> arrays_of(const std::string& dataset, const Hdf5Answer& answer, int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) throw InternalError(errno_text("stat shared memory", errno));
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  const auto memory = map_shared(fd, bytes, PROT_READ);
  const std::vector<std::string> names = hdf5_names(dataset);
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (answer.arrays[i].axes == 0) continue;
    arrays.push_back(array_of(answer.arrays[i], memory, bytes));
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
  if (answer.is_complete) return arrays_of(dataset, answer, fd.get());
  if (answer.refusal.front() != '\0') refuse(path, answer.refusal.data());
  refuse(path,
         fmt::format("reading it took more than {:.0f} s, which no file of its size takes (it is damaged); get the "
                     "file again",
                     seconds));
}

}  // namespace regatta::data
