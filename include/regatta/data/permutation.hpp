// The order of an epoch without a list of it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace regatta::data {

inline constexpr std::int64_t most_samples = std::int64_t{1} << 32;  ///< a dataset has fewer

/// The keys that define a permutation.
struct FeistelKeys {
  std::uint32_t left_places = 1;          ///< a
  std::uint32_t right_places = 1;         ///< b
  std::array<std::uint32_t, 4> rounds{};  ///< as many as make strong ciphers of good functions (Luby, Rackoff 1988)
};

/// A permutation of 0 .. size - 1 in constant memory, a pure function of (size, key): a Feistel cipher over a x b >=
/// size places whose rounds add in turn below a and below b; who lands beyond `size` walks on (J. Black and P. Rogaway,
/// Ciphers with Arbitrary Finite Domains, CT-RSA 2002).
class Permutation {
 public:
  /// 1 <= size < most_samples; throws InternalError otherwise.
  Permutation(std::int64_t size, std::uint64_t key);

  [[nodiscard]] std::int64_t size() const { return size_; }

  /// Where `first`, first + 1, ... go; all of them are below size().
  void images(std::int64_t first, std::span<std::uint32_t> images) const;

 private:
  std::int64_t size_;
  FeistelKeys keys_;
};

}  // namespace regatta::data
