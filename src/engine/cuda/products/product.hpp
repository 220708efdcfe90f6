// One matrix product as cuBLASLt is asked for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "regatta/engine/operands.hpp"
#include "regatta/engine/settings.hpp"

namespace regatta::engine::cuda {

/// c(m, n) = a(m, k) b(k, n), row-major; a transposed operand is stored (k, m) or (n, k). With bf16 a and b hold bf16,
/// else floats; c holds floats.
struct Product {
  std::int64_t m, n, k;
  bool transpose_a, transpose_b;
  std::int64_t row_a, row_b, row_c;  ///< elements from a stored row to the next
  Precision precision;
  bool add_to_c = false;
  std::int64_t alignment = kAlignment;  ///< bytes, of each operand

  bool operator==(const Product&) const = default;
};

/// A product whose operands are dense.
inline Product dense_product(std::int64_t m, std::int64_t n, std::int64_t k, bool transpose_a, bool transpose_b,
                             Precision precision) {
  return {m, n, k, transpose_a, transpose_b, transpose_a ? m : k, transpose_b ? k : n, n, precision};
}

/// The work that the product itself does on c before it writes it.
enum class Epilogue { none, bias, bias_relu };

struct HashProduct {
  std::size_t operator()(const Product& product) const {
    std::size_t hash = 0;
    const auto mix = [&](std::int64_t value) {
      hash ^= std::hash<std::int64_t>()(value) + 0x9e3779b97f4a7c15U + (hash << 6U) + (hash >> 2U);
    };
    for (const std::int64_t size : {product.m, product.n, product.k, product.row_a, product.row_b, product.row_c})
      mix(size);
    mix((product.transpose_a ? 1 : 0) + (product.transpose_b ? 2 : 0) + (product.add_to_c ? 4 : 0));
    mix(product.alignment);
    return hash;
  }
};

/// The largest power of two up to kAlignment that divides all these numbers of bytes.
inline std::int64_t common_alignment(std::initializer_list<std::int64_t> distances) {
  std::int64_t alignment = kAlignment;
  for (const std::int64_t bytes : distances) {
    while (bytes % alignment != 0) alignment /= 2;
  }
  return alignment;
}

/// "product 32 x 128 x 1200 tn, rows 32 128 128, tf32, added, aligned to 16": one text for each product.
std::string text_of(const Product& product);

}  // namespace regatta::engine::cuda
