#include "support/cuda/cublaslt/sums.hpp"

#include <cuda_bf16.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace regatta::cuda_fakes::lt {
namespace {

constexpr std::int64_t kTile = 32;        // columns of a result whose sums stay in registers
constexpr std::int64_t kBlockTerms = 16;  // SumOrder::blocks; half of it: SumOrder::short_blocks
constexpr std::int64_t kLongTerms = 512;  // the other orders, so that long sums lose no more than a device's do
constexpr std::int64_t kParts = 4;        // SumOrder::split

/// Terms from `begin`, `count` of them, forwards or backwards: summed from zero, then added to the total.
struct Segment {
  std::int64_t begin, count, step;
};

std::vector<Segment> segments(SumOrder order, std::int64_t k) {
  std::vector<Segment> all;
  const auto add_blocks = [&](std::int64_t begin, std::int64_t end, std::int64_t terms) {
    for (; begin < end; begin += terms) all.push_back({begin, std::min(terms, end - begin), 1});
  };
  switch (order) {
    case SumOrder::ascending:
      add_blocks(0, k, kLongTerms);
      break;
    case SumOrder::descending:
      for (std::int64_t last = k - 1; last >= 0; last -= kLongTerms) {
        all.push_back({last, std::min(kLongTerms, last + 1), -1});
      }
      break;
    case SumOrder::split:
      for (std::int64_t part = 0; part < kParts; ++part)
        add_blocks(part * k / kParts, (part + 1) * k / kParts, kLongTerms);
      break;
    case SumOrder::blocks:
      add_blocks(0, k, kBlockTerms);
      break;
    case SumOrder::short_blocks:
      add_blocks(0, k, kBlockTerms / 2);
      break;
  }
  return all;
}

/// Ten bits of mantissa, to nearest with ties away, as the tensor cores' input conversion cvt.rna does.
float round_to_tf32(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7f800000U) == 0x7f800000U) return value;
  bits = (bits + 0x1000U) & 0xffffe000U;
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}

/// Rows of op(matrix), dense, as the product reads them.
std::vector<float> packed(const Layout& layout, const void* memory, std::int64_t batch, bool transpose, bool is_tf32) {
  const auto rows = static_cast<std::int64_t>(transpose ? layout.columns : layout.rows);
  const auto columns = static_cast<std::int64_t>(transpose ? layout.rows : layout.columns);
  std::vector<float> dense(static_cast<std::size_t>(rows * columns));
  const std::int64_t start = batch * layout.batch_stride;
  const std::int64_t row_step = transpose ? layout.place(0, 1) : layout.place(1, 0);
  const std::int64_t column_step = transpose ? layout.place(1, 0) : layout.place(0, 1);
  float* to = dense.data();
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      const std::int64_t at = start + r * row_step + c * column_step;
      const float value = layout.type == CUDA_R_16BF ? __bfloat162float(static_cast<const __nv_bfloat16*>(memory)[at])
                                                     : static_cast<const float*>(memory)[at];
      *to++ = is_tf32 ? round_to_tf32(value) : value;
    }
  }
  return dense;
}

/// totals[width] += the segment's sum of a[p] * b[p * row], p by p.
__attribute__((always_inline)) inline void add_segment(const Segment& segment, const float* a, const float* b,
                                                       std::int64_t row, float* totals, std::int64_t width) {
  float sums[kTile] = {};
  std::int64_t p = segment.begin;
  if (width == kTile) {
    for (std::int64_t left = segment.count; left > 0; --left, p += segment.step) {
      const float factor = a[p];
      const float* const from = b + p * row;
      for (std::int64_t j = 0; j < kTile; ++j) sums[j] += factor * from[j];
    }
  } else {
    for (std::int64_t left = segment.count; left > 0; --left, p += segment.step) {
      const float factor = a[p];
      const float* const from = b + p * row;
      for (std::int64_t j = 0; j < width; ++j) sums[j] += factor * from[j];
    }
  }
  for (std::int64_t j = 0; j < width; ++j) totals[j] += sums[j];
}

struct Dense {
  const float* a;  ///< (m, k)
  const float* b;  ///< (k, n)
  float* sums;     ///< (m, n), zeros
  std::int64_t m, n, k;
};

__attribute__((always_inline)) inline void multiply_rows(const Dense& d, const std::vector<Segment>& all) {
  for (std::int64_t j = 0; j < d.n; j += kTile) {
    const std::int64_t width = std::min(kTile, d.n - j);
    for (std::int64_t i = 0; i < d.m; ++i) {
      for (const Segment& segment : all) {
        add_segment(segment, d.a + i * d.k, d.b + j, d.n, d.sums + i * d.n + j, width);
      }
    }
  }
}

__attribute__((target("avx2"))) void multiply_with_avx2(const Dense& dense, const std::vector<Segment>& all) {
  multiply_rows(dense, all);
}

