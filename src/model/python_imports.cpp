#include "regatta/model/python_imports.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"

namespace regatta::model {
namespace {

using Path = std::filesystem::path;

constexpr std::size_t most_files = 1000;
constexpr std::uint64_t most_bytes = std::uint64_t{4} << 20;
constexpr std::string_view blanks = " \t\r";

std::string text_of(const Path& file) {
  try {
    return read_file(file, most_bytes);
  } catch (const InputError&) {
    return {};
  }
}

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/// Names with their dots; brackets, commas and stars part them.
std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_name(text[end])) ++end;
    if (end > at) names.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

/// The import statements of a text; one in brackets may go over many lines.
std::vector<std::string> statements_of(std::string_view text) {
  std::vector<std::string> statements;
  bool is_open = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, text.substr(0, end).find('#'));
    line = line.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    const bool begins = line.starts_with("import ") || line.starts_with("from ");
    if (begins)
      statements.emplace_back(line);
    else if (is_open)
      statements.back().append(" ").append(line);
    if (!begins && !is_open) continue;
    const std::string& whole = statements.back();
    is_open = (whole.find('(') != std::string::npos && whole.find(')') == std::string::npos) || whole.ends_with('\\');
  }
  return statements;
}

class Imports {
 public:
  explicit Imports(Path folder) : folder_(std::move(folder)) {}

  void follow(const Path& file) {
    for (const std::string& statement : statements_of(text_of(file))) {
      const auto names = names_in(statement);
      if (names.size() < 2) continue;
      if (names[0] == "import")
        for (std::size_t at = 1; at < names.size(); ++at) add(folder_, names[at]);
      else
        add_from(file, names);
    }
  }

  [[nodiscard]] const std::set<Path>& found() const { return found_; }

 private:
  /// from a.b import c, d: names are modules too, where there are such files.
  void add_from(const Path& file, const std::vector<std::string>& names) {
    const std::size_t dots = std::min(names[1].find_first_not_of('.'), names[1].size());
    Path base = dots == 0 ? folder_ : file.parent_path();
    for (std::size_t up = 1; up < dots; ++up) base = base.parent_path();
    const std::string module = names[1].substr(dots);
    if (!module.empty()) add(base, module);
    for (std::size_t at = 3; at < names.size(); ++at) add(base, module.empty() ? names[at] : module + "." + names[at]);
  }

  void add(Path at, std::string_view dotted) {
    if (dotted == "regatta" || dotted.starts_with("regatta.")) return;
    while (!dotted.empty()) {
      const std::size_t dot = std::min(dotted.find('.'), dotted.size());
      at /= std::string(dotted.substr(0, dot));
      dotted.remove_prefix(std::min(dot + 1, dotted.size()));
      add_file(at / "__init__.py");
    }
    add_file(at.concat(".py"));
  }

  void add_file(const Path& file) {
    std::error_code none;
    if (found_.size() >= most_files || !std::filesystem::is_regular_file(file, none)) return;
    if (found_.insert(file).second) follow(file);
  }

  Path folder_;
  std::set<Path> found_;
};

}  // namespace

std::vector<std::filesystem::path> local_imports(const std::filesystem::path& script) {
  Imports imports(script.parent_path());
  imports.follow(script);
  std::vector<Path> files(imports.found().begin(), imports.found().end());
  std::erase(files, script);
  return files;
}

}  // namespace regatta::model
