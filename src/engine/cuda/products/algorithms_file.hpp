// Algorithms of cuBLASLt that were timed before, on this kind of device, by this version of the library.
#pragma once

#include <cublasLt.h>

#include <map>
#include <optional>
#include <string>

namespace regatta::engine::cuda {

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
