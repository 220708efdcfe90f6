// The operations that products compute: matrix products, convolutions, recurrent layers.
#pragma once

#include "engine/cuda/convolutions/convolutions.hpp"
#include "engine/cuda/kernels/parts.hpp"
#include "engine/cuda/products/products.hpp"

namespace regatta::engine::cuda {

/// The tools that compute product operations.
struct ProductTools {
  Products& products;
  Convolutions& convolutions;
  Precision precision;
};

/// How one operation is computed.
struct ProductOperation {
  /// Chooses algorithms, and tells the bytes of scratch memory that issue() finds in operand kScratch. Throws
  /// InputError for what products do not compute, DeviceError.
  std::int64_t (*prepare)(const ProductTools& tools, const void* spec) = nullptr;
  /// Issues it. May be captured if it was prepared. Throws DeviceError.
  void (*issue)(const ProductTools& tools, const Target& target, const void* spec, const Memory& memory) = nullptr;
};

/// By the operation's place in OpSpec; null where own kernels compute it.
using ProductTable = std::array<ProductOperation, kOpKinds>;

/// Enters Family::prepare(tools, op) and Family::issue(tools, target, op, memory) for each of these operations.
template <class Family, class... Specs>
void enter_family(ProductTable& table) {
  ((table[kOpIndex<Specs>] = {
        [](const ProductTools& tools, const void* spec) {
          return Family::prepare(tools, *static_cast<const Specs*>(spec));
        },
        [](const ProductTools& tools, const Target& target, const void* spec, const Memory& memory) {
          Family::issue(tools, target, *static_cast<const Specs*>(spec), memory);
        }}),
   ...);
}

// One for each file.
void enter_matmul(ProductTable& table);
void enter_convolutions(ProductTable& table);
void enter_lstm(ProductTable& table);

inline const float* in(const Memory& memory, std::size_t operand) { return static_cast<const float*>(memory[operand]); }
inline float* out(const Memory& memory, std::size_t operand) { return static_cast<float*>(memory[operand]); }

/// Pieces of scratch memory, one behind the other; begun at null it counts what they take.
class Pieces {
 public:
  explicit Pieces(void* begin) : begin_(static_cast<char*>(begin)) {}

  template <class Element>
  Element* take(std::int64_t count) {
    const std::int64_t at = bytes_;
    bytes_ += (count * static_cast<std::int64_t>(sizeof(Element)) + kAlignment - 1) / kAlignment * kAlignment;
    return begin_ == nullptr ? nullptr : reinterpret_cast<Element*>(begin_ + at);
  }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

 private:
  char* begin_;
  std::int64_t bytes_ = 0;
};

/// bf16 as memory holds it.
using Bf16 = std::uint16_t;

}  // namespace regatta::engine::cuda