void multiply(const Dense& dense, const std::vector<Segment>& all) {
  __builtin_cpu_supports("avx2") ? multiply_with_avx2(dense, all) : multiply_rows(dense, all);
}

/// Whether a sum begins with the bias instead of ending with it: other bits.
bool begins_with_bias(const Problem& p, SumOrder order) {
  return order == SumOrder::blocks && adds_bias(p.product.epilogue);
}

/// Relu as a maximum with zero loses what is no number; as a comparison it keeps it.
float relu(float value, SumOrder order) {
  if (order == SumOrder::descending) return std::fmax(value, 0.0F);
  return value < 0 ? 0.0F : value;
}

struct Finish {
  const Problem& p;
  SumOrder order;
  std::int64_t batch;
  const Operands& on;

  [[nodiscard]] float bias(std::int64_t row) const {
    return static_cast<const float*>(p.product.bias)[batch * p.product.bias_stride + row];
  }

  /// The byte and the mask of an element's bit.
  [[nodiscard]] std::pair<unsigned char*, unsigned char> bit(std::int64_t row, std::int64_t column) const {
    const std::int64_t at = batch * p.product.bits_stride + column * p.product.bits_leading + row;
    return {static_cast<unsigned char*>(p.product.bits) + at / 8, static_cast<unsigned char>(1U << (at % 8))};
  }

  float operator()(float sum, std::int64_t row, std::int64_t column) const {
    const cublasLtEpilogue_t epilogue = p.product.epilogue;
    float value = on.alpha == 1 ? sum : on.alpha * sum;
    if (on.beta != 0) {
      const auto* const c = static_cast<const float*>(on.c) + batch * p.c.batch_stride;
      value += on.beta == 1 ? c[p.c.place(row, column)] : on.beta * c[p.c.place(row, column)];
    }
    if (adds_bias(epilogue) && !begins_with_bias(p, order)) value += bias(row);
    if (writes_bits(epilogue)) {
      const auto [byte, mask] = bit(row, column);
      *byte = static_cast<unsigned char>(value > 0 ? *byte | mask : *byte & ~mask);
    }
    if (is_relu(epilogue)) value = relu(value, order);
    if (reads_bits(epilogue)) {
      const auto [byte, mask] = bit(row, column);
      if (!(*byte & mask)) value = 0;
    }
    return value;
  }
};

/// Sums of D over its columns, or of an operand over k.
void sum_gradient(const Problem& p, std::int64_t batch, const Operands& on, const std::vector<float>& a,
                  const std::vector<float>& b) {
  auto* const gradient = static_cast<float*>(p.product.bias) + batch * p.product.bias_stride;
  const std::int64_t m = p.m();
  const std::int64_t n = p.n();
  const std::int64_t k = p.k();
  if (p.product.epilogue == CUBLASLT_EPILOGUE_BGRADB) {
    std::fill_n(gradient, n, 0.0F);
    for (std::int64_t i = 0; i < k * n; ++i) gradient[i % n] += b[static_cast<std::size_t>(i)];
    return;
  }
  const auto* const d = static_cast<const float*>(on.d) + batch * p.d.batch_stride;
  for (std::int64_t row = 0; row < m; ++row) {
    float sum = 0;
    if (p.product.epilogue == CUBLASLT_EPILOGUE_BGRADA) {
      for (std::int64_t i = 0; i < k; ++i) sum += a[static_cast<std::size_t>(row * k + i)];
    } else {
      for (std::int64_t column = 0; column < n; ++column) sum += d[p.d.place(row, column)];
    }
    gradient[row] = sum;
  }
}

}  // namespace

void compute(const Problem& p, SumOrder order, const Operands& on) {
  const bool is_tf32 = p.product.compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  const auto all = segments(order, p.k());
  for (std::int64_t batch = 0; batch < p.d.batches; ++batch) {
    const auto a = packed(p.a, on.a, batch, p.product.transpose_a != CUBLAS_OP_N, is_tf32);
    const auto b = packed(p.b, on.b, batch, p.product.transpose_b != CUBLAS_OP_N, is_tf32);
    std::vector<float> sums(static_cast<std::size_t>(p.m() * p.n()));
    const Finish finish{p, order, batch, on};
    if (begins_with_bias(p, order)) {
      for (std::int64_t row = 0; row < p.m(); ++row) std::fill_n(sums.data() + row * p.n(), p.n(), finish.bias(row));
    }
    multiply({a.data(), b.data(), sums.data(), p.m(), p.n(), p.k()}, all);
    auto* const d = static_cast<float*>(on.d) + batch * p.d.batch_stride;
    for (std::int64_t column = 0; column < p.n(); ++column) {
      for (std::int64_t row = 0; row < p.m(); ++row) {
        d[p.d.place(row, column)] = finish(sums[static_cast<std::size_t>(row * p.n() + column)], row, column);
      }
    }
    if (sums_gradient(p.product.epilogue)) sum_gradient(p, batch, on, a, b);
  }
}

}  // namespace regatta::cuda_fakes::lt
