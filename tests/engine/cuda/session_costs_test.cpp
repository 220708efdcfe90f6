// The cost of a step beside its arithmetic, for each named model: the table of tests/engine/cuda/step_costs.txt.
#include <fstream>
#include <sstream>

#include "engine/cuda/session_test.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/model/shapes.hpp"
#include "support/places.hpp"

namespace regatta::engine::cuda {
namespace {

/// A model of the catalogue, or of tests/engine/vectors: there it has all its layers, and small ones.
struct Case {
  std::string name;
  std::int64_t length, batch;
  bool is_stored = false;
};

const std::vector<Case> kCases{{"conv1d-small", 140, 32},
                               {"conv1d-medium", 0, 3, true},
                               {"conv1d-large", 0, 3, true},
                               {"conv1d-question", 0, 3, true},
                               {"bilstm-question", 0, 3, true},
                               {"mlp-784", 0, 32},
                               {"mlp-10", 0, 32},
                               {"cnn-28", 0, 2},
                               {"digits-mlp", 0, 32},
                               {"scalar-gradient", 0, 1},
                               {"noop", 0, 1}};

constexpr std::int64_t kMostNodesOfSmallConvolution = 11;  // a dependent node takes an H200 0.65 us at least

model::Model model_of(const Case& one) {
  if (!one.is_stored) return *model::find_model(one.name, one.length);
  std::ifstream file(support::source_folder() + "/tests/engine/vectors/" + one.name + ".json");
  std::stringstream text;
  text << file.rdbuf();
  return model::parse_model(text.str());
}

/// Multiplications and additions of a training step, as the model has them, whoever computes them.
std::int64_t megaflop(const model::Model& model, std::int64_t batch) {
  const model::Work work = model::training_work(model, batch);
  const double flop = work.forward_flop + work.input_gradient_flop + work.weight_gradient_flop;
  return static_cast<std::int64_t>(flop / 1e6);
}

/// The counts of a step.
struct StepCosts {
  Counters counters{};
  cuda_fakes::GraphNodes nodes{};
};

Counters difference(const Counters& after, const Counters& before) {
  Counters d{};
  d.allocations = after.allocations - before.allocations;
  d.frees = after.frees - before.frees;
  d.host_allocations = after.host_allocations - before.host_allocations;
  d.launches = after.launches - before.launches;
  d.captured = after.captured - before.captured;
  d.graph_launches = after.graph_launches - before.graph_launches;
  d.instantiations = after.instantiations - before.instantiations;
  d.synchronizations = after.synchronizations - before.synchronizations;
  d.copies_to_device = after.copies_to_device - before.copies_to_device;
  d.copies_to_host = after.copies_to_host - before.copies_to_host;
  d.copies_on_device = after.copies_on_device - before.copies_on_device;
  d.bytes_to_device = after.bytes_to_device - before.bytes_to_device;
  d.flop = after.flop - before.flop;
  d.heuristics = after.heuristics - before.heuristics;
  return d;
}

class SessionCosts : public CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    control.set_orders({StreamOrder::early, ThreadOrder::forward, 1});  // a device that is never behind the host
    control.set_protection(cuda_fakes::Protection::off);
  }

  struct Running {
    std::unique_ptr<Backend> backend;
    std::unique_ptr<Session> session;
    OwnedBatch batch;
  };

  static Running start(const model::Model& model, std::int64_t batch, Mode mode, Transfers transfers) {
    Random random(3);
    Running running;
    running.backend = make_backend({.transfers = transfers});
    std::vector<model::Tensor> weights;
    if (const auto* const network = std::get_if<model::Network>(&model)) {
      weights = model::initial_weights(*network, 5);
      running.batch = random_batch(random, *network, batch);
    } else if (std::holds_alternative<model::ScalarGradient>(model)) {
      running.batch.x = {3};
    }
    const Settings settings{.mode = mode, .batch = batch};
    running.session = make_session(model, weights, settings, *running.backend);
    for (int i = 0; i < 2; ++i) running.session->step(running.batch.view());  // two places of overlapped batches
    running.session->wait();
    return running;
  }

