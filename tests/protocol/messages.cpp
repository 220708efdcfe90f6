#include "protocol/messages.hpp"

namespace regatta::protocol::testing {
namespace {

template <class Link>
void append_frames(std::vector<Frame>& frames, const std::vector<Example<Link>>& examples, Form form) {
  for (const auto& example : examples)
    frames.push_back(form == Form::json ? to_frame(example.message) : to_packed(example.message));
}

}  // namespace

std::vector<stats::Sample> some_samples() {
  return {{.slice = 1,
           .arm = 2,
           .phase = stats::Phase::reentry,
           .flags = 4,
           .steps = 8,
           .start_seconds = 12.5,
           .seconds = 3e-4},
          {.slice = 9, .arm = 1, .phase = stats::Phase::first, .flags = 0, .steps = 1, .rank = 3, .seconds = 0.25}};
}

sweep::Parameters some_parameters() {
  using sweep::Param;
  sweep::Parameters parameters;
  parameters[Param::batch] = std::int64_t{32};
  parameters[Param::mode] = std::string("eager");
  parameters[Param::learning_rate] = 0.5;
  parameters.set(Param::own("layers.0.dense", Param::OwnKind::integer), std::int64_t{7});
  return parameters;
}

sweep::Dataset some_data() {
  sweep::Dataset dataset{"cells", "/d/x.npy", "/d/y.npy", "kind", 0.5, -1, "x.npy", "y.npy"};
  dataset.table = {.delimiter = ";",
                   .has_header = false,
                   .decimal = ",",
                   .missing = {"?", "-"},
                   .columns = {"a", "b"},
                   .drop = {""},
                   .categories = {"a"}};
  dataset.test = "/d/t.npy";
  dataset.test_labels_as_written = "l.npy";
  dataset.validation = "/d/v.npy";
  dataset.validation_as_written = "v.npy";
  dataset.split = {.test = 0.25, .stratified = false, .order = sweep::RowOrder::time, .group_column = "patient"};
  return dataset;
}

std::vector<sweep::BlockTask> some_tasks(std::uint32_t count) {
  using sweep::Param;
  sweep::ArmTask worker;
  worker.parameters[Param::model] = std::string("mine");
  worker.parameters[Param::batch] = std::int64_t{32};
  worker.parameters[Param::rewrite] = true;
  worker.parameters[Param::tail] = 0.5;
  worker.intervention = {sweep::InterventionKind::batch, 4};
  worker.model = model::Network{.name = "mine", .input = {4}, .layers = {model::Dense{3, model::Activation::relu}}};
  worker.dataset = some_data();
  worker.work_per_step = 32;
  sweep::ArmTask program;
  program.parameters[Param::command] = std::string("c");
  program.command = sweep::Command{"c", {"sleep", "1"}, "seconds", "./sleep"};
  program.command->output = sweep::KeptOutput::none;
  program.command->sources = {{"loss", "f", "p", "c", "k", "u"}};
  program.command->trial = hash128("a trial");
  sweep::BlockTask task;
  task.arms = {worker, program};
  task.has_baseline = task.has_clone = task.explains = task.takes_one_pair = task.confirms = true;
  task.exclusions = 8;
  task.contrasts = 12;
  task.families = {{3, 4}};
  task.measure = {.margin = 0.1,
                  .half_width = 0.2,
                  .relative_half_width = 0.3,
                  .per_contrast_seconds = 4,
                  .total_seconds = 60,
                  .metric = sweep::Metric::time_to_n,
                  .result = {},
                  .result_margin = 0.25,
                  .n = 1000,
                  .slices = 7,
                  .steps = 8,
                  .explain = true,
                  .again = false,
                  .same_work = {.gradient = 0.2, .loss = std::nullopt}};
  task.limits = {
      .trial_timeout_seconds = 9, .attempts = 2, .memory_bytes = 4096, .failures = 3, .retry_timeouts = true};
  task.wanted_seconds = 10;
  task.planning_seconds = 8;
  task.wall_seconds = 11;
  task.spreads.resize(2);
  task.spreads[0].add(0.0004, 3, 1e-5);
  task.spreads[1].add(0.01, 2, 0);
  task.leg = sweep::Leg{sweep::Purpose::again, 1003, 2, 0.25, 0.5};
  task.training = {.epochs = 2.5,
                   .steps = {},
                   .evaluations = 9,
                   .validation = 0.1,
                   .seeds = 8,
                   .early_stop = sweep::EarlyStop{4, 0.5},
                   .keep_weights = true};
  task.objective = {"f1", true, 0.25};
  std::vector<sweep::BlockTask> tasks(count, task);
  for (sweep::BlockTask& each : tasks) each.hash.bytes[0] = static_cast<std::uint8_t>(&each - tasks.data() + 1);
  return tasks;
}

namespace {

Train a_leg() {
  Train leg;
  leg.arm = {1};
  leg.from = 0.25;
  leg.to = 0.5;
  leg.data_path = "d";
  leg.checkpoint_path = "c";
  leg.epochs = 2.5;
  leg.evaluations = 9;
  leg.validation = 0.1;
  leg.patience = 4;
  leg.min_delta = 0.5;
  leg.metric = "f1";
  return leg;
}

Train a_test() {
  Train test = a_leg();
  test.from = test.to = 1;
  test.tests = true;
  test.epochs.reset();
  test.patience.reset();
  test.steps = 100;
  return test;
}

}  // namespace

std::vector<Example<WorkerRequest>> worker_requests() {
  return {
      {Hello{7}, R"({"type":"hello","version":7})"},
      {Prepare{{2}, some_parameters(), R"({"input":[4],"layers":[{"dense":3,"activation":"relu"}]})", "w", "b"},
       R"({"type":"prepare","arm":2,"parameters":)" + sweep::to_json(some_parameters()) +
           R"(,"model":{"input":[4],"layers":[{"dense":3,"activation":"relu"}]},"weights_path":"w","batches_path":"b"})"},
      {Prepare{{0}, {}, R"({"name":"noop"})", "", "", "kernels_emptied"},
       R"({"type":"prepare","arm":0,"parameters":)" + sweep::to_json(sweep::Parameters()) +
           R"(,"model":{"name":"noop"},"weights_path":"","batches_path":"","intervention":"kernels_emptied"})"},
      {Prepare{{0}, {}, R"({"name":"noop"})", "", "", "", 3},
       R"({"type":"prepare","arm":0,"parameters":)" + sweep::to_json(sweep::Parameters()) +
           R"(,"model":{"name":"noop"},"weights_path":"","batches_path":"","rank":3})"},
      {Join{{1}, {"/proc/7/fd/4", "/proc/8/fd/4"}, "/proc/6/fd/9", 240.0},
       R"({"type":"join","arm":1,"members":["/proc/7/fd/4","/proc/8/fd/4"],"stop":"/proc/6/fd/9",)"
       R"("patience_seconds":240.0})"},
      {Check{{1}, 5}, R"({"type":"check","arm":1,"steps":5})"},
      {Check{{1}, 5, true, CheckAs::shaken_again},
       R"({"type":"check","arm":1,"steps":5,"evidence":true,"as":"shaken_again"})"},
      {Slice{{1}, {stats::Phase::steady, 7, {5, 500, 1, true}}},
       R"({"type":"slice","arm":1,"phase":"steady","slice":7,"reentry_steps":5,"steps":500,"group":1,"wait_each":true})"},
      {Slice{{4294967295}, {stats::Phase::warmup, 6, {11, 100, 10}}},
       R"({"type":"slice","arm":4294967295,"phase":"warmup","slice":6,"reentry_steps":11,"steps":100,"group":10})"},
      {a_leg(), R"({"type":"train","arm":1,"from":0.25,"to":0.5,"data_path":"d","checkpoint_path":"c","epochs":2.5,)"
                R"("evaluations":9,"validation":0.1,"patience":4,"min_delta":0.5,"metric":"f1","maximizes":true})"},
      {a_test(), R"({"type":"train","arm":1,"from":1.0,"to":1.0,"tests":true,"data_path":"d","checkpoint_path":"c",)"
                 R"("steps":100,"evaluations":9,"validation":0.1,"min_delta":0.5,"metric":"f1","maximizes":true})"},
      {Release{{3}}, R"({"type":"release","arm":3})"},
      {Stop{}, R"({"type":"stop"})"},
  };
}

namespace {

sweep::Learned some_learned(sweep::LegEnd end = sweep::LegEnd::reached) {
  sweep::Learned learned;
  learned.end = end;
  learned.curve = {{"train_loss"}, {{5, 50, 0.5, 0.25, {1.5}}}};
  learned.best_step = 5;
  learned.best = {1.5};
  learned.training_samples = 40;
  return learned;
}

std::string learned_json(const std::string& end) {
  return R"({"end":")" + end +
         R"(","metrics":["train_loss"],"points":[[5,50,0.5,0.25,1.5]],"best_step":5,"best":[1.5],"samples":[40,0,0,0]})";
}

}  // namespace

