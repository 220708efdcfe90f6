// The commands as other programs want them described, from what the parser itself knows.
#pragma once

#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace regatta::launcher {

/// The script by which "bash", "zsh" or "fish" completes commands, options and the words that options take.
std::string completion_script(const CLI::App& app, const std::string& shell);

/// A page for man(1).
std::string manual_page(const CLI::App& app, const std::string& version);

}  // namespace regatta::launcher
