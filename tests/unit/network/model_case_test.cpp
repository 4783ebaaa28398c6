#include "network/model_case.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "backends/reference/expected_networks.h"
#include "backends/reference/reference_model.h"
#include "unit/network_fixtures.h"
#include "worker/timing.h"
#include "workloads/batch_order.h"

namespace breakeven {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint32_t train_images = 50;
constexpr std::uint32_t test_images = 25;
constexpr std::uint64_t seed = 3;

/// The calls of a model.
struct Log {
  std::vector<std::vector<std::uint32_t>> steps;
  std::vector<std::vector<std::uint32_t>> inferred;
  int resets = 0;
};

/// Does nothing: its losses are 0, and its logits are never written.
class SilentModel : public Model {
 public:
  void reset() override {}
  double train_step(std::span<const std::uint32_t>) override { return 0; }
  void infer(Split, std::span<const std::uint32_t>, float*) override {}
  std::string algorithm() const override { return "none"; }
};

/// A model whose loss is the number of steps since the last reset. Its logits predict the label of the first
/// requested image for all images.
class RecordingModel final : public SilentModel {
 public:
  RecordingModel(Log& log, ModelTask task) : log_(log), task_(std::move(task)) {}
  void reset() override {
    ++log_.resets;
    taken_ = 0;
  }
  double train_step(std::span<const std::uint32_t> rows) override {
    log_.steps.emplace_back(rows.begin(), rows.end());
    return taken_++;
  }
  void infer(Split split, std::span<const std::uint32_t> rows, float* logits) override {
    EXPECT_EQ(std::ssize(rows), task_.batch);
    log_.inferred.emplace_back(rows.begin(), rows.end());
    const LabelledImages& data = task_.data->images(split);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::fill_n(logits + i * classes, classes, 0.0F);
      // Right for the first 20 images, wrong for the others.
      const int label = data.labels[rows[i]];
      logits[i * classes + static_cast<std::size_t>(rows[i] < 20 ? label : (label + 1) % classes)] = 1;
    }
  }

 private:
  Log& log_;
  ModelTask task_;
  int taken_ = 0;
};

class NetworkModelCase : public ::testing::Test {
 protected:
  NetworkModelCase() { write_dataset(folder_.path(), train_images, test_images); }

  Case problem(const std::string& op, std::int64_t batch) const {
    return case_of(op, {{"network", "mlp"}, {"batch", batch}, {"data", folder_.path().string()}});
  }
  MakeModel recorder() {
    return [this](ModelTask task) { return std::make_unique<RecordingModel>(log_, std::move(task)); };
  }
  std::vector<std::uint32_t> batch_of_epoch(std::uint64_t epoch, std::size_t index, std::size_t batch) const {
    const auto order = epoch_order(train_images, seed, epoch);
    const auto first = order.begin() + static_cast<std::ptrdiff_t>(index * batch);
    return {first, first + static_cast<std::ptrdiff_t>(batch)};
  }

  TemporaryFolder folder_;
  Log log_;
};

TEST_F(NetworkModelCase, StepsFollowTheEpochsAndDropWhatIsLeftOver) {
  const auto training = make_training(problem("train", 16), seed, recorder());
  for (int step = 0; step < 7; ++step) training->run();
  ASSERT_EQ(log_.steps.size(), 7U);
  for (std::size_t step = 0; step < 7; ++step)
    EXPECT_EQ(log_.steps[step], batch_of_epoch(step / 3, step % 3, 16)) << step;
}

TEST_F(NetworkModelCase, OrdersOfEpochsAreMadeBeforeTheStepsThatAreTimed) {
  std::uint64_t made = 0;
  const auto count_made = [&](std::uint32_t count, std::uint64_t s, std::uint64_t epoch) {
    ++made;
    return epoch_order(count, s, epoch);
  };
  const auto training = make_training(problem("train", 16), seed, recorder(), count_made);
  training->run();
  for (const int steps : {1, 2, 3, 50}) {
    training->prepare_runs(steps);
    const auto before = made;
    for (int step = 0; step < steps; ++step) training->run();
    EXPECT_EQ(made, before) << steps;
  }
  EXPECT_EQ(made, 19U);  // epochs of 3 steps that 57 steps begin
  EXPECT_EQ(log_.steps.back(), batch_of_epoch(18, 2, 16));
  training->prepare_runs(1'000'000);
  EXPECT_EQ(made, distinct_orders);
}

