// Chunks of gradients between agents over MPI: point to point, on a communicator of their own, never waiting.
#pragma once

#include <memory>

#include "ranks/mpi_link.hpp"
#include "regatta/exchange/relay.hpp"

namespace regatta::launcher {

class MpiRelay {
 public:
  /// Collective: every rank makes one, or none does. Memory for chunks is taken when the first one is sent or asked
  /// for.
  explicit MpiRelay(const MpiSession& session);
  MpiRelay(MpiRelay&&) noexcept;
  /// Takes its receives back. What is on its way then keeps its memory to the end of the process.
  ~MpiRelay();

  /// Valid as long as this.
  [[nodiscard]] exchange::RelayTransport transport();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace regatta::launcher
