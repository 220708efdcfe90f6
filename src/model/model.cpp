#include "regatta/model/model.hpp"

namespace regatta::model {

const std::string& name_of(const Model& model) {
  return std::visit([](const auto& kind) -> const std::string& { return kind.name; }, model);
}

}  // namespace regatta::model
