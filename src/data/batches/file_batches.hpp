// Batches of the user's own files.
#pragma once

#include <vector>

#include "regatta/data/data_files.hpp"
#include "regatta/model/model.hpp"
#include "regatta/model/tensors.hpp"

namespace regatta::data {

/// "x" and "y" as make_batches describes them, of shape `head` (n, batch) before what a sample has. Rows in the file's
/// order, from the first again after the last. Throws InputError if the files do not fit the network.
std::vector<model::Tensor> file_batches(const model::Network& network, const model::Shape& head,
                                        const DataFiles& files);

/// All samples once, for training: the same with the head (1, samples). Throws InputError, too, where a number or label
/// is not finite.
std::vector<model::Tensor> file_samples(const model::Network& network, const DataFiles& files);

/// How many samples they hold.
std::int64_t rows_of(const DataFiles& files);

}  // namespace regatta::data
