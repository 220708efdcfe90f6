#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "results/journal/frames.hpp"
#include "results/journal/journal.hpp"

namespace regatta::results {
namespace {

/// Damaged payloads that are read, in sizes of the journal: heads could be forged that each name all the rest of it.
constexpr std::uint64_t most_vain_reading = 8;

/// The bytes that a disk writes whole or not at all.
constexpr std::uint64_t sector_bytes = 512;

std::uint64_t sequence_of(const Record& record) { return record.place.sequence; }

/// A walk over the bytes of a journal.
class Splitter {
 public:
  explicit Splitter(std::string_view bytes) : bytes_(bytes) {}

  Scan split() {
    while (at_ < bytes_.size() && !pieces_.torn_tail) {
      Frame frame = read_frame(bytes_.substr(at_));
      if (frame.state == FrameState::whole && frame.sequence >= pieces_.next_sequence)
        take(std::move(frame));
      else
        pass_over(frame);
    }
    if (is_uncounted_) count_missing(pieces_.next_sequence + 1);
    if (is_lost_with_power()) end_before_loss();
    return std::move(pieces_);
  }

 private:
  void take(Frame frame) {
    count_missing(frame.sequence);
    Record& record = frame.record;
    record.place = {frame.sequence, at_};
    pieces_.next_sequence = frame.sequence + 1;
    pieces_.lacks_newline = frame.lacks_newline(bytes_.substr(at_));
    pieces_.valid_bytes = at_ + (pieces_.lacks_newline ? frame.text_bytes : frame.bytes);
    at_ += frame.bytes;
    if (record.kind == RecordKind::durable)
      take_mark(record);
    else if (record.kind != RecordKind::opening || record.attempt > journal_version)
      pieces_.records.push_back(std::move(record));
  }

  void take_mark(const Record& mark) {
    std::string_view text = mark.payload;
    std::uint64_t end = 0;
    if (!take_number(text, end)) return lose({mark.place, 0, 0, 0, {}, "a durable mark without a number"});
    synced_ = std::max(synced_, end);
    const auto behind = std::ranges::lower_bound(pieces_.records, end, {}, sequence_of);
    const auto promised = static_cast<std::size_t>(behind - pieces_.records.begin());
    pieces_.durable_records = std::max(pieces_.durable_records, promised);
  }

  void lose(LostPiece lost) {
    lost.behind = pieces_.records.size();
    pieces_.lost.push_back(std::move(lost));
  }

  std::string out_of_order(std::uint64_t sequence) const {
    return fmt::format("record {} where record {} should stand", sequence, pieces_.next_sequence);
  }

  /// Counts the records that are missing before the next one, which has this number.
  void count_missing(std::uint64_t sequence) {
    const std::uint64_t missing = sequence - pieces_.next_sequence;
    if (is_uncounted_)
      pieces_.lost.back().missing = missing;
    else if (missing > 0)
      lose({{pieces_.next_sequence, at_}, missing, 0, 0, {}, out_of_order(sequence)});
    is_uncounted_ = false;
    pieces_.next_sequence = sequence;
  }

  void pass_over(const Frame& frame) {
    const std::size_t end = end_of_lost(frame);
    if (frame.state == FrameState::torn && end == bytes_.size()) {
      pieces_.torn_tail = true;
      return;
    }
    if (pieces_.lost.empty()) note_whole(end);
    const bool is_known = frame.has_head && frame.state != FrameState::whole && frame.sequence >= pieces_.next_sequence;
    if (is_known) count_missing(frame.sequence);
    LostPiece lost{{pieces_.next_sequence, at_}, 0, end - at_, 0, {}, why_lost(frame)};
    if (is_known) {
      lost.missing = 1;
      lost.head = frame.record;
      ++pieces_.next_sequence;
    }
    if (is_known || !is_uncounted_)
      lose(std::move(lost));
    else
      pieces_.lost.back().bytes += lost.bytes;
    is_uncounted_ = !is_known;
    at_ = end;
    pieces_.valid_bytes = end;
    pieces_.lacks_newline = bytes_[end - 1] != '\n';
  }

  std::string why_lost(const Frame& frame) const {
    if (frame.state == FrameState::whole) return out_of_order(frame.sequence);
    return frame.state == FrameState::torn ? "a record that is cut short" : frame.why;
  }

