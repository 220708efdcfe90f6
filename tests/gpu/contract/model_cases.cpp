#include <set>
#include <variant>

#include "engine/cuda/convolutions/shape.hpp"
#include "engine/ir/program.hpp"
#include "gpu/contract/products.hpp"
#include "regatta/base/error.hpp"
#include "regatta/model/catalogue.hpp"

namespace regatta::gpu_contract {
namespace {

using engine::Precision;
using engine::cuda::ConvolutionShape;
using engine::cuda::dense_product;
using engine::cuda::Product;

constexpr std::int64_t kLengths[] = {140, 14000};  // the longer one for models whose kernels do not fit the shorter
constexpr std::int64_t kBatch = 32;

/// The products that stand for an operation; a convolution is one of its unfolded input.
struct Collect {
  std::vector<Product>& into;
  Precision precision;

  void add(std::int64_t m, std::int64_t n, std::int64_t k, bool ta, bool tb) const {
    into.push_back(dense_product(m, n, k, ta, tb, precision));
  }
  void operator()(const engine::MatMul& op) const { add(op.m, op.n, op.k, op.transpose_a, op.transpose_b); }

  template <class Op>
  void convolution(const Op& op) const {
    const ConvolutionShape s = engine::cuda::image_of(op.shape);
    const std::int64_t rows = s.batch * s.out_rows * s.out_columns;
    const std::int64_t terms = s.taps_rows * s.taps_columns * s.channels;
    if constexpr (std::is_same_v<Op, engine::Conv1d> || std::is_same_v<Op, engine::Conv2d>) {
      add(rows, s.filters, terms, false, false);
    } else if constexpr (std::is_same_v<Op, engine::Conv1dKernelGradient> ||
                         std::is_same_v<Op, engine::Conv2dKernelGradient>) {
      add(terms, s.filters, rows, true, false);
    } else {
      add(rows, terms, s.filters, false, true);
    }
  }
  void operator()(const engine::Conv1d& op) const { convolution(op); }
  void operator()(const engine::Conv1dKernelGradient& op) const { convolution(op); }
  void operator()(const engine::Conv1dInputGradient& op) const { convolution(op); }
  void operator()(const engine::Conv2d& op) const { convolution(op); }
  void operator()(const engine::Conv2dKernelGradient& op) const { convolution(op); }
  void operator()(const engine::Conv2dInputGradient& op) const { convolution(op); }

  void operator()(const engine::Lstm& op) const {
    add(op.shape.batch, 4 * op.shape.units, op.shape.units, false, false);
  }
  void operator()(const engine::LstmGradient& op) const {
    add(op.shape.batch, op.shape.units, 4 * op.shape.units, false, true);
  }
  template <class Op>
  void operator()(const Op& /*op*/) const {}
};

std::vector<engine::Op> step_of(const std::string& name) {
  engine::Settings settings;
  settings.batch = kBatch;
  for (const std::int64_t length : kLengths) {
    try {
      return engine::step_ops(engine::lower(*model::find_model(name, length), settings));
    } catch (const InputError&) {
      if (length == kLengths[std::size(kLengths) - 1]) throw;
    }
  }
  return {};
}

/// The heuristics' answer for the product, without memory for its operands.
std::string known(const Product& product, Details& details) {
  const auto handle = engine::cuda::make_handle();
  const auto described = engine::cuda::describe(product);
  const auto preference = engine::cuda::make_preference(product, static_cast<std::int64_t>(kWorkspaceBytes), true);
  std::vector<cublasLtMatmulHeuristicResult_t> results(8);
  int count = 0;
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
      handle.get(), described.product.get(), described.first.get(), described.second.get(), described.result.get(),
      described.result.get(), preference.get(), 8, results.data(), &count);
  details["algorithms"] = std::to_string(count);
  if (count == 0) return text(status);
  details["workspace bytes"] = std::to_string(results[0].workspaceSize);
  // The bias' address is not looked at here.
  engine::cuda::set_epilogue(described.product.get(), engine::cuda::Epilogue::bias_relu, nullptr);
  cublasLtMatmulHeuristicResult_t fused{};
  const cublasStatus_t takes =
      cublasLtMatmulAlgoCheck(handle.get(), described.product.get(), described.first.get(), described.second.get(),
                              described.result.get(), described.result.get(), &results[0].algo, &fused);
  details["takes bias and relu"] = text(takes == CUBLAS_STATUS_SUCCESS);
  return text(status);
}

}  // namespace

std::vector<Case> model_cases() {
  std::vector<Case> all;
  std::set<std::string> seen;
  for (const std::string& name : model::model_names()) {
    const std::vector<engine::Op> step = step_of(name);
    for (const Precision precision : {Precision::fp32, Precision::tf32, Precision::bf16}) {
      std::vector<Product> products;
      for (const engine::Op& op : step) std::visit(Collect{products, precision}, op.spec);
      for (const Product& product : products) {
        const std::string what = engine::cuda::text_of(product);
        if (!seen.insert(what).second) continue;
        all.push_back({name + ": " + what, "CUBLAS_STATUS_SUCCESS",
                       [product](Details& details) { return known(product, details); }});
      }
    }
  }
  return all;
}

}  // namespace regatta::gpu_contract