  template <class Step>
  StepCosts costs_of(const Step& step) {
    const Counters before = control.counters();
    step();
    return {difference(control.counters(), before), control.graph_nodes()};
  }
};

TEST_F(SessionCosts, AReplayedStepAllocatesNothingAndWaitsForNothing) {
  for (const Transfers transfers : {Transfers::pinned, Transfers::overlapped}) {
    for (const Case& one : kCases) {
      if (one.name == "noop") continue;
      const Running running = start(model_of(one), std::min<std::int64_t>(one.batch, 3), Mode::graph, transfers);
      const StepCosts fed = costs_of([&] { running.session->step(running.batch.view()); });
      const StepCosts in_place = costs_of([&] { running.session->step_in_place(); });
      for (const Counters& counters : {fed.counters, in_place.counters}) {
        EXPECT_EQ(counters.allocations, 0) << one.name;
        EXPECT_EQ(counters.frees, 0) << one.name;
        EXPECT_EQ(counters.host_allocations, 0) << one.name;
        EXPECT_EQ(counters.synchronizations, 0) << one.name;
        EXPECT_EQ(counters.captured, 0) << one.name;
        EXPECT_EQ(counters.instantiations, 0) << one.name;
        EXPECT_EQ(counters.heuristics, 0) << one.name;
        EXPECT_EQ(counters.graph_launches, 1) << one.name;
        EXPECT_EQ(counters.copies_to_host, 0) << one.name;
      }
      EXPECT_EQ(in_place.counters.copies_to_device, 0) << one.name;
    }
  }
}

TEST_F(SessionCosts, ASettledEagerStepAllocatesNothingAndWaitsForNothing) {
  const Running running = start(model_of(kCases[0]), 2, Mode::eager, Transfers::pinned);
  const Counters counters = costs_of([&] { running.session->step(running.batch.view()); }).counters;
  EXPECT_EQ(counters.allocations, 0);
  EXPECT_EQ(counters.host_allocations, 0);
  EXPECT_EQ(counters.synchronizations, 0);
  EXPECT_EQ(counters.heuristics, 0);
}

TEST_F(SessionCosts, OfEveryNamedModelAreThoseOfTheTable) {
  std::ostringstream table;
  table << "model length batch | graph: nodes path kernels products convolutions copies+fills | eager: launches | "
           "copies_in bytes_in mflop\n";
  for (const Case& one : kCases) {
    const model::Model model = model_of(one);
    const Running graph = start(model, one.batch, Mode::graph, Transfers::pinned);
    const StepCosts replayed = costs_of([&] { graph.session->step(graph.batch.view()); });
    const Running eager = start(model, one.batch, Mode::eager, Transfers::pinned);
    const StepCosts issued = costs_of([&] { eager.session->step(eager.batch.view()); });
    const cuda_fakes::GraphNodes nodes = one.name == "noop" ? cuda_fakes::GraphNodes{} : replayed.nodes;
    const std::int64_t launches = issued.counters.launches;
    table << one.name << (one.is_stored ? "(reduced)" : "") << ' ' << one.length << ' ' << one.batch << " | "
          << nodes.all << ' ' << nodes.longest_path << ' ' << nodes.kernels << ' ' << nodes.products << ' '
          << nodes.convolutions << ' ' << nodes.copies + nodes.fills << " | " << launches << " | "
          << replayed.counters.copies_to_device << ' ' << replayed.counters.bytes_to_device << ' '
          << megaflop(model, one.batch) << '\n';
    EXPECT_EQ(replayed.counters.flop, issued.counters.flop) << one.name;
    if (one.name == "conv1d-small") {
      EXPECT_LE(nodes.all, kMostNodesOfSmallConvolution);
    }
  }
  std::ifstream file(support::source_folder() + "/tests/engine/cuda/step_costs.txt");
  std::string committed, line;
  while (std::getline(file, line)) {
    if (!line.starts_with('#')) committed += line + '\n';
  }
  EXPECT_EQ(table.str(), committed) << "if that is meant, commit this table:\n" << table.str();
}

}  // namespace
}  // namespace regatta::engine::cuda
