#include "os/child_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "regatta/base/error.hpp"
#include "regatta/base/units.hpp"

namespace regatta::launcher {

ChildOutput make_output(UniqueFd& writing_end, std::string log_path, Beyond beyond) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw InternalError(errno_text("pipe (too many open files?)", errno));
  writing_end = UniqueFd(ends[1]);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  ChildOutput output;
  output.pipe = UniqueFd(ends[0]);
  output.log_path = std::move(log_path);
  output.beyond = beyond;
  return output;
}

namespace {

constexpr std::uint64_t most_at_once = std::uint64_t{1} << 20;  ///< then others have their turn

UniqueFd log_at(const std::string& path) {
  return UniqueFd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
}

/// A full disk must not stop the child: its log is a help, not a result.
void write_log(ChildOutput& output, std::string_view text) {
  if (!output.log) output.log = log_at(output.log_path);
  [[maybe_unused]] const auto written = ::write(output.log.get(), text.data(), text.size());
}

void keep_last(std::string& text, std::uint64_t most_bytes) {
  if (text.size() > most_bytes) text.erase(0, text.size() - most_bytes);
}

/// Whether an object begins in this line and ends in a later one. `first` and `last` are its ends without blanks.
bool opens_object(std::string_view line, std::size_t first, std::size_t last) {
  if (line[first] != '{') return false;
  return first == last || line[line.find_first_not_of(" \t", first + 1)] == '"';
}

/// Keeps a line that goes out of memory if it holds a JSON object.
void keep_told(ChildOutput& output, std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  const std::size_t last = line.find_last_not_of(" \t\r");
  if (first == std::string_view::npos || line.find('{') == std::string_view::npos) return;
  if (line[last] != '}') {
    output.lost_told = output.lost_told || opens_object(line, first, last);
    return;
  }
  output.told.append(line).append("\n");
  if (output.told.size() <= 2 * max_output_bytes) return;
  keep_last(output.told, max_output_bytes);
  output.told.erase(0, output.told.find('\n') + 1);
  output.lost_told = true;
}

/// Shortens the text in memory to its last lines.
void shorten(ChildOutput& output) {
  const std::string_view text = output.text;
  const std::size_t most = text.size() - max_output_bytes;
  std::size_t from = 0;
  for (std::size_t end = text.find('\n'); end < most; end = text.find('\n', from)) {
    keep_told(output, text.substr(from, end - from));
    from = end + 1;
  }
  // A line that is longer than all that is kept is lost.
  if (from == 0) output.lost_told = output.lost_told || text.starts_with('{');
  output.text.erase(0, from == 0 ? most : from);
}

void keep(ChildOutput& output, std::string_view piece) {
  const bool is_program = output.beyond == Beyond::dropped;
  const std::uint64_t room = is_program ? max_log_bytes - std::min(output.bytes, max_log_bytes) : piece.size();
  if (!output.log_path.empty() && room > 0) write_log(output, piece.substr(0, room));
  output.bytes += piece.size();
  if (!output.log_path.empty() && !is_program) return;
  output.text.append(piece);
  if (output.text.size() <= 2 * max_output_bytes) return;
  if (is_program)
    shorten(output);
  else
    keep_last(output.text, max_output_bytes);
}

}  // namespace

bool drain(ChildOutput& output) {
  std::array<char, 65536> buffer;
  const std::uint64_t end = output.bytes + most_at_once;
  while (output.beyond == Beyond::dropped || output.bytes < max_log_bytes) {
    if (output.bytes >= end) return true;
    const ssize_t got = ::read(output.pipe.get(), buffer.data(), buffer.size());
    if (got == 0) return false;
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    keep(output, {buffer.data(), static_cast<std::size_t>(got)});
  }
  output.flooded = true;
  return false;
}

std::string kept_text(const ChildOutput& output) {
  const std::size_t size = std::min<std::size_t>(output.text.size(), max_output_bytes);
  return output.text.substr(output.text.size() - size);
}

std::string telling_text(const ChildOutput& output) { return output.told + output.text; }

void close_log(ChildOutput& output) {
  if (output.log_path.empty() || output.bytes <= max_log_bytes) return;
  const std::uint64_t beyond = output.bytes - max_log_bytes;
  const std::string end = kept_text(output);
  const std::string_view last = std::string_view(end).substr(end.size() - std::min<std::uint64_t>(end.size(), beyond));
  if (beyond > last.size()) write_log(output, fmt::format("\n[{} left out]\n", format_size(beyond - last.size())));
  write_log(output, last);
  output.log.reset();
}

UniqueFd open_log(const std::string& path) {
  UniqueFd log = log_at(path);
  if (!log) throw InternalError(errno_text("cannot open the log '" + path + "'", errno));
  return log;
}

}  // namespace regatta::launcher