  void note_whole(std::size_t end_of_loss) {
    before_ = {pieces_.records.size(), pieces_.next_sequence, pieces_.valid_bytes, pieces_.lacks_newline, end_of_loss};
  }

  /// Where the first loss is what a loss of power leaves of writes that were not synced: a sector that was not written
  /// reads as zero bytes if the file's size, or a sector behind it, was. Whatever follows had not been synced either.
  [[nodiscard]] bool is_lost_with_power() const {
    if (pieces_.lost.empty() || pieces_.lost.front().bytes == 0 || synced_ > before_.next_sequence) return false;
    const std::uint64_t begin = pieces_.lost.front().place.byte;
    // Until it is synced nothing is written behind the first record.
    const bool is_opened = before_.next_sequence > 0;
    if (!is_opened && bytes_.size() - begin > opening_frame().size()) return false;
    return holds_zero_sector(begin, before_.end_of_loss);
  }

  /// Whether zero bytes reach from the beginning, or that of a sector, to the end, or that of a sector or a write.
  [[nodiscard]] bool holds_zero_sector(std::uint64_t begin, std::uint64_t end) const {
    for (std::uint64_t from = bytes_.find('\0', begin); from < end;) {
      const std::uint64_t to = std::min<std::uint64_t>(bytes_.find_first_not_of('\0', from), end);
      const std::uint64_t first = from == begin ? from : (from + sector_bytes - 1) / sector_bytes * sector_bytes;
      const std::uint64_t last = to == end || begins_write(to) ? to : to / sector_bytes * sector_bytes;
      if (first < last) return true;
      from = bytes_.find('\0', to);
    }
    return false;
  }

  /// Where a record begins, if only in the sector that ends the journal.
  [[nodiscard]] bool begins_write(std::uint64_t at) const {
    const bool is_cut_at_sector = bytes_.size() % sector_bytes == 0 && bytes_.size() - at < sector_bytes;
    return is_cut_at_sector || begins_record(at, before_.next_sequence);
  }

  /// It is a torn tail.
  void end_before_loss() {
    pieces_.lost.clear();
    pieces_.records.erase(pieces_.records.begin() + static_cast<std::ptrdiff_t>(before_.records),
                          pieces_.records.end());
    pieces_.durable_records = std::min(pieces_.durable_records, before_.records);
    pieces_.next_sequence = before_.next_sequence;
    pieces_.valid_bytes = before_.valid_bytes;
    pieces_.lacks_newline = before_.lacks_newline;
    pieces_.torn_tail = true;
  }

  /// Where the next record begins, damaged or not, or the journal ends.
  std::size_t end_of_lost(const Frame& frame) {
    const std::uint64_t next =
        frame.has_head ? std::max(frame.sequence + 1, pieces_.next_sequence) : pieces_.next_sequence;
    vain_bytes_ += frame.bytes;
    if (vain_bytes_ / most_vain_reading > bytes_.size()) return bytes_.size();
    if (frame.bytes > 0 && (at_ + frame.bytes == bytes_.size() || begins_record(at_ + frame.bytes, next)))
      return at_ + frame.bytes;
    for (std::size_t newline = bytes_.find('\n', at_); newline < bytes_.size();
         newline = bytes_.find('\n', newline + 1))
      if (begins_record(newline + 1, next)) return newline + 1;
    return bytes_.size();
  }

  /// Whether the head of a record stands there whose number is not below `least`.
  [[nodiscard]] bool begins_record(std::size_t at, std::uint64_t least) const {
    const std::string_view rest = bytes_.substr(at);
    if (rest.empty()) return false;
    const Frame head = read_frame_head(rest);
    return head.has_head && head.sequence >= least;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  bool is_uncounted_ = false;  ///< how many records are missing in the last lost piece, the next one says
  std::uint64_t vain_bytes_ = 0;
  std::uint64_t synced_ = 0;  ///< every record before this number was
  struct {
    std::size_t records = 0;
    std::uint64_t next_sequence = 0;
    std::uint64_t valid_bytes = 0;
    bool lacks_newline = false;
    std::size_t end_of_loss = 0;
  } before_;  ///< whole records before the first loss, and its end
  Scan pieces_;
};

}  // namespace

Scan pieces_of(std::string_view bytes) { return Splitter(bytes).split(); }

}  // namespace regatta::results
