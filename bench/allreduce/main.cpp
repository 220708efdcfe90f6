// The time that two ranks on a core each take to sum their gradients.
// usage: bench_allreduce shared|stream|mpi BYTES REPEATS
// prints {"seconds": s} of one exchange, the mean over REPEATS of the slower rank; mpi runs under mpirun.
//   shared  src/exchange, one bucket
//   stream  what its sums alone would take: each core adds two halves of BYTES that it wrote itself
//   mpi     MPI_Allreduce in place
#include <fmt/format.h>
#define OMPI_SKIP_MPICXX 1  // no bindings that the library does not have
#include <mpi.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <string_view>
#include <vector>

#include "os/bind_process.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/shared_memory.hpp"
#include "regatta/exchange/shared_memory.hpp"
#include "regatta/exchange/tree.hpp"

namespace {

using namespace regatta;

constexpr std::size_t ranks = 2;
constexpr int warm_up = 3;
constexpr double patience_seconds = 60;

/// The memory that both processes see.
struct Board {
  std::atomic<int> arrived;
  double seconds[ranks];
};

void meet(Board& board, int times) {
  ++board.arrived;
  while (board.arrived < times * static_cast<int>(ranks)) {
  }
}

double mean_seconds(int repeats, const std::function<void()>& once) {
  const double start = steady_seconds();
  for (int i = 0; i < repeats; ++i) once();
  return (steady_seconds() - start) / repeats;
}

/// Each rank in a process and on a core of its own; the slower one's time.
double on_two_cores(int repeats, const std::function<std::function<void()>(std::size_t rank)>& make) {
  const UniqueFd fd = make_shared_memory("bench-board", sizeof(Board));
  const auto memory = map_shared(fd.get(), sizeof(Board), PROT_READ | PROT_WRITE);
  auto& board = *reinterpret_cast<Board*>(memory.get());
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (::fork() != 0) continue;
    launcher::bind_process(::getpid(), {static_cast<int>(rank)});
    const auto once = make(rank);
    meet(board, 1);
    for (int i = 0; i < warm_up; ++i) once();
    meet(board, 2);
    board.seconds[rank] = mean_seconds(repeats, once);
    ::_exit(0);
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) ::wait(nullptr);
  return *std::ranges::max_element(board.seconds);
}

double shared(std::size_t elements, int repeats) {
  const std::vector<std::size_t> tensors = {elements};
  const exchange::Arena arena = exchange::make_arena(tensors, {.bytes = 0}, ranks);
  const exchange::Stop stop;
  std::vector<exchange::Member> members;
  for (std::size_t rank = 0; rank < ranks; ++rank) members.emplace_back(arena);
  return on_two_cores(repeats, [&](std::size_t rank) -> std::function<void()> {
    const std::vector<int> fds = {members[0].fd(), members[1].fd()};
    std::shared_ptr<exchange::Communicator> own =
        exchange::make_shared_memory_communicator(arena, rank, std::move(members[rank]), fds, stop.fd());
    std::ranges::fill(own->gradients(), 1.0F);
    return [own] {
      own->ready(0);
      own->wait(0, patience_seconds);
    };
  });
}

double stream(std::size_t elements, int repeats) {
  return on_two_cores(repeats, [&](std::size_t) -> std::function<void()> {
    const std::size_t half = std::max<std::size_t>(1, elements / ranks);
    auto parts = std::make_shared<std::vector<std::vector<float>>>(ranks + 1, std::vector<float>(half, 1.0F));
    return [parts, half] {
      const std::vector<const float*> from = {(*parts)[0].data(), (*parts)[1].data()};
      exchange::tree_sum((*parts)[2].data(), from, half);
    };
  });
}

double mpi(std::size_t elements, int repeats) {
  MPI_Init(nullptr, nullptr);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  launcher::bind_process(::getpid(), {rank});
  std::vector<float> gradients(elements, 0.0F);
  const auto once = [&] {
    MPI_Allreduce(MPI_IN_PLACE, gradients.data(), static_cast<int>(elements), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  };
  for (int i = 0; i < warm_up; ++i) once();
  MPI_Barrier(MPI_COMM_WORLD);
  double seconds = mean_seconds(repeats, once);
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return rank == 0 ? seconds : -1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return EXIT_FAILURE;
  const std::string_view way = argv[1];
  const std::size_t elements = std::strtoull(argv[2], nullptr, 10) / sizeof(float);
  const int repeats = std::atoi(argv[3]);
  const auto run = way == "shared" ? shared : way == "stream" ? stream : mpi;
  const double seconds = run(elements, repeats);
  if (seconds >= 0) fmt::print("{{\"seconds\": {:.9f}}}\n", seconds);
  return EXIT_SUCCESS;
}
