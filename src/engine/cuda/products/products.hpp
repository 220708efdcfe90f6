// Matrix products through cuBLASLt: an algorithm is chosen once for each product, before any capture.
#pragma once

#include <memory>

#include "engine/cuda/device/memory_source.hpp"
#include "engine/cuda/device/target.hpp"
#include "engine/cuda/products/product.hpp"
#include "engine/cuda/products/settings.hpp"

namespace regatta::engine::cuda {

/// The algorithms of a backend, with the library's handle. Not for two threads at once.
class Products {
 public:
  /// Algorithms are timed and tried on `target`, whose stream is then waited for.
  Products(ProductSettings settings, const Target& target, DeviceMemorySource memory);
  ~Products();
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;

  /// Chooses the product's algorithm, unless that is done, and runs it once where memory suffices: libraries load
  /// kernels then, which a capture does not allow. Throws DeviceError.
  void prepare(const Product& product);

  /// Whether that algorithm gives the same bits with the epilogue, as a trial shows. Chooses as prepare().
  bool has(const Product& product, Epilogue epilogue);

  /// Issues the product; `bias` has n floats and is read with an epilogue, which the product has(). May be captured
  /// if it was prepared. Throws DeviceError.
  void run(const Target& target, const Product& product, const void* a, const void* b, float* c,
           Epilogue epilogue = Epilogue::none, const float* bias = nullptr);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace regatta::engine::cuda
