// {n} in the arguments of a program, which stands for the value of the axis n. {{n}} stands for the text {n}; braces
// around anything but a name stay as they are, and so does ${HOME}.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::sweep {

/// The names in braces, in order, as often as they stand there.
std::vector<std::string> placeholders_of(std::string_view word);

/// The word with each {NAME} as `text_of(NAME)`.
std::string with_placeholders_replaced(std::string_view word,
                                       const std::function<std::string(std::string_view)>& text_of);

}  // namespace regatta::sweep
