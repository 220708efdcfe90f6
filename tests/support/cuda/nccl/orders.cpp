#include "support/cuda/nccl/orders.hpp"

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace regatta::cuda_fakes::nccl {

namespace {

void obey(Orders& orders, const std::string& word) {
  const std::size_t equals = word.find('=');
  const std::string key = word.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
  if (word == "missing") {
    orders.is_missing = true;
  } else if (key == "init" && (value == "hang" || value == "fail" || value == "kill")) {
    orders.init = value;
  } else if (key == "rank") {
    orders.rank = std::atoi(value.c_str());
  } else if (auto* const sum = key == "kill"    ? &orders.kill
                               : key == "hang"  ? &orders.hang
                               : key == "fail"  ? &orders.fail
                               : key == "async" ? &orders.async
                               : key == "other" ? &orders.other
                                                : nullptr) {
    *sum = std::atoi(value.c_str());
  } else {
    std::fprintf(stderr,
                 "REGATTA_FAKE_NCCL: \"%s\" is not understood; tests/support/cuda/nccl/orders.hpp lists its words\n",
                 word.c_str());
    std::exit(2);
  }
}

}  // namespace

Orders orders_from_environment() {
  Orders orders;
  const char* const told = std::getenv("REGATTA_FAKE_NCCL");
  std::istringstream words(told != nullptr ? told : "");
  for (std::string word; std::getline(words, word, ',');) obey(orders, word);
  return orders;
}

}  // namespace regatta::cuda_fakes::nccl
