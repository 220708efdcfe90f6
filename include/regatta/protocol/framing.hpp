// Frames of a byte stream: one line of JSON, then `bytes` raw bytes if the line says so. Between processes of one build
// also packed ones: a mark that no JSON begins with, how many bytes follow (4 bytes, little-endian), these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace regatta::protocol {

inline constexpr std::size_t max_frame_bytes = std::size_t{16} << 20;
inline constexpr std::size_t max_header_bytes = std::size_t{4} << 20;

inline constexpr char packed_mark = '\x01';
inline constexpr std::size_t packed_head_bytes = 5;  ///< mark and size

struct Frame {
  std::string header;   ///< a JSON object without its newline; or the whole of a packed frame
  std::string payload;  ///< as long as the header's "bytes" says
};

inline bool is_packed(const Frame& frame) { return !frame.header.empty() && frame.header.front() == packed_mark; }

/// The frame as it goes over a stream or into one MPI message; "bytes" is added to the header.
/// Throws InternalError if the frame is over the limits: the sender cuts its payload into pieces.
std::string encode(Frame frame);

/// The one frame that these bytes are. Throws PeerLost for anything else.
Frame decode(std::string bytes);

/// Collects bytes of a stream and hands out whole frames.
class FrameReader {
 public:
  /// Throws PeerLost if more than two largest frames wait unread.
  void feed(std::string_view bytes);
  /// The next whole frame, if it has arrived. Throws PeerLost for anything that is not a frame or is too large.
  std::optional<Frame> next();
  [[nodiscard]] bool empty() const { return buffer_.size() == at_; }

 private:
  bool find_header();
  bool find_packed_head();
  Frame take_frame();

  std::string buffer_;
  std::size_t at_ = 0;                       // start of the frame that is being read
  std::size_t scanned_ = 0;                  // bytes from there that hold no newline
  std::optional<std::size_t> header_bytes_;  // once its newline, or a packed one's size, has arrived
  std::size_t between_bytes_ = 0;            // the newline
  std::size_t payload_bytes_ = 0;
};

}  // namespace regatta::protocol