std::vector<Example<WorkerReply>> worker_replies() {
  return {
      {Ready{2, "numpy", "1.24.2", {"eager"}, {"cpu"}, {{"blas", "openblas \"0.3\""}}},
       R"({"type":"ready","version":2,"engine":"numpy","engine_version":"1.24.2","modes":["eager"],"devices":["cpu"],)"
       R"("details":{"blas":"openblas \"0.3\""}})"},
      {Ready{1, "native", "0.1.0", {}, {"cpu"}, {}, {"input_resident", "kernels_emptied"}},
       R"({"type":"ready","version":1,"engine":"native","engine_version":"0.1.0","modes":[],"devices":["cpu"],)"
       R"("details":{},"interventions":["input_resident","kernels_emptied"]})"},
      {Prepared{{1}, 0.5, 1ULL << 40, 20},
       R"({"type":"prepared","arm":1,"seconds":0.5,"peak_bytes":1099511627776,"eager_ops":20})"},
      {Prepared{{1}, 0.5, 1024, 20, {}, std::nullopt, std::nullopt, "/proc/7/fd/4", "fused"},
       R"({"type":"prepared","arm":1,"seconds":0.5,"peak_bytes":1024,"eager_ops":20,"member":"/proc/7/fd/4",)"
       R"("arithmetic":"fused"})"},
      {Joined{{1}}, R"({"type":"joined","arm":1})"},
      {Prepared{{1}, 0.5, 1024, 20, {{sweep::Fact::kernels, "avx2; matmul 1 2 3"}}},
       R"({"type":"prepared","arm":1,"seconds":0.5,"peak_bytes":1024,"eager_ops":20,"kernels":"avx2; matmul 1 2 3"})"},
      {Prepared{{1}, 0.5, 1024, 20, {{sweep::Fact::plan_seconds, 0.25}}, DeviceMemory{2048, 1ULL << 37}},
       R"({"type":"prepared","arm":1,"seconds":0.5,"peak_bytes":1024,"eager_ops":20,"plan_seconds":0.25,)"
       R"("device_memory":{"held":2048,"limit":137438953472}})"},
      {Checked{{1}, {{0.5, 0.25}, {0.125, 0.1}}}, R"({"type":"checked","arm":1,"losses":[[0.5,0.25],[0.125,0.1]]})"},
      {Checked{{1}, {{0.5}}, std::nullopt, "0a0b"},
       R"({"type":"checked","arm":1,"losses":[[0.5]],"parameter_hash":"0a0b"})"},
      {Checked{{1}, {{0.5}}, std::nullopt, "", NumberType::bf16},
       R"({"type":"checked","arm":1,"losses":[[0.5]],"number_type":"bf16"})"},
      {Checked{{1}, {{0.5}}, std::nullopt, "", NumberType::fp32, OwnWeights{12, 0.5}},
       R"({"type":"checked","arm":1,"losses":[[0.5]],"number_type":"fp32","own_weights":{"count":12,"norm":0.5}})"},
      {Checked{
           {1}, {{0.5}}, Evidence{{{{"0.bias", {2, -2}}}}, {{{"0.bias", {1, 1}}}}, {{"0.bias", 0.25}}, {0.5, -0.5}}},
       R"({"type":"checked","arm":1,"losses":[[0.5]],"evidence":{"gradients":[{"0.bias":[2.0,-2.0]}],"updates":[{"0.bias":[1.0,1.0]}],"resolution":{"0.bias":0.25},"probe":[0.5,-0.5]}})"},
      {Samples{{2}, false, some_samples()}, R"({"type":"samples","arm":2,"last":false})"},
      {Samples{{2},
               true,
               some_samples(),
               {{sweep::Fact::input_bound_by, "decode"},
                {sweep::Fact::input_wait, 0.25},
                {sweep::Fact::input_slot_wait, 0.5}}},
       R"({"type":"samples","arm":2,"last":true,"input_bound_by":"decode","input_wait":0.25,"input_slot_wait":0.5})"},
      {Samples{{2},
               true,
               some_samples(),
               {{sweep::Fact::results, sweep::ProgramResults{{"residual", {"K", {1e-6}}}}},
                {sweep::Fact::exchange_buckets, std::vector<sweep::BucketTimes>{{4096, 0, 1.5, 2.5}}}}},
       R"({"type":"samples","arm":2,"last":true,"results":"{\"residual\":{\"unit\":\"K\",\"values\":[1e-06]}}",)"
       R"("exchange_buckets":"[{\"bytes\":4096,\"first_us\":0.0,\"last_us\":1.5,\"summed_us\":2.5}]"})"},
      {Progress{{2}, some_learned()}, R"({"type":"progress","arm":2,"learned":)" + learned_json("reached") + "}"},
      {Trained{{2}, some_learned(sweep::LegEnd::stopped)},
       R"({"type":"trained","arm":2,"learned":)" + learned_json("stopped") + "}"},
      {Released{{4}}, R"({"type":"released","arm":4})"},
      {Error{ArmIndex{2}, "out_of_memory", "line one\nline two", false},
       R"({"type":"error","arm":2,"kind":"out_of_memory","message":"line one\nline two","final":false})"},
      {Error{std::nullopt, "reported", "no arm", true},
       R"({"type":"error","arm":null,"kind":"reported","message":"no arm","final":true})"},
  };
}

