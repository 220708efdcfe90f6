#include "regatta/sweep/process_class.hpp"

#include <fmt/format.h>

#include "regatta/sweep/engines.hpp"

namespace regatta::sweep {

std::string process_class(const Parameters& parameters) {
  const auto text = [&](const Param& param) {
    const auto* level = std::get_if<std::string>(&parameters[param]);
    return level == nullptr ? std::string_view() : std::string_view(*level);
  };
  return fmt::format("{} {} {}, {} threads, {} ranks", split_engine(text(Param::engine)).engine, text(Param::mode),
                     text(Param::device), integer_or(parameters, Param::threads, 1),
                     integer_or(parameters, Param::ranks, 1));
}

}  // namespace regatta::sweep
