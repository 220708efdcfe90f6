#include <cmath>
#include <set>

#include "gpu/contract/products.hpp"

namespace regatta::gpu_contract {
namespace {

using engine::Precision;
using engine::cuda::dense_product;
using engine::cuda::Epilogue;

struct Shape {
  std::int64_t m, n, k;
};

/// Small, large, with odd tails, long sums: what algorithms are made for.
constexpr Shape kShapes[] = {{32, 128, 784}, {32, 10, 128}, {256, 256, 256},
                             {32, 64, 128},  {37, 45, 100}, {128, 64, 4096}};

/// The results of algorithms that were run with an epilogue.
struct Runs {
  int named = 0, say_no = 0, refused = 0, same_bits = 0, other_bits = 0;
  std::set<std::string> refusals;  ///< statuses, with the parts that the sum is split into

  [[nodiscard]] std::string told() const {
    std::string all = std::to_string(named) + " named, " + std::to_string(say_no) + " say no, " +
                      std::to_string(refused) + " refuse when they run, " + std::to_string(same_bits) + " same bits, " +
                      std::to_string(other_bits) + " others";
    for (const std::string& one : refusals) all += "; " + one;
    return all;
  }
};

std::string parts_of(const cublasLtMatmulAlgo_t& algorithm) {
  std::int32_t parts = 0;
  std::size_t written = 0;
  cublasLtMatmulAlgoConfigGetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &parts, sizeof parts, &written);
  return " in " + std::to_string(parts) + " parts";
}

/// The bits of the bare product, then bias, then relu, are what is looked for.
Runs run_all(Bench& bench, const std::vector<cublasLtMatmulHeuristicResult_t>& algorithms, Epilogue epilogue) {
  Runs runs;
  for (const auto& one : algorithms) {
    ++runs.named;
    bench.set_epilogue(Epilogue::none);
    auto wanted = bench.result(one.algo);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      wanted[i] += bench.bias_values()[i % bench.bias_values().size()];
      if (epilogue == Epilogue::bias_relu && wanted[i] < 0) wanted[i] = 0;
    }
    bench.set_epilogue(epilogue);
    if (bench.check(one.algo) != CUBLAS_STATUS_SUCCESS) {
      ++runs.say_no;
    } else if (const cublasStatus_t status = bench.run(&one.algo); status != CUBLAS_STATUS_SUCCESS) {
      ++runs.refused;
      runs.refusals.insert(text(status) + parts_of(one.algo));
    } else {
      ++(!wanted.empty() && bench.result(one.algo) == wanted ? runs.same_bits : runs.other_bits);
    }
  }
  return runs;
}

/// Whether any algorithm gives the bits of the parts with the epilogue, of those that are named for the bare product
/// and of those that are named with it.
std::string has_bits_of_parts(Epilogue epilogue, Precision precision, Details& details) {
  int same = 0;
  for (const Shape& shape : kShapes) {
    Bench bench(dense_product(shape.m, shape.n, shape.k, false, false, precision));
    const Runs bare = run_all(bench, bench.algorithms(), epilogue);
    bench.set_epilogue(epilogue);
    const Runs with_it = run_all(bench, bench.algorithms(), epilogue);
    const std::string name =
        std::to_string(shape.m) + " x " + std::to_string(shape.n) + " x " + std::to_string(shape.k);
    details[name] = bare.told();
    details[name + ", asked with it"] = with_it.told();
    same += bare.same_bits + with_it.same_bits;
  }
  return text(same > 0);
}

/// How many algorithms turn what is no number into zero: the engine looks before it fuses.
std::string relu_of_no_number(Details& details) {
  Bench bench(dense_product(48, 64, 96, false, false, Precision::fp32));
  const auto algorithms = bench.algorithms();
  bench.spoil();
  bench.set_epilogue(Epilogue::bias_relu);
  std::size_t losers = 0, taken = 0, refused = 0;
  for (const auto& one : algorithms) {
    if (bench.check(one.algo) != CUBLAS_STATUS_SUCCESS) continue;
    ++taken;
    const auto result = bench.result(one.algo);
    refused += result.empty() ? 1 : 0;
    losers += result.empty() || std::isnan(result[0]) ? 0 : 1;
  }
  details["take it"] = std::to_string(taken);
  details["refuse when they run"] = std::to_string(refused);
  details["lose what is no number"] = std::to_string(losers);
  return text(taken > 0);
}

std::string without_a_bias(Details& /*details*/) {
  Bench bench(dense_product(48, 64, 96, false, false, Precision::fp32));
  bench.set_epilogue(Epilogue::bias);
  const auto algorithms = bench.algorithms();
  if (algorithms.empty()) return "no algorithm";
  bench.forget_bias();
  return text(bench.run(&algorithms[0].algo) == CUBLAS_STATUS_SUCCESS);
}

/// A bare product whose description still holds a bias.
std::string bare_beside_a_bias(Details& /*details*/) {
  Bench bench(dense_product(48, 64, 96, false, false, Precision::fp32));
  const auto algorithms = bench.algorithms();
  bench.set_epilogue(Epilogue::bias);
  cublasLtMatmulDesc_t product = bench.described().product.get();
  const cublasLtEpilogue_t none = CUBLASLT_EPILOGUE_DEFAULT;
  cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE, &none, sizeof none);
  return algorithms.empty() ? "no algorithm" : text(bench.run(&algorithms[0].algo));
}

/// Auxiliary bits with this leading dimension.
std::string bits(std::int64_t leading) {
  Bench bench(dense_product(48, 64, 96, false, false, Precision::fp32));
  bench.set_epilogue(Epilogue::bias_relu);
  const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_RELU_AUX_BIAS;
  const DeviceFloats memory(4096);
  const void* const place = memory.data;
  cublasLtMatmulDesc_t product = bench.described().product.get();
  cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue);
  cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &place, sizeof place);
  cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &leading, sizeof leading);
  return bench.algorithms().empty() ? "none" : "some";
}

}  // namespace

std::vector<Case> epilogue_cases() {
  std::vector<Case> all;
  const struct {
    Precision precision;
    const char* name;
  } precisions[] = {{Precision::fp32, "fp32"}, {Precision::tf32, "tf32"}};
  for (const auto& one : precisions) {
    const Precision precision = one.precision;
    all.push_back({std::string("epilogue: bias of small products, ") + one.name, "yes",
                   [precision](Details& details) { return has_bits_of_parts(Epilogue::bias, precision, details); }});
    all.push_back(
        {std::string("epilogue: bias and relu of small products, ") + one.name, "yes",
         [precision](Details& details) { return has_bits_of_parts(Epilogue::bias_relu, precision, details); }});
  }
  all.push_back({"epilogue: relu of what is no number is told", "yes", relu_of_no_number});
  all.push_back({"epilogue: bias without one", "no", without_a_bias, Agreement::fake_may_refuse});
  all.push_back({"epilogue: none, and a bias", "CUBLAS_STATUS_INVALID_VALUE", bare_beside_a_bias});
  all.push_back({"epilogue: bits of relu", "some", [](Details&) { return bits(128); }});
  all.push_back({"epilogue: bits of relu whose rows are too near", "none", [](Details&) { return bits(32); },
                 Agreement::fake_may_refuse});
  return all;
}

}  // namespace regatta::gpu_contract
