// The samples of a training run, in their parts.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "batches/train_plan.hpp"
#include "regatta/data/array.hpp"
#include "regatta/data/loader.hpp"
#include "regatta/engine/session.hpp"
#include "regatta/model/tensors.hpp"

namespace regatta::worker {

/// The data that all runs on one file share: training and validation samples together, and the test part.
struct DataSet {
  std::string path;
  std::vector<model::Tensor> tensors;  ///< "x" and "y" (n, ...), "test_x" and "test_y"
};

/// Throws InputError for a file that is damaged or lacks a part.
std::shared_ptr<const DataSet> read_data_set(const std::string& path);

/// Samples with their labels, row by row.
struct Part {
  model::Tensor x;
  model::Tensor y;
  [[nodiscard]] std::int64_t rows() const { return x.shape.front(); }
};

/// The number of a tensor (1) that counts samples; 0 if there is none of this name.
std::int64_t number_in(const std::vector<model::Tensor>& tensors, std::string_view name);

/// The samples of "x", and those of them that are a validation part of its own.
DataRows rows_in(const DataSet& data);

/// These rows of "x" and "y".
Part rows_of(const DataSet& data, std::span<const std::uint32_t> rows);
Part test_part(const DataSet& data);

/// The part as the loader reads it; it points into the part.
std::vector<data::Array> arrays_of(const Part& part);

/// How a loader reads the training part of a run from a step on: the same rows in the same steps for every loader.
data::LoaderOptions options_for_training(const TrainPlan& plan, std::uint64_t seed, std::int64_t first_step);

/// Rows from `first` on as one batch of so many; the last row again where there are not enough. The values stay in
/// `into`.
engine::Batch batch_at(const Part& part, std::int64_t first, std::int64_t count, Part& into);

}  // namespace regatta::worker