std::vector<Example<SpawnerRequest>> spawner_requests() {
  return {
      {SpawnWorker{{5}, {"python3", "-m", "x"}, {{"A", "b c"}}, {0, 2}, "/tmp/log", 4096},
       R"({"type":"spawn_worker","worker":5,"argv":["python3","-m","x"],"variables":{"A":"b c"},"cpus":[0,2],)"
       R"("log_path":"/tmp/log","memory_bytes":4096})"},
      {RunProgram{{6}, {"true"}, {{"K", ""}}, {1}, "err", 1, "here", "out"},
       R"({"type":"run_program","worker":6,"argv":["true"],"variables":{"K":""},"cpus":[1],"log_path":"err",)"
       R"("memory_bytes":1,"folder":"here","output_path":"out"})"},
      {Kill{{8}}, R"({"type":"kill","worker":8})"},
      {Pause{{9}, false}, R"({"type":"pause","worker":9,"stopped":false})"},
      {EndProgram{{8}, 2.5}, R"({"type":"end_program","worker":8,"patience_seconds":2.5})"},
  };
}

std::vector<Example<SpawnerReply>> spawner_replies() {
  return {
      {Spawned{{3}, 4711}, R"({"type":"spawned","worker":3,"pid":4711})"},
      {SpawnFailed{{3}, "no such file"}, R"({"type":"spawn_failed","worker":3,"message":"no such file"})"},
      {Exited{{3}, 139, 1.5, 2.25, 1000, true, std::string("out\0put\n", 8), false, 3, 70, 3, true},
       R"({"type":"exited","worker":3,"wait_status":139,"start_seconds":1.5,"seconds":2.25,"peak_bytes":1000,)"
       R"("flooded":true,"error_bytes":3,"printed_bytes":70,"complained_bytes":3,"lost_told":true})"},
  };
}

