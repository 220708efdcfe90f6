// Where a rank stands, as whoever supervises it can see from its memory: also when it hangs, and after its death.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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
  /// The bucket of the largest step that its words tell, and that step: of one that was written over, far off.
  [[nodiscard]] Standing furthest() const;
  [[nodiscard]] std::size_t buckets() const { return buckets_; }

 private:
  std::size_t buckets_ = 0;
  std::shared_ptr<std::byte> memory_;
};

/// The rank whose words say that it is two steps or more ahead of another one, which none can be: they were written
/// over.
std::optional<std::size_t> written_over(const std::vector<MemberWatch>& ranks);

/// The error message for a rank whose words were written over, the same whoever finds it.
std::string written_over_text(std::size_t rank, Standing told, std::uint64_t step_of_others);

}  // namespace regatta::exchange
