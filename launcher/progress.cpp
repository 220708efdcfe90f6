#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "regatta/base/clock.hpp"
#include "regatta/base/log.hpp"

namespace regatta::launcher {
namespace {

constexpr double line_interval_seconds = 10;
constexpr double bar_interval_seconds = 0.2;
constexpr std::size_t bar_width = 30;

// What is left, if blocks go on as they went so far in this session.
std::string time_left(const Progress& progress, std::size_t already_done, double elapsed_seconds) {
  const std::size_t done = progress.blocks_done - already_done;
  if (done == 0) return "-";
  const double seconds =
      elapsed_seconds / static_cast<double>(done) * static_cast<double>(progress.blocks - progress.blocks_done);
  return fmt::format("{:.0f} s", seconds);
}

}  // namespace

ProgressPrinter::ProgressPrinter(ProgressStyle style)
    : style_(style),
      start_seconds_(steady_seconds()),
      next_seconds_(start_seconds_ + (style == ProgressStyle::bar ? 0 : line_interval_seconds)) {}

void ProgressPrinter::show(const Progress& progress) {
  if (already_done_ == static_cast<std::size_t>(-1)) already_done_ = progress.blocks_done;
  const double now = steady_seconds();
  const bool last = progress.blocks_done == progress.blocks && shown_ != progress.blocks_done;
  if (now < next_seconds_ && !(last && style_ == ProgressStyle::bar)) return;
  next_seconds_ = now + (style_ == ProgressStyle::bar ? bar_interval_seconds : line_interval_seconds);
  shown_ = progress.blocks_done;
  const std::string left = time_left(progress, already_done_, now - start_seconds_);
  if (style_ == ProgressStyle::lines) {
    log::info(fmt::format("{} of {} blocks done, {} failed, {:.0f} s, about {} left", progress.blocks_done,
                          progress.blocks, progress.failed_arms, now - start_seconds_, left));
    return;
  }
  const std::size_t filled = progress.blocks == 0 ? bar_width : bar_width * progress.blocks_done / progress.blocks;
  const std::string text = fmt::format("\r[{:#<{}}{:.<{}}] {}/{} blocks  {} failed  {:.0f} s  left {}   {}", "", filled,
                                       "", bar_width - filled, progress.blocks_done, progress.blocks,
                                       progress.failed_arms, now - start_seconds_, left, last ? "\n" : "");
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace regatta::launcher
