// Text that a process keeps for later ones, in lines. It is a cache: what cannot be read or written is done without.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace regatta {

/// The file's lines; none if `path` is empty, cannot be read or holds more than 4 MiB.
std::vector<std::string> cached_lines(const std::string& path);

/// Puts `text` in the place of what the file held. If it cannot be written, it stays as it was.
void write_cache(const std::string& path, std::string_view text);

}  // namespace regatta
