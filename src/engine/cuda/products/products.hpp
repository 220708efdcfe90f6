// Matrix products through cuBLASLt, and the operations that are made of them: dense layers, convolutions, recurrent
// layers.
#pragma once

#include <cublasLt.h>

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/cuda/device/memory_source.hpp"
#include "engine/cuda/device/target.hpp"
#include "engine/cuda/products/product.hpp"

namespace regatta::engine::cuda {

// How products are computed, as the backend is told it.

struct ProductSettings {
  bool deterministic = true;
  double choosing_seconds = 0;  ///< for all products together, and only with a file: a choice changes bits, so it is
                                ///< shared by all sessions. 0: the first algorithm that the library's heuristics name
  std::string choices_file;     ///< keeps what was chosen; empty: nothing is kept
  std::string device;           ///< that choices hold for: name and compute capability
};

/// The algorithms of a backend, with the library's handle. Not for two threads at once.
class Products {
 public:
  /// What is timed or tried runs on `target`, whose stream is then waited for.
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

// algorithms_file.cpp: Algorithms of cuBLASLt that were timed before, on this kind of device, by this version of the
// library.

class AlgorithmsFile {
 public:
  /// Reads the file if there is one; an empty path keeps nothing. `holds_for`: device and version.
  AlgorithmsFile(std::string path, std::string holds_for);

  [[nodiscard]] std::optional<cublasLtMatmulAlgo_t> find(const std::string& product) const;

  /// Keeps the algorithm, unless another process kept one for the product in the meantime; returns the one that is
  /// kept. `unfit`: one that is kept and cannot compute the product. A file that cannot be written is done without.
  cublasLtMatmulAlgo_t keep(const std::string& product, const cublasLtMatmulAlgo_t& algorithm,
                            const std::optional<cublasLtMatmulAlgo_t>& unfit = std::nullopt);

 private:
  std::string path_, holds_for_;
  std::map<std::string, std::string> known_;  ///< "device, version: product", and the algorithm's words in hex
};

}  // namespace regatta::engine::cuda