std::vector<Example<AgentRequest>> agent_requests() {
  return {
      {Grant{{17}, 3, {2}, {{{1}, sweep::FailureKind::timed_out, "no answer"}}, {}, "", some_tasks(3)},
       R"({"type":"grant","first":17,"count":3,"attempt":2,)"
       R"("dropped":[{"arm":1,"kind":"timed_out","message":"no answer"}]})"},
      {Grant{{17}, 1, {3}, {}, {}, "no GPU", some_tasks(1)},
       R"({"type":"grant","first":17,"count":1,"attempt":3,"dropped":[],"without_device":"no GPU"})"},
      {Acknowledge{{17}, {2}}, R"({"type":"acknowledge","block":17,"attempt":2})"},
      {Finish{}, R"({"type":"finish"})"},
  };
}

namespace {

sweep::Facts some_facts() {
  using sweep::Fact;
  return {{Fact::engine_version, "v"},
          {Fact::prepare_seconds, 1.0},
          {Fact::peak_bytes, std::int64_t{1}},
          {Fact::verified_detail, "w"}};
}

sweep::ArmOutcome finished_arm() {
  using sweep::Fact;
  sweep::ArmOutcome finished{{0}, {}, sweep::Finished{}, "tf-2.15", "", "", sweep::Verified::yes, {}};
  finished.facts = {{Fact::engine_version, "2.15.0"},
                    {Fact::prepare_seconds, 0.5},
                    {Fact::peak_bytes, std::int64_t{2048}},
                    {Fact::verified_detail, "same"},
                    {Fact::kernels, "avx2"}};
  return finished;
}

sweep::ArmOutcome trained_arm() {
  using sweep::Fact;
  sweep::ArmOutcome trained{{0}, {}, sweep::Finished{}, "e", "", "", sweep::Verified::unchecked, {}};
  trained.facts = {{Fact::process_peaks, sweep::ProcessPeaks{1, 2}}, {Fact::why_stopped, sweep::WhyStopped::decided}};
  trained.learned = some_learned();
  return trained;
}

}  // namespace

