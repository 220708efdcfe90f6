#include "os/split_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>

#include "regatta/base/error.hpp"

namespace regatta::launcher {

std::vector<std::string> split_words(const std::string& line) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool is_space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (quote == 0 && is_space) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      words.back() += line[++i];
    } else {
      words.back() += c;
    }
  }
  if (quote != 0)
    throw InputError(fmt::format("the command {} has a quote {} that is not closed; close it", line, quote));
  if (words.empty()) throw InputError("a command is empty; give a program and its arguments in quotes");
  return words;
}

std::string shell_hint(const std::string& line) {
  constexpr std::string_view words_of_shells[] = {"|", "||", "&&", ";", "&", ">", ">>", "<", "2>&1", "2>", "|&"};
  for (const std::string& word : split_words(line)) {
    if (std::ranges::find(words_of_shells, word) == std::end(words_of_shells)) continue;
    return fmt::format("no shell reads '{}' here, so that it is an argument like others; for a shell: sh -c '{}'", word,
                       line);
  }
  return {};
}

}  // namespace regatta::launcher
