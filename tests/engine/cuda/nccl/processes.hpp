// Ranks as processes of their own, each with an emulated device: what they tell lies in memory that they share with the
// test, which has used no device before it forks.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "engine/cuda/cuda_test.hpp"
#include "engine/cuda/nccl/rank_group.hpp"
#include "regatta/base/clock.hpp"

namespace regatta::engine::cuda {

inline constexpr int kMostProcesses = 4;
inline constexpr double kLifeSeconds = 60;  // after which a rank that hangs is killed, and the test has failed

/// The report of a rank.
struct Told {
  std::array<char, 1024> error;  ///< the error that ended it; empty: none
  double seconds;                ///< from the beginning to that error
  std::array<float, 1 << 16> values;
  std::size_t count;
};

struct Board {
  std::array<char, 512> id;
  std::atomic<bool> has_id;
  std::array<Told, kMostProcesses> told;
};

/// How a rank ended, and what it told.
struct Ended {
  int signal = 0;  ///< the signal that killed it
  std::string error;
  double seconds = 0;
  std::vector<float> values;
};

class Processes {
 public:
  /// The life of one rank: it returns what is compared.
  using Life = std::function<std::vector<float>(int rank, Board& board)>;

  Processes() {
    void* const at = ::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    board_ = new (at) Board;
  }
  ~Processes() { ::munmap(static_cast<void*>(board_), sizeof(Board)); }
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  std::vector<Ended> run(int ranks, const std::string& orders, const Life& life) {
    std::vector<pid_t> children;
    for (int rank = 0; rank < ranks; ++rank) {
      const pid_t child = ::fork();
      if (child == 0) live(rank, orders, life);
      children.push_back(child);
    }
    std::vector<Ended> all;
    for (int rank = 0; rank < ranks; ++rank) all.push_back(end_of(children[static_cast<std::size_t>(rank)], rank));
    return all;
  }

 private:
  [[noreturn]] void live(int rank, const std::string& orders, const Life& life) {
    setenv("REGATTA_FAKE_NCCL", orders.c_str(), 1);
    setenv("REGATTA_EMULATED_CUDA", emulated.c_str(), 1);
    regatta_cuda_emulator()->reset();
    Told& told = board_->told[static_cast<std::size_t>(rank)];
    const double begin = steady_seconds();
    try {
      const std::vector<float> values = life(rank, *board_);
      told.count = values.size();
      std::copy(values.begin(), values.end(), told.values.begin());
      if (regatta_cuda_emulator()->complaints() > 0) throw std::runtime_error(regatta_cuda_emulator()->complaint(0));
    } catch (const std::exception& error) {
      std::snprintf(told.error.data(), told.error.size(), "%s", error.what());
    }
    told.seconds = steady_seconds() - begin;
    std::_Exit(0);
  }

  Ended end_of(pid_t child, int rank) {
    int status = 0;
    const Deadline deadline = Deadline::after(kLifeSeconds);
    while (::waitpid(child, &status, WNOHANG) == 0) {
      if (deadline.passed()) ::kill(child, SIGKILL);
      ::usleep(1000);
    }
    const Told& told = board_->told[static_cast<std::size_t>(rank)];
    return {WIFSIGNALED(status) ? WTERMSIG(status) : 0,
            told.error.data(),
            told.seconds,
            {told.values.begin(), told.values.begin() + static_cast<std::ptrdiff_t>(told.count)}};
  }

  Board* board_;

 public:
  std::string emulated = "devices=4,protect=off";
};

/// The id that rank 0 makes, as agents relay it.
inline std::string relayed_id(int rank, Board& board) {
  if (rank == 0) {
    std::snprintf(board.id.data(), board.id.size(), "%s", new_group_id(true).c_str());
    board.has_id.store(true);
  }
  const Deadline deadline = Deadline::after(kLifeSeconds / 2);
  while (!board.has_id.load()) {
    if (deadline.passed()) throw std::runtime_error("rank 0 made no id");
    ::usleep(100);
  }
  return board.id.data();
}

}  // namespace regatta::engine::cuda