std::vector<Example<AgentReply>> agent_replies() {
  const sweep::ArmOutcome finished = finished_arm(), trained = trained_arm();
  const sweep::Facts some = some_facts();
  const sweep::Failed crash{sweep::FailureKind::crashed, "signal 11"};
  const sweep::ArmOutcome failed{{1}, {}, crash, "e", "", "", sweep::Verified::no, some};
  const sweep::ArmOutcome skipped{
      {2}, {}, sweep::Skipped{"no GPU", sweep::SkipKind::not_answerable}, "e", "", "", sweep::Verified::no, some};
  const sweep::ArmOutcome open{{3}, {}, sweep::Lost{}, "e", "", "", sweep::Verified::unchecked, {}};
  const std::string rest =
      R"("environment":"e","verified":"no","facts":{"engine_version":"v","prepare_seconds":1.0,"peak_bytes":1,"verified_detail":"w"}})";
  return {
      {AgentReady{R"({"name":"n"})", {{0, 1}}, {stats::Flag::neighbours}, "boot 3"},
       R"({"type":"agent_ready","host":{"name":"n"},"cpus":[0,1],"flags":"neighbours","memory_domain":"boot 3"})"},
      {AgentReady{
           R"({"name":"n"})", {{2, 3}, sweep::SlotDevice{sweep::DeviceKind::cuda, "NVIDIA H100", "GPU-7a", 1}}, {}},
       R"({"type":"agent_ready","host":{"name":"n"},"cpus":[2,3],"device":{"kind":"cuda","name":"NVIDIA H100","uuid":"GPU-7a","index":1},)"
       R"("flags":"","memory_domain":""})"},
      {BlockResult{{4},
                   {2},
                   10.5,
                   11.5,
                   {finished, failed, skipped, open},
                   {stats::Flag::cores_shared},
                   R"({"threads":2})",
                   3,
                   some_samples()},
       R"({"type":"block_result","block":4,"attempt":2,"start_wall_seconds":10.5,"end_wall_seconds":11.5,"arms":[)"
       R"({"arm":0,"outcome":{"status":"finished"},"environment":"tf-2.15","verified":"yes",)"
       R"("facts":{"engine_version":"2.15.0","prepare_seconds":0.5,"peak_bytes":2048,"verified_detail":"same","kernels":"avx2"}},)"
       R"({"arm":1,"outcome":{"status":"failed","kind":"crashed","message":"signal 11"},)" +
           rest + R"(,{"arm":2,"outcome":{"status":"skipped","kind":"not_answerable","reason":"no GPU"},)" + rest +
           R"(,{"arm":3,"outcome":{"status":"open"},"environment":"e","verified":"unchecked","facts":{}})"
           R"(],"flags":"cores_shared","calibration":"{\"threads\":2}","undecided":3,"visits_seconds":0.0})"},
      {BlockResult{{5}, {1}, 10.5, 11.5, {}, {}, "", 0, {}, true},
       R"({"type":"block_result","block":5,"attempt":1,"start_wall_seconds":10.5,"end_wall_seconds":11.5,"arms":[],)"
       R"("flags":"","calibration":"","undecided":0,"interrupted":true,"visits_seconds":0.0})"},
      {BlockResult{{6}, {1}, 10.5, 11.5, {}, {}, "", 0, {}, false, {{1980.0, 0.0}, {1500.0, 2.5}}},
       R"({"type":"block_result","block":6,"attempt":1,"start_wall_seconds":10.5,"end_wall_seconds":11.5,"arms":[],)"
       R"("flags":"","calibration":"","undecided":0,"device":{"before":[1980.0,0.0],"after":[1500.0,2.5]},"visits_seconds":0.0})"},
      {BlockResult{{7}, {1}, 10.5, 11.5, {trained}, {}, "", 0, {}},
       R"({"type":"block_result","block":7,"attempt":1,"start_wall_seconds":10.5,"end_wall_seconds":11.5,"arms":[)"
       R"({"arm":0,"outcome":{"status":"finished"},"environment":"e","verified":"unchecked",)"
       R"("facts":{"process_peaks":"1 2","why_stopped":"decided"},"learned":)" +
           learned_json("reached") + R"(}],"flags":"","calibration":"","undecided":0,"visits_seconds":0.0})"},
      {AttemptFailed{{4}, {2}, {1}, sweep::FailureKind::out_of_memory, "killed"},
       R"({"type":"attempt_failed","block":4,"attempt":2,"arm":1,"kind":"out_of_memory","message":"killed"})"},
      {BlockStand{{4}, {2}, 7, 7, 7, 3, 6, false, 5, 61.5},
       R"({"type":"block_stand","block":4,"attempt":2,"arms":7,"prepared":7,"piloted":7,"pair":3,"pairs":6,)"
       R"("squares":5,"left_seconds":61.5})"},
      {BlockStand{{4}, {2}, 7, 7, 7, 4, 6, true, 6, 60},
       R"({"type":"block_stand","block":4,"attempt":2,"arms":7,"prepared":7,"piloted":7,"pair":4,"pairs":6,)"
       R"("starts":true,"squares":6,"left_seconds":60.0})"},
      {GivenBack{{{5}, {6}}}, R"({"type":"given_back","blocks":[5,6]})"},
      {DeviceLost{sweep::DeviceKind::cuda, "set aside", {{5}, {6}}},
       R"({"type":"device_lost","kind":"cuda","reason":"set aside","blocks":[5,6]})"},
  };
}

std::vector<Frame> all_frames(Form form) {
  std::vector<Frame> frames;
  append_frames(frames, worker_requests(), form);
  append_frames(frames, worker_replies(), form);
  append_frames(frames, spawner_requests(), form);
  append_frames(frames, spawner_replies(), form);
  append_frames(frames, agent_requests(), form);
  append_frames(frames, agent_replies(), form);
  return frames;
}

}  // namespace regatta::protocol::testing
