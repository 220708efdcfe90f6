// The whole records of a damaged folder NAME.regatta: as a folder of its own, or for a run that goes on with it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "regatta/base/digest.hpp"
#include "regatta/results/journal.hpp"
#include "regatta/results/store.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::results {

struct LostBlock {
  Hash128 block;
  std::vector<sweep::Parameters> trials = {};  ///< its arms; empty: no plan that is known has it
};

/// Records that are lost at one place of the journal, or a result that was left out for its samples.
struct Loss {
  RecordPlace place;
  std::uint64_t records = 0;           ///< 0: something else stands there beside all that should
  std::string kind = {};               ///< "result", where it can be read
  std::vector<LostBlock> blocks = {};  ///< its block; where the kind cannot be read: all that it may have been of
  std::string why = {};
};

struct Salvaged {
  std::string name;                ///< the sweep's
  std::vector<sweep::Param> axes;  ///< the axes that tell its trials apart
  std::uint64_t records = 0;       ///< copied
  std::uint64_t blocks = 0;        ///< results among them
  std::vector<Loss> lost;
  std::vector<std::string> made_anew;  ///< "the plan of session 1, from its copy in record 9"
  std::vector<std::string> given_up;   ///< "the plan of session 1"; its results are there
};

/// Copies every whole record, and every result whose samples are whole, into `target`, a folder that is not there yet.
/// Lost headers and plans are made anew from their copies, or from `given` (null: none), the sweep that the results are
/// said to be of. The damaged folder is only read. Throws InputError if nothing can be saved, if `target` is there, or
/// if the results are not of the sweep that is given; StorageError.
Salvaged salvage(const std::filesystem::path& damaged, const std::filesystem::path& target, const GivenSweep* given);

/// The journal of a folder, as read_store() gives it, for a run of this sweep that goes on with it. Where damage cost
/// no more than headers and plans a whole journal is put into its place first (with a warning): the damaged one is
/// never appended to, and kept beside it as `journal.damaged`. Throws DamagedJournal for other damage; InputError as
/// read_journal() does, or if somebody writes the journal for longer than `lock_seconds`; StorageError. `before`: what
/// whole_records() gave before; the journal is read again only if somebody wrote to it since.
Scan resume_store(const std::filesystem::path& folder, const GivenSweep& given, double lock_seconds, Scan before = {});

}  // namespace regatta::results
