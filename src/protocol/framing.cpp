#include "regatta/protocol/framing.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "protocol/json.hpp"
#include "regatta/base/error.hpp"

namespace regatta::protocol {
namespace {

constexpr std::size_t max_pending_bytes = 2 * max_frame_bytes;
constexpr std::size_t kept_capacity_bytes = std::size_t{1} << 20;

std::size_t payload_bytes_of(std::string_view header) {
  if (header.size() < 2 || header.front() != '{' || header.back() != '}') {
    throw PeerLost(fmt::format("a line on the link is not a JSON object: '{}'", excerpt(header)));
  }
  if (header.find("\"bytes\"") == std::string_view::npos) return 0;  // the usual case costs no parse
  const Document document(header);
  const auto bytes = document.root().find("bytes");
  if (!bytes) return 0;  // only some inner object has a key of that name
  const auto size = bytes->unsigned_number();
  if (!size || *size > max_frame_bytes - header.size() - 1) {
    throw PeerLost(fmt::format("a header's 'bytes' is {}, expected an integer that keeps the frame within {} bytes",
                               excerpt(bytes->text()), max_frame_bytes));
  }
  return *size;
}

/// How long a whole frame is that begins here, its head included.
std::size_t packed_bytes_of(std::string_view head) {
  std::uint32_t size = 0;
  std::memcpy(&size, head.data() + 1, sizeof size);
  if (size > max_frame_bytes - packed_head_bytes)
    throw PeerLost(fmt::format("a packed frame of {} bytes, expected at most {}", size, max_frame_bytes));
  return packed_head_bytes + size;
}

}  // namespace

std::string encode(Frame frame) {
  if (is_packed(frame)) return std::move(frame.header);
  expect(frame.header.size() > 2 && frame.header.back() == '}', "a frame's header is a JSON object with a type");
  expect(frame.header.find('\n') == std::string::npos, "a frame's header is one line");
  std::string bytes = std::move(frame.header);
  if (!frame.payload.empty()) {
    bytes.back() = ',';
    bytes += fmt::format("\"bytes\":{}}}", frame.payload.size());
  }
  expect(bytes.size() <= max_header_bytes, "a frame's header is at most 4 MiB");
  bytes += '\n';
  bytes += frame.payload;
  expect(bytes.size() <= max_frame_bytes, "a frame is at most 16 MiB");
  return bytes;
}

Frame decode(std::string bytes) {
  FrameReader reader;
  if (!bytes.empty() && bytes.front() == packed_mark) {
    const bool is_whole = bytes.size() >= packed_head_bytes && bytes.size() == packed_bytes_of(bytes);
    if (is_whole) return {std::move(bytes), {}};
  }
  reader.feed(bytes);
  auto frame = reader.next();
  if (!frame || !reader.empty()) throw PeerLost("a message is not one whole frame");
  return *std::move(frame);
}

void FrameReader::feed(std::string_view bytes) {
  if (buffer_.size() - at_ + bytes.size() > max_pending_bytes) {
    throw PeerLost(fmt::format("more than {} bytes arrived that nobody read", max_pending_bytes));
  }
  if (at_ > 0 && at_ >= buffer_.size() / 2) {
    buffer_.erase(0, at_);
    at_ = 0;
  }
  buffer_ += bytes;
}

std::optional<Frame> FrameReader::next() {
  if (!header_bytes_ && !find_header()) return std::nullopt;
  if (buffer_.size() - at_ < *header_bytes_ + between_bytes_ + payload_bytes_) return std::nullopt;
  return take_frame();
}

Frame FrameReader::take_frame() {
  Frame frame{buffer_.substr(at_, *header_bytes_), {}};
  if (payload_bytes_ > 0) frame.payload = buffer_.substr(at_ + *header_bytes_ + between_bytes_, payload_bytes_);
  at_ += *header_bytes_ + between_bytes_ + payload_bytes_;
  header_bytes_.reset();
  scanned_ = payload_bytes_ = between_bytes_ = 0;
  if (empty()) {
    at_ = 0;
    buffer_.clear();
    if (buffer_.capacity() > kept_capacity_bytes) std::string().swap(buffer_);
  }
  return frame;
}

// Looks only at bytes that it has not seen, so that a peer that sends byte by byte costs no more.
bool FrameReader::find_header() {
  if (!empty() && buffer_[at_] == packed_mark) return find_packed_head();
  const std::size_t newline = buffer_.find('\n', at_ + scanned_);
  const std::size_t length = (newline == std::string::npos ? buffer_.size() : newline) - at_;
  if (length > max_header_bytes) throw PeerLost(fmt::format("a header is longer than {} bytes", max_header_bytes));
  scanned_ = length;
  if (newline == std::string::npos) return false;
  payload_bytes_ = payload_bytes_of(std::string_view(buffer_).substr(at_, length));
  between_bytes_ = 1;
  header_bytes_ = length;
  return true;
}

bool FrameReader::find_packed_head() {
  if (buffer_.size() - at_ < packed_head_bytes) return false;
  header_bytes_ = packed_bytes_of(std::string_view(buffer_).substr(at_));
  return true;
}

}  // namespace regatta::protocol
