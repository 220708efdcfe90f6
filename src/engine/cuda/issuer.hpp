// From an operation to what is issued for it: by own kernels, or with products.
#pragma once

#include <span>

#include "engine/cuda/kernels/issue.hpp"
#include "engine/cuda/products/operations.hpp"
#include "regatta/engine/backend.hpp"

namespace regatta::engine::cuda {

/// Calls point to it: it stays where it is.
class Issuer {
 public:
  Issuer(const Target& target, const ProductTools& tools);

  /// Scratch memory that the operation wants; its algorithms are chosen then. Throws InputError, DeviceError.
  [[nodiscard]] std::int64_t scratch_bytes(const OpSpec& spec) const;

  [[nodiscard]] BoundCalls bind(const OpSpec& spec, const Memory& memory) const;

  /// The operation that bind() bound, by its name: "matmul".
  [[nodiscard]] static const char* name_of(const Call& call);

  /// Issues what bind() bound. Throws DeviceError.
  void issue(const Call& call) const;

  /// Issues them one after the other, some pairs as one kernel, and the step's state where it is read first: the same
  /// bits.
  void issue(std::span<const Call> calls) const;

  [[nodiscard]] const Target& target() const { return target_; }

 private:
  [[nodiscard]] bool issue_both(const Call& first, const Call& second) const;

  Target target_;
  ProductTools tools_;
  IssueTable kernels_{};
  ProductTable products_{};
};

}  // namespace regatta::engine::cuda
