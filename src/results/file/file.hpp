// `NAME.h5` written and read, its cubes, merging.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/results/tables.hpp"
#include "results/collect/metrics.hpp"
#include "results/file/column_requests.hpp"
#include "results/file/handles.hpp"

namespace regatta::results {

// cube.cpp: The grid of a model's trials, for the N-dimensional labelled arrays of the result file.

struct CubeAxis {
  sweep::Param param;
  std::vector<sweep::Value> levels;              ///< integers ascending, texts in the order of the trials
  std::map<sweep::Value, std::size_t> position;  ///< where each level stands in `levels`
};

struct Cube {
  std::string model;  ///< "commands" for trials that have none
  std::vector<CubeAxis> axes;
  std::vector<std::int64_t> trial;  ///< row-major over the axes: index of the trial, or -1
};

/// A cube for each model whose grid is at least half full. Its axes are those of the sweep that the model reads, and
/// whatever else is needed to tell the trials apart. A trial that does not read one of the axes (null) stands in all
/// its levels: it is what each of these points means.
std::vector<Cube> cubes(const Results& results);

}  // namespace regatta::results

namespace regatta::results::hdf5 {

// file_columns.cpp: Answers from an open file that may be damaged or hostile: links, storage, type, rank and length
// of what is asked for are checked before any of it is read into memory.

/// Nothing if there is no such attribute, or if it is not one text of a fixed length.
std::optional<std::string> text_attribute(hid_t object, const std::string& name);

/// Nothing if there is no such attribute, or if it is not one integer.
std::optional<std::int64_t> integer_attribute(hid_t object, const std::string& name);

Answer answer(const File& file, const Request& request);

/// The column that stands behind one in the file, if that was a column and there is another: what a reader most likely
/// asks for next, as files are read in the order in which they were written.
std::optional<Request> column_behind(const File& file, const Request& column);

/// Answers of this process. The file outlives them.
Ask columns_of(const File& file);

// metric_columns.cpp: The metrics of all trials as columns: rows hold them by name.

struct MetricColumn {
  MetricInfo metric;
  std::vector<double> values;  ///< one for each trial, NaN where it has none
};

/// The known metrics in their order, then whatever else the rows hold.
std::vector<MetricColumn> metric_columns(const std::vector<TrialRow>& trials);

}  // namespace regatta::results::hdf5

namespace regatta::results {

// references.cpp: Rows of results name rows of other tables by their number.

/// Throws InputError naming the table with a row that names one that is not there, or a trial without an engine: no
/// reader takes such a file.
void expect_references(const Results& results);

}  // namespace regatta::results

namespace regatta::results::hdf5 {

// seal.cpp: A checksum of the whole file in its last bytes, which HDF5 ignores. HDF5 checks numbers but not text or
// all of its own structure, and its library may crash on a damaged file: so no file is handed to it unseen.

/// The seal of a file of these bytes, to be appended to them.
std::string seal_of(std::string_view bytes);

/// Whether the bytes that it took, piece by piece, end in the seal of what stands before it.
class SealCheck {
 public:
  void take(std::string_view piece);
  [[nodiscard]] bool holds() const;

 private:
  std::uint32_t crc_ = 0;
  std::string end_;  ///< as long as a seal
};

// shared_texts.cpp: Columns of text in which few texts stand again and again. HDF5 stores a text of a column apart,
// and in the column where it lies. Here each text is stored once, and all its rows name that one place: any reader of
// HDF5 follows them.

/// Writes all of a new column that is stored in chunks without filters. False where most rows have a text of their own:
/// then nothing was written.
bool write_shared(hid_t dataset, hid_t type, const std::vector<std::string>& values);

/// Whether the column, however it was written, holds these texts. A shared text is read once.
bool holds_texts(hid_t dataset, hid_t type, const std::vector<std::string>& values);

}  // namespace regatta::results::hdf5