/// A model that accepts a few batches in advance, and checks that the next batches are those.
class ForesightedModel final : public SilentModel {
 public:
  static constexpr std::int64_t most_ahead = 5;

  void reset() override { expected_.clear(); }
  double train_step(std::span<const std::uint32_t>) override {
    expected_.clear();
    return 0;
  }
  void start_step(std::span<const std::uint32_t> rows) override { expect(rows); }
  void infer(Split, std::span<const std::uint32_t> rows, float* logits) override {
    expected_.clear();
    std::fill_n(logits, rows.size() * classes, 0.0F);
  }
  void start_inference(Split split, std::span<const std::uint32_t> rows) override {
    EXPECT_EQ(split, Split::test);
    expect(rows);
  }
  std::int64_t most_batches_ahead() const override { return most_ahead; }
  void take_ahead(std::span<const std::uint32_t> rows) override {
    expected_.assign(rows.begin(), rows.end());
  }
  int foreseen = 0;

 private:
  void expect(std::span<const std::uint32_t> rows) {
    if (expected_.empty()) return;
    ASSERT_LE(rows.size(), expected_.size());
    EXPECT_TRUE(std::equal(rows.begin(), rows.end(), expected_.begin()));
    expected_.erase(expected_.begin(), expected_.begin() + std::ssize(rows));
    ++foreseen;
  }

  std::vector<std::uint32_t> expected_;
};

TEST_F(NetworkModelCase, RowsAreToldAheadAsTheyAreTaken) {
  for (const char* op : {"train", "infer"}) {
    ForesightedModel* model = nullptr;
    const MakeModel make = [&](const ModelTask&) {
      auto made = std::make_unique<ForesightedModel>();
      model = made.get();
      return made;
    };
    const Case asked = problem(op, 16);
    const auto prepared =
        op == std::string("train") ? make_training(asked, seed, make) : make_inference(asked, seed, make);
    prepared->run();  // not passed in advance
    EXPECT_EQ(model->foreseen, 0);
    prepared->prepare_runs(4);  // over the end of an epoch of 3, and of the test set
    for (int run = 0; run < 4; ++run) prepared->run();
    EXPECT_EQ(model->foreseen, 4) << op;
    prepared->prepare_runs(40);
    for (int run = 0; run < 3; ++run) prepared->run();
    EXPECT_EQ(model->foreseen, 7) << op;
    prepared->prepare_runs(40);  // fewer runs than were announced
    for (int run = 0; run < 40; ++run) prepared->run();
    EXPECT_EQ(model->foreseen, 7 + ForesightedModel::most_ahead) << op;
    if (op == std::string("train")) {
      prepared->train_epoch();
      EXPECT_EQ(model->foreseen, 7 + ForesightedModel::most_ahead + 3);
    }
  }
}

TEST_F(NetworkModelCase, LaterEpochsRepeatTheOrders) {
  EXPECT_EQ(epoch_order(train_images, seed, distinct_orders + 1), epoch_order(train_images, seed, 1));
  const auto training = make_training(problem("train", 50), seed, recorder());
  for (std::uint64_t step = 0; step < distinct_orders + 2; ++step) training->run();
  EXPECT_EQ(log_.steps.back(), batch_of_epoch(1, 0, 50));
}

/// A case that counts the runs that were announced, and those that were made.
class PreparedRuns final : public Prepared {
 public:
  void prepare_runs(std::int64_t runs) override { prepared += runs; }
  void run() override {
    EXPECT_GT(prepared, 0) << "run() was called more often than it was announced";
    --prepared;
  }
  std::optional<double> device_seconds(const std::function<void()>& enqueue, std::int64_t /*runs*/,
                                       std::int64_t iterations, bool /*cold*/) override {
    for (std::int64_t i = 0; i < iterations; ++i) enqueue();
    return 1;
  }
  Evidence show(const std::vector<std::int64_t>&) override { return {}; }
  std::string algorithm() const override { return "none"; }

  std::int64_t prepared = 0;
};

