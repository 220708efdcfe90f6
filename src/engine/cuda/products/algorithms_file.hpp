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

  /// Writes it, with what others wrote in the meantime: theirs counts. A file that cannot be written is done without.
  void add(const std::string& product, const cublasLtMatmulAlgo_t& algorithm);

 private:
  std::string path_, holds_for_;
  std::map<std::string, std::string> known_;  ///< "device, version: product", and the algorithm's words in hex
};

}  // namespace regatta::engine::cuda
