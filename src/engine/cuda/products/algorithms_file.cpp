#include "engine/cuda/products/algorithms_file.hpp"

#include <array>
#include <cstdio>

#include "regatta/base/cache_file.hpp"

namespace regatta::engine::cuda {

namespace {

constexpr std::size_t kWords = sizeof(cublasLtMatmulAlgo_t::data) / sizeof(std::uint64_t);
constexpr std::size_t kHexDigits = 16;  // in a word

std::string hex_of(const cublasLtMatmulAlgo_t& algorithm) {
  std::string text;
  for (const std::uint64_t word : algorithm.data) {
    std::array<char, kHexDigits + 1> digits{};
    std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(word));
    text += digits.data();
  }
  return text;
}

std::optional<cublasLtMatmulAlgo_t> algorithm_of(const std::string& hex) {
  const bool is_hex = hex.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (hex.size() != kWords * kHexDigits || !is_hex) return std::nullopt;
  cublasLtMatmulAlgo_t algorithm{};
  for (std::size_t i = 0; i < kWords; ++i)
    algorithm.data[i] = std::stoull(hex.substr(i * kHexDigits, kHexDigits), nullptr, kHexDigits);
  return algorithm;
}

/// Lines of "hex key"; what is no such line is skipped: the file is a cache.
std::map<std::string, std::string> read(const std::string& path) {
  std::map<std::string, std::string> known;
  for (const std::string& line : cached_lines(path)) {
    const std::size_t space = line.find(' ');
    if (space == std::string::npos || !algorithm_of(line.substr(0, space))) continue;
    known[line.substr(space + 1)] = line.substr(0, space);
  }
  return known;
}

}  // namespace

AlgorithmsFile::AlgorithmsFile(std::string path, std::string holds_for)
    : path_(std::move(path)), holds_for_(std::move(holds_for)), known_(read(path_)) {}

std::optional<cublasLtMatmulAlgo_t> AlgorithmsFile::find(const std::string& product) const {
  const auto found = known_.find(holds_for_ + ": " + product);
  return found == known_.end() ? std::nullopt : algorithm_of(found->second);
}

cublasLtMatmulAlgo_t AlgorithmsFile::keep(const std::string& product, const cublasLtMatmulAlgo_t& algorithm,
                                          const std::optional<cublasLtMatmulAlgo_t>& unfit) {
  if (path_.empty()) return algorithm;
  std::map<std::string, std::string> all = read(path_);
  const std::string key = holds_for_ + ": " + product;
  std::string& kept = all.emplace(key, hex_of(algorithm)).first->second;
  if (unfit && kept == hex_of(*unfit)) kept = hex_of(algorithm);
  known_.insert_or_assign(key, kept);
  std::string text;
  for (const auto& [name, hex] : all) text += hex + ' ' + name + '\n';
  write_cache(path_, text);
  return *algorithm_of(kept);
}

}  // namespace regatta::engine::cuda
