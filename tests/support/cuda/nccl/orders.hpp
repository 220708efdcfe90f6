// Orders to the fake NCCL of a process by the environment variable REGATTA_FAKE_NCCL, words separated by commas:
//   missing                           there is no NCCL
//   rank=R                            what follows is meant for that rank alone
//   init=hang  init=fail  init=kill   as it joins: it never comes, NCCL refuses, the process is killed
//   kill=N  hang=N  fail=N  async=N   as the device reaches the Nth sum of a communicator (from 0): the process is
//   killed,
//                                     the sum never ends, the call fails, NCCL tells an error of the communicator
//   other=N                           its Nth sum is of one number less than the other ranks'
// An unknown word ends the process.
#pragma once

#include <optional>
#include <string>

namespace regatta::cuda_fakes::nccl {

struct Orders {
  bool is_missing = false;
  std::optional<int> rank;
  std::string init;
  std::optional<int> kill, hang, fail, async, other;

  /// Whether what is ordered for that sum is meant for this rank.
  [[nodiscard]] bool means(const std::optional<int>& sum, int number, int own_rank) const {
    return sum == number && (!rank || *rank == own_rank);
  }
};

Orders orders_from_environment();

}  // namespace regatta::cuda_fakes::nccl
