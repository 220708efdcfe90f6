#include "regatta/results/slot_cores.hpp"

#include <charconv>

namespace regatta::results {

std::string cores_text(const std::vector<int>& cores) {
  std::string text;
  for (const int core : cores) text += (text.empty() ? "" : ",") + std::to_string(core);
  return text;
}

std::vector<int> parse_cores(std::string_view text) {
  std::vector<int> cores;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    int core = 0;
    const auto [stop, error] = std::from_chars(at, end, core);
    const bool is_last = stop == end;
    if (error != std::errc() || core < 0 || (!is_last && (*stop != ',' || stop + 1 == end))) return {};
    cores.push_back(core);
    at = is_last ? end : stop + 1;
  }
  return cores;
}

std::string name_of_cores(const std::vector<int>& cores) { return "cores " + cores_text(cores); }

}  // namespace regatta::results
