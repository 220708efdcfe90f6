#include <cstring>

#include "gpu/contract/products.hpp"

namespace regatta::gpu_contract {
namespace {

using engine::Precision;
using engine::cuda::dense_product;
using engine::cuda::Product;

constexpr std::int64_t kM = 48, kN = 64, kK = 96;

Product small(Precision precision = Precision::fp32) { return dense_product(kM, kN, kK, false, false, precision); }

/// All algorithms give the product within the tolerance; the largest distance is told.
std::string right(Precision precision, double tolerance, Details& details) {
  Bench bench(small(precision));
  const auto wanted = bench.expected();
  const auto algorithms = bench.algorithms();
  double worst = 0;
  for (const auto& one : algorithms) worst = std::max(worst, distance(bench.result(one.algo), wanted));
  details["algorithms"] = std::to_string(algorithms.size());
  details["largest distance"] = std::to_string(worst);
  return text(!algorithms.empty() && worst < tolerance);
}

std::string tf32_is_less_exact(Details& details) {
  Bench bench(small(Precision::tf32));
  const auto algorithms = bench.algorithms();
  if (algorithms.empty()) return "no algorithm";
  const double one = distance(bench.result(algorithms[0].algo), bench.expected());
  details["distance"] = std::to_string(one);
  return text(one > 1e-5 && one < 1e-2);
}

std::string repeats(bool deterministic, Details& details) {
  Bench bench(dense_product(128, 128, 4096, false, false, Precision::fp32));
  const auto algorithms = bench.algorithms(deterministic);
  details["algorithms"] = std::to_string(algorithms.size());
  std::size_t same = 0;
  for (const auto& one : algorithms) {
    const auto first = bench.result(one.algo);
    bool is_same = !first.empty();
    for (int i = 0; i < 5; ++i) is_same = is_same && bench.result(one.algo) == first;
    same += is_same ? 1 : 0;
  }
  return text(same == algorithms.size() && same > 0);
}

std::string attribute_of_wrong_size(Details& /*details*/) {
  Bench bench(small());
  const std::int64_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  return text(cublasLtMatmulDescSetAttribute(bench.described().product.get(), CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue,
                                             sizeof epilogue));
}

/// The heuristics with another layout of the first operand.
std::string with_first(std::uint64_t rows, std::uint64_t columns, std::int64_t leading, cudaDataType type) {
  Bench bench(small());
  cublasLtMatrixLayout_t layout = nullptr;
  cublasLtMatrixLayoutCreate(&layout, type, rows, columns, leading);
  bench.described().first.reset(layout);
  const auto found = bench.algorithms();
  return text(bench.status()) + (found.empty() ? ", none" : ", some");
}

std::string of_another_problem(Details& /*details*/) {
  Bench one(small());
  Bench other(dense_product(kM, kN, kK, true, true, Precision::fp32));
  const auto algorithms = one.algorithms();
  if (algorithms.empty()) return "no algorithm";
  return text(other.check(algorithms[0].algo) == CUBLAS_STATUS_SUCCESS);
}

std::string copied(Details& /*details*/) {
  Bench bench(small());
  const auto algorithms = bench.algorithms();
  if (algorithms.empty()) return "no algorithm";
  unsigned char bytes[sizeof(cublasLtMatmulAlgo_t)];
  std::memcpy(bytes, &algorithms[0].algo, sizeof bytes);
  cublasLtMatmulAlgo_t again{};
  std::memcpy(&again, bytes, sizeof bytes);
  return text(bench.check(again)) + ' ' + text(bench.result(again) == bench.result(algorithms[0].algo));
}

std::string with_less_workspace(Details& details) {
  Bench bench(dense_product(32, 32, 8192, false, false, Precision::fp32));
  for (const auto& one : bench.algorithms()) {
    if (one.workspaceSize == 0) continue;
    details["workspace bytes"] = std::to_string(one.workspaceSize);
    return text(bench.run(&one.algo, one.workspaceSize - 1) == CUBLAS_STATUS_SUCCESS);
  }
  details["workspace bytes"] = "none wanted";
  return "no";
}

std::string no_more_workspace_than_allowed(Details& /*details*/) {
  Bench bench(dense_product(32, 32, 8192, false, false, Precision::fp32));
  const auto algorithms = bench.algorithms(true, 0);
  bool is_kept = !algorithms.empty();
  for (const auto& one : algorithms) is_kept = is_kept && one.workspaceSize == 0;
  return text(is_kept);
}

std::string strided(Details& /*details*/) {
  Product product = small();
  product.row_c = kN + 16;
  Bench bench(product);
  const auto algorithms = bench.algorithms();
  return text(bench.status()) + (algorithms.empty() ? ", none" : ", some");
}

std::string added(Details& details) {
  Product product = small();
  product.add_to_c = true;
  Bench bench(product);
  const auto algorithms = bench.algorithms();
  if (algorithms.empty()) return "no algorithm";
  bench.result(algorithms[0].algo);  // c was zero
  auto wanted = bench.expected();
  for (double& value : wanted) value *= 2;
  const double off = distance(bench.result(algorithms[0].algo), wanted);
  details["distance"] = std::to_string(off);
  return text(off < 1e-5);
}

std::string nodes_of_a_product(Details& details) {
  Bench bench(small());
  const auto algorithms = bench.algorithms();
  if (algorithms.empty()) return "no algorithm";
  bench.result(algorithms[0].algo);  // kernels are loaded at the first call
  details["algorithm wants workspace"] = std::to_string(algorithms[0].workspaceSize);
  std::size_t nodes = 0;
  const cudaError_t error = bench.captured_nodes(algorithms[0].algo, nodes);
  details["nodes"] = std::to_string(nodes);
  return text(error) + ' ' + text(nodes >= 1 && nodes <= 2);
}

}  // namespace

std::vector<Case> product_cases() {
  return {
      {"product: the library is the one of the headers", "yes",
       [](Details& details) {
         details["version"] = std::to_string(cublasLtGetVersion());
         return text(cublasLtGetVersion() / 10000 == CUBLAS_VER_MAJOR);
       }},
      {"product: fp32", "yes", [](Details& details) { return right(Precision::fp32, 1e-6, details); }},
      {"product: tf32", "yes", [](Details& details) { return right(Precision::tf32, 1e-2, details); }},
      {"product: tf32 is not fp32", "yes", tf32_is_less_exact},
      {"product: repeats its bits", "yes", [](Details& details) { return repeats(true, details); }},
      {"product: repeats its bits whatever the reduction", "yes",
       [](Details& details) { return repeats(false, details); }, Agreement::fake_may_refuse},
      {"product: an attribute of a wrong size", "CUBLAS_STATUS_INVALID_VALUE", attribute_of_wrong_size},
      {"product: inner sizes that differ", "CUBLAS_STATUS_INVALID_VALUE, none",
       [](Details&) { return with_first(kN, kK + 1, kN, CUDA_R_32F); }},
      {"product: a leading dimension below the rows", "CUBLAS_STATUS_INVALID_VALUE, none",
       [](Details&) { return with_first(kN, kK, kN - 1, CUDA_R_32F); }, Agreement::fake_may_refuse},
      {"product: operands of two types", "CUBLAS_STATUS_INVALID_VALUE, none",
       [](Details&) { return with_first(kN, kK, kN, CUDA_R_16BF); }},
      // The library takes it, whatever it then computes.
      {"product: an algorithm of another problem", "no", of_another_problem, Agreement::fake_may_refuse},
      {"product: an algorithm is its bytes", "CUBLAS_STATUS_SUCCESS yes", copied},
      {"product: less workspace than the algorithm wants", "no", with_less_workspace},
      {"product: no more workspace than is allowed", "yes", no_more_workspace_than_allowed},
      {"product: rows of c that lie apart", "CUBLAS_STATUS_SUCCESS, some", strided},
      {"product: added to what was there", "yes", added},
      {"product: as nodes of a graph", "cudaSuccess yes", nodes_of_a_product},
      // The library chooses one at each call, and so other bits perhaps.
      {"product: without an algorithm", "CUBLAS_STATUS_INVALID_VALUE",
       [](Details&) {
         Bench bench(small());
         return text(bench.run(nullptr));
       },
       Agreement::fake_may_refuse},
      {"product: without a handle", "CUBLAS_STATUS_NOT_INITIALIZED",
       [](Details&) {
         cublasLtMatmulHeuristicResult_t result{};
         Bench bench(small());
         const auto algorithms = bench.algorithms();
         if (algorithms.empty()) return std::string("no algorithm");
         const auto& d = bench.described();
         return text(cublasLtMatmulAlgoCheck(nullptr, d.product.get(), d.first.get(), d.second.get(), d.result.get(),
                                             d.result.get(), &algorithms[0].algo, &result));
       },
       Agreement::fake_may_refuse},
  };
}

}  // namespace regatta::gpu_contract
