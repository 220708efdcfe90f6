#include "regatta/base/error.hpp"
#include "regatta/exchange/shared_memory.hpp"

namespace regatta::exchange {
namespace {

class Solo : public Communicator {
 public:
  explicit Solo(Arena arena) : arena_(std::move(arena)), gradients_(arena_.elements) {
    expect(arena_.ranks == 1, "one rank exchanges with nobody");
  }

  [[nodiscard]] const Arena& arena() const override { return arena_; }
  std::span<float> gradients() override { return gradients_; }
  [[nodiscard]] std::span<const float> sums() const override { return gradients_; }
  void ready(std::size_t) override {}
  void wait(std::size_t, double) override {}

 private:
  Arena arena_;
  std::vector<float> gradients_;
};

}  // namespace

std::unique_ptr<Communicator> make_solo_communicator(Arena arena) { return std::make_unique<Solo>(std::move(arena)); }

}  // namespace regatta::exchange