TEST(WorkerTiming, RunsAreAnnouncedBeforeTheyAreTimed) {
  for (const bool each : {false, true}) {
    PreparedRuns announced;
    SampleMode mode;
    mode.each_iteration = each;
    mode.transfer = {.policy = Transfer::Policy::once, .repetitions = 3};
    EXPECT_EQ(take_sample(announced, "announced", 7, mode).iterations, 7);
    EXPECT_EQ(announced.prepared, 0);
  }
}

TEST_F(NetworkModelCase, LossesAreTakenOnce) {
  const auto training = make_training(problem("train", 16), seed, recorder());
  training->run();
  training->run();
  EXPECT_THAT(training->take_losses(), ElementsAre(0, 1));
  training->run();
  EXPECT_THAT(training->take_losses(), ElementsAre(2));
  EXPECT_TRUE(training->take_losses().empty());
}

TEST_F(NetworkModelCase, ShowingStartsAndEndsAtTheInitialParameters) {
  const auto training = make_training(problem("train", 16), seed, recorder());
  training->run();
  log_ = {};
  const Evidence shown = training->show({0, 159});
  EXPECT_THAT(shown.losses, ElementsAre(0, 1, 2));
  EXPECT_EQ(shown.elements.size(), 2U);
  EXPECT_EQ(shown.projections.size(), 16U);
  EXPECT_EQ(log_.inferred.front(), batch_of_epoch(0, 0, 16));
  EXPECT_EQ(log_.steps.front(), batch_of_epoch(0, 0, 16));
  EXPECT_EQ(log_.resets, 2);
  training->run();
  EXPECT_EQ(log_.steps.back(), batch_of_epoch(0, 0, 16));
  EXPECT_THAT(training->take_losses(), ElementsAre(0));
}

TEST_F(NetworkModelCase, EpochsStartOverAndThenGoOn) {
  const auto training = make_training(problem("train", 16), seed, recorder());
  training->run();
  log_ = {};
  const answer::Epoch first = training->train_epoch();
  EXPECT_THAT(first.losses, ElementsAre(0, 1, 2));
  EXPECT_EQ(log_.resets, 1);
  EXPECT_EQ(log_.steps[2], batch_of_epoch(0, 2, 16));
  EXPECT_DOUBLE_EQ(first.accuracy, 20.0 / 25.0);  // the last batch's padding is not counted
  const answer::Epoch second = training->train_epoch();
  EXPECT_THAT(second.losses, ElementsAre(3, 4, 5));
  EXPECT_EQ(log_.resets, 1);
  EXPECT_EQ(log_.steps[3], batch_of_epoch(1, 0, 16));
}

/// A model of a device: steps are started, and their losses are copied on request. Nothing else may be called
/// while steps are timed.
class StartingModel final : public SilentModel {
 public:
  explicit StartingModel(int& waits) : waits_(waits) {}
  void reset() override { started_ = 0; }
  double train_step(std::span<const std::uint32_t>) override {
    ADD_FAILURE() << "waited for a step";
    return 0;
  }
  void start_step(std::span<const std::uint32_t>) override { ++started_; }
  std::vector<double> finish_steps() override {
    ++waits_;
    return std::vector<double>(static_cast<std::size_t>(std::exchange(started_, 0)), 2.5);
  }
  void infer(Split, std::span<const std::uint32_t>, float*) override { ADD_FAILURE() << "waited for logits"; }
  void start_inference(Split, std::span<const std::uint32_t>) override { ++started_; }

 private:
  int& waits_;
  int started_ = 0;
};

TEST_F(NetworkModelCase, ADeviceIsNotWaitedForWhileItIsTimed) {
  int waits = 0;
  const auto make = [&](const ModelTask&) { return std::make_unique<StartingModel>(waits); };
  const auto training = make_training(problem("train", 16), seed, make);
  for (int step = 0; step < 5; ++step) training->run();
  EXPECT_EQ(waits, 0);
  EXPECT_THAT(training->take_losses(), ElementsAre(2.5, 2.5, 2.5, 2.5, 2.5));
  EXPECT_EQ(waits, 1);
  make_inference(problem("infer", 10), seed, make)->run();
  EXPECT_EQ(waits, 1);
}

TEST_F(NetworkModelCase, AGraphIsWhatTheCaseSays) {
  const auto task_with = [&](bool graph) {
    const Given given{{"network", "mlp"}, {"batch", 16}, {"data", folder_.path().string()}, {"graph", graph}};
    return model_task(case_of("train", given).parameters, seed);
  };
  EXPECT_TRUE(task_with(true).graph);
  EXPECT_FALSE(task_with(false).graph);
}

