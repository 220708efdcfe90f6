// A strict little reader of markup: finds tags that do not match and what a page would fetch or run.
#pragma once

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::testing_support {

/// Empty if every element is closed in order and every attribute quoted; else what is wrong.
inline std::string markup_problem(std::string_view page) {
  std::vector<std::string> open;
  for (auto at = page.find('<'); at != std::string_view::npos; at = page.find('<', at + 1)) {
    if (page.substr(at).starts_with("<!DOCTYPE html>")) continue;
    std::size_t end = at + 1;
    for (bool quoted = false; end < page.size() && (quoted || page[end] != '>'); ++end) {
      if (page[end] == '"') quoted = !quoted;
      if (!quoted && page[end] == '<') return "'<' inside a tag: " + std::string(page.substr(at, 60));
    }
    if (end >= page.size()) return "unfinished tag: " + std::string(page.substr(at, 60));
    const std::string_view tag = page.substr(at + 1, end - at - 1);
    const bool closing = tag.starts_with('/');
    std::string name;
    for (const char c : tag.substr(closing ? 1 : 0)) {
      if (!std::isalnum(static_cast<unsigned char>(c))) break;
      name += c;
    }
    if (name.empty()) return "not a tag: <" + std::string(tag.substr(0, 60));
    if (closing) {
      if (open.empty() || open.back() != name)
        return "</" + name + "> closes " + (open.empty() ? "nothing" : open.back());
      open.pop_back();
    } else if (!tag.ends_with('/') && name != "meta" && name != "br") {
      open.push_back(name);
    }
    at = end;
  }
  return open.empty() ? "" : "never closed: " + open.back();
}

/// How often a part stands in a text.
inline std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace regatta::testing_support
