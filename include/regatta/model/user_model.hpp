// The user's own model: functions of a Python file that a framework's worker calls, or a loop of its own.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace regatta::model {

/// docs/guide/your-model.md says what the functions give.
struct UserModel {
  std::string name;
  std::string python;            ///< "FILE.py:FUNCTION", as the sweep writes it; "FILE.py" is a loop of its own
  std::string batch;             ///< "FILE.py:FUNCTION" that makes a batch; empty for a loop
  std::string arguments = "{}";  ///< arguments of both functions: a JSON object, keys in alphabetical order
  std::map<std::string, std::string>
      sources;              ///< file as written, SHA-256 of its text: an edited file is another model
  std::string folder;       ///< where relative files start; not part of what the model is
  bool reads_batch = true;  ///< false: a loop that knows no batches, nor how many samples a step has
  bool operator==(const UserModel&) const = default;
};

/// A program that speaks the worker protocol itself: only an environment with a "program" runs it.
bool is_loop(const UserModel& model);

/// The files that it names, as written, each once.
std::vector<std::string> files_of(const UserModel& model);

}  // namespace regatta::model
