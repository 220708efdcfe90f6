// Where a rank stands, as whoever supervises it can see from its memory: also when it hangs, and after its death.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace regatta::exchange {

/// The bucket that a rank writes next, of the steps since it was prepared.
struct Standing {
  std::uint64_t step = 1;
  std::size_t bucket = 0;
  auto operator<=>(const Standing&) const = default;
};

class MemberWatch {
 public:
  /// By a Member's path. Throws InternalError for what is none.
  explicit MemberWatch(const std::string& path);

  [[nodiscard]] Standing standing() const;
  [[nodiscard]] std::size_t buckets() const { return buckets_; }

 private:
  std::size_t buckets_ = 0;
  std::shared_ptr<std::byte> memory_;
};

}  // namespace regatta::exchange
