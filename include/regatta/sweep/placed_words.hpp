// Words of a program's command line that may name files which it reads.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "regatta/sweep/plan.hpp"

namespace regatta::sweep {

/// The words behind a program's name but scripts of a shell; of an option the part behind its '='. A word that the
/// program writes (behind -o, --out or --output) is left out.
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