TEST_F(NetworkModelCase, InferenceGoesRoundTheTestSet) {
  const auto inference = make_inference(problem("infer", 10), seed, recorder());
  for (int i = 0; i < 3; ++i) inference->run();
  EXPECT_THAT(log_.inferred[0], ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_THAT(log_.inferred[2], ElementsAre(20, 21, 22, 23, 24, 0, 1, 2, 3, 4));
  inference->show({0});
  EXPECT_EQ(log_.inferred.back(), log_.inferred[0]);
}

TEST_F(NetworkModelCase, InferenceTakesBatchesLargerThanTheTestSet) {
  const auto inference = make_inference(problem("infer", 60), seed, recorder());
  inference->run();
  inference->run();
  EXPECT_EQ(log_.inferred[0][25], 0U);
  EXPECT_EQ(log_.inferred[1][0], 10U);
}

TEST_F(NetworkModelCase, ABatchLargerThanTheTrainingSetIsRefused) {
  try {
    make_training(problem("train", 51), seed, recorder());
    FAIL() << "not refused";
  } catch (const InvalidCase& e) {
    EXPECT_EQ(e.parameter(), "batch");
    EXPECT_THAT(e.what(), HasSubstr("50 images"));
  }
}

TEST_F(NetworkModelCase, LogitsThatAreNeverWrittenAreSeen) {
  const Case infer = problem("infer", 8);
  const auto elements = elements_to_check(80, seed);
  const Evidence truth = reference_result(infer, seed, elements);
  const auto silent =
      make_inference(infer, seed, [](const ModelTask&) { return std::make_unique<SilentModel>(); });
  EXPECT_FALSE(
      judge(truth, silent->show(elements), infer.workload->tolerance(infer.parameters, truth)).correct);
}

TEST_F(NetworkModelCase, TheReferenceModelShowsTheTruth) {
  for (const char* op : {"train", "infer"}) {
    const Case c = problem(op, 12);
    const auto elements = elements_to_check(120, seed);
    const Evidence truth = reference_result(c, seed, elements);
    EXPECT_EQ(truth.elements.size(), 120U);
    const auto make = [](ModelTask task) { return std::make_unique<ReferenceModel>(std::move(task)); };
    const auto prepared =
        op == std::string("train") ? make_training(c, seed, make) : make_inference(c, seed, make);
    const auto verdict = judge(truth, prepared->show(elements), c.workload->tolerance(c.parameters, truth));
    EXPECT_TRUE(verdict.correct) << verdict.detail;
  }
}

TEST_F(NetworkModelCase, TheNumberOfThreadsDoesNotChangeTheReference) {
  for (const char* network : {"mlp", "lenet", "transformer"}) {
    for (const std::int64_t batch : {std::int64_t{5}, std::int64_t{33}}) {  // in one part, and in two
      const Case c = case_of("train", {{"network", std::string(network)},
                                       {"batch", batch},
                                       {"optimizer", std::string("adam")},
                                       {"data", problem("train", 8).parameters.text("data")}});
      const auto losses = [&](int threads) {
        ReferenceModel model(model_task(c.parameters, seed), threads);
        const auto rows = batch_of_epoch(0, 0, batch);
        std::vector<double> all{model.train_step(rows), model.train_step(rows)};
        all.insert(all.end(), model.logits().begin(), model.logits().end());
        return all;
      };
      const std::vector<double> by_one = losses(1);
      EXPECT_EQ(by_one, losses(2)) << network << " " << batch;
      EXPECT_EQ(by_one, losses(7)) << network << " " << batch;
    }
  }
}

// Batch sizes that do not divide the reference's chunks, and epochs that end within the first steps.
TEST_F(NetworkModelCase, TheTruthCrossesEpochs) {
  const Case c = problem("train", 30);
  const Evidence truth = reference_result(c, seed, {0});
  ReferenceModel model(model_task(c.parameters, seed));
  for (std::uint64_t step = 0; step < 3; ++step)
    EXPECT_DOUBLE_EQ(truth.losses[step], model.train_step(batch_of_epoch(step, 0, 30)));
}

}  // namespace
}  // namespace breakeven
