// Frames of a byte stream: one line of JSON, then `bytes` raw bytes if the line says so.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace regatta::protocol {

inline constexpr std::size_t max_frame_bytes = std::size_t{16} << 20;
inline constexpr std::size_t max_header_bytes = std::size_t{4} << 20;

struct Frame {
  std::string header;   ///< a JSON object without its newline
  std::string payload;  ///< as long as the header's "bytes" says
};

/// The frame as it goes over a stream or into one MPI message; "bytes" is added to the header.
std::string encode(const Frame& frame);

/// Collects bytes of a stream and hands out whole frames.
class FrameReader {
 public:
  void feed(std::string_view bytes);
  /// The next whole frame, if it has arrived. Throws PeerLost for anything that is not a frame or is too large.
  std::optional<Frame> next();
  [[nodiscard]] bool empty() const { return buffer_.size() == at_; }

 private:
  std::string buffer_;
  std::size_t at_ = 0;
};

}  // namespace regatta::protocol
