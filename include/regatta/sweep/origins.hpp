// The origins of a result beside its trial's parameters: programs, scripts, variables, versions. They are told where
// measuring begins and recorded with the session. They are compared before its rows are taken for those of today.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "regatta/sweep/parameters.hpp"

namespace regatta::sweep {

struct Trial;

/// A part ("the contents of ./solver") and its state: a version, or what tells two contents apart. Empty: what runs the
/// trial is not here.
using Origin = std::map<std::string, std::string>;

/// The origins of all that a plan runs, by runner_of() its trials.
using Origins = std::map<std::string, Origin>;

/// The limits of a sweep stand among its origins under this name: they decide trials that failed, and no others.
inline constexpr const char* limits_origin = "limits";

/// The name of a trial's runner: "command NAME", or the engine as the sweep names it ("torch@old"). The user's own data
/// that it reads are part of it: "torch on cells".
std::string runner_of(const Parameters& parameters);

/// The differences in words ("the version of torch (2.1.0 then, 2.2.0 now)"), in alphabetical order. Nothing where the
/// earlier runner is not here now: the trial cannot be measured again.
std::vector<std::string> differences(const Origin& then, const Origin& now);

// plan/placed_words.cpp: Words of a program's command line that may name files which it reads.

/// The part of `argv[at]` that may name a file to read: the whole word, or the part of an option behind its '='. Empty
/// for the program itself, a script of a shell, and a word that the program writes (behind -o, --out or --output).
std::string word_for_file(const std::vector<std::string>& argv, std::size_t at);

/// The parts of all words that may name files.
std::vector<std::string> words_for_files(const std::vector<std::string>& argv);

/// Such words that the axes of a trial make up, as `{config}` and `data/{case}.csv` do, and those inside the script of
/// `sh -c`. A file that is not there yet may be one that the program makes: what it becomes is no change.
class PlacedWords {
 public:
  [[nodiscard]] std::vector<std::string> of(const Trial& trial);

 private:
  struct Template {
    std::vector<std::string> argv;  ///< empty: no such words
    bool needs_text = true;         ///< its placeholders stand alone: a level that is a number makes no name
  };
  const Template& template_of(const std::string& written_out);

  std::map<std::string, Template, std::less<>> templates_;  ///< by Trial::written_out
};

/// The name under which the file of such a word stands among the origins of a session.
std::string origin_of_word(const std::string& word);

}  // namespace regatta::sweep
