// Tests cuDNN's plans for our convolutions on GPUs that are not here: its heuristics can plan for a GPU by
// its description (cuDNN front end, "Deviceless ahead-of-time compilation"). If a plan can be built, cuDNN
// accepts the problem as described; its results can only be tested on the GPU.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <set>

#include "backends/cuda/capability.h"
#include "backends/cuda/convolution_graph.h"
#include "backends/cuda/cudnn_library.h"
#include "plan/config.h"
#include "worker/backend.h"

#if CUDNN_VERSION >= 90800

namespace breakeven::cuda {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A GPU, as cudaGetDeviceProperties describes it. Sources: CUDA C++ Programming Guide, "Technical
/// specifications per compute capability"; numbers of processors, memory and cache from NVIDIA's data sheets.
struct Card {
  const char* name;
  Capability capability;
  int processors;
  int threads_per_processor, blocks_per_processor;
  int shared_kib_per_block;  // limit for a kernel
  int l2_mib, memory_gib, clock_mhz, memory_mhz;

  friend void PrintTo(const Card& card, std::ostream* out) { *out << card.name; }
};

constexpr Card t4{"Tesla T4", {7, 5}, 40, 1024, 16, 64, 4, 15, 1590, 5001};
constexpr Card a100{"NVIDIA A100-SXM4-80GB", {8, 0}, 108, 2048, 32, 163, 40, 79, 1410, 1593};
constexpr Card rtx4090{"NVIDIA GeForce RTX 4090", {8, 9}, 128, 1536, 24, 99, 72, 23, 2520, 10501};
constexpr Card h200{"NVIDIA H200", {9, 0}, 132, 2048, 32, 227, 50, 139, 1980, 3201};

/// The properties in cuDNN's form. Most names are those of cudaDeviceProp.
std::shared_ptr<const fe::DeviceProperties> properties_of(const Card& card) {
  const nlohmann::json description = {
      {"cudaDeviceId", 0},
      {"deviceName", card.name},
      {"deviceVer", 100 * card.capability.major + 10 * card.capability.minor},
      {"driverVer", 13000},
      {"isTccDriver", 0},
      {"l2CacheSize", card.l2_mib << 20},
      {"maxBlockSize", {1024, 1024, 64}},
      {"maxCtasPerSM", card.blocks_per_processor},
      {"maxGridSize", {2147483647, 65535, 65535}},
      {"maxRegistersPerSM", 65536},
      {"maxSharedMemoryPerBlock", 48 << 10},
      {"maxSharedMemoryPerBlockOptin", card.shared_kib_per_block << 10},
      {"maxThreadsPerBlock", 1024},
      {"maxThreadsPerSM", card.threads_per_processor},
      {"memClockRateKHz", card.memory_mhz * 1000},
      {"multiProcessorCount", card.processors},
      {"pciDeviceId", 0},
      {"regsPerBlock", 65536},
      {"reservedSharedMemoryPerBlock", card.capability.major < 8 ? 0 : 1024},
      {"smClockRateKHz", card.clock_mhz * 1000},
      {"supportCoopLaunch", 1},
      {"totalGlobalMem", std::int64_t{card.memory_gib} << 30},
      {"warpSize", 32},
  };
  const std::string text = description.dump();
  auto properties = std::make_shared<fe::DeviceProperties>();
  const auto read = properties->deserialize({text.begin(), text.end()});
  EXPECT_TRUE(read.is_good()) << card.name << ": " << read.err_msg;
  return properties;
}

/// Builds cuDNN's plans for a problem on a GPU, in its order of preference, until visit(graph, plan) returns
/// true. Returns the reason why no plan can be built; empty if one can.
template <typename Visit>
std::string build_plans(const ConvolutionProblem& problem, const Card& card, const Visit& visit) {
  ConvolutionGraph convolution(problem);
  fe::graph::Graph& graph = convolution.get();
  graph.set_device_properties(properties_of(card));
  std::string why = convolution.plan(nullptr).err_msg;
  if (!why.empty()) return why;
  why = "the heuristics name none";
  bool any = false;
  for (std::int64_t i = 0; i < graph.get_execution_plan_count(); ++i) {
    const auto built = graph.build_plan_at_index(i);
    any = any || built.is_good();
    if (built.is_bad()) why = built.err_msg;
    if (built.is_good() && visit(graph, i)) break;
  }
  return any ? "" : why;
}

/// The reason why cuDNN has no plan for a problem on a GPU; empty if it has one.
std::string why_none(const ConvolutionProblem& problem, const Card& card) {
  return build_plans(problem, card, [](fe::graph::Graph&, std::int64_t) { return true; });
}

std::set<std::string> names_of_plans(const ConvolutionProblem& problem, const Card& card) {
  std::set<std::string> names;
  const auto why = build_plans(problem, card, [&](fe::graph::Graph& graph, std::int64_t plan) {
    std::string name;
    if (graph.get_plan_name_at_index(plan, name).is_good()) names.insert(name);
    return false;
  });
  EXPECT_THAT(why, IsEmpty());
  return names;
}

/// The workspace, in bytes, of the first plan that can be built.
std::int64_t workspace_of_first_plan(const ConvolutionProblem& problem, const Card& card) {
  std::int64_t bytes = -1;
  const auto why = build_plans(problem, card, [&](fe::graph::Graph& graph, std::int64_t plan) {
    return graph.get_workspace_size_plan_at_index(plan, bytes).is_good();
  });
  EXPECT_THAT(why, IsEmpty());
  return bytes;
}

/// A layer of ResNet-50, in f32.
ConvolutionProblem resnet_layer() {
  return {.source = {16, 64, 56, 56},
          .weights = {64, 64, 3, 3},
          .result = {16, 64, 56, 56},
          .pad_h = 1,
          .pad_w = 1};
}

/// Expects plans in every dtype of the GPU; forward with and without bias and ReLU.
void expect_plans(const Case& problem, const Card& card) {
  ConvolutionProblem p = ConvolutionProblem::of(Conv2d(problem.parameters));
  for (const Dtype dtype : computed_by(card.capability, {Dtype::f32, Dtype::tf32, Dtype::f16, Dtype::bf16})) {
    p.dtype = dtype;
    for (const bool fused : {false, true}) {
      if (fused && p.pass != Pass::forward) continue;
      p.bias_and_relu = fused;
      EXPECT_THAT(why_none(p, card), IsEmpty()) << problem.id() << " in " << name(dtype)
                                                << (fused ? " with bias and ReLU" : "") << ", " << card.name;
    }
  }
}

class CudnnPlans : public testing::TestWithParam<Card> {
 protected:
  void SetUp() override { ASSERT_THAT(open_cudnn(CUDNN_FILE, CUDNN_MAJOR), IsEmpty()); }
};
using SlowCudnnPlans = CudnnPlans;

/// The examples with which `breakeven conformance` checks a backend: odd sizes, groups, dilation, every pass.
TEST_P(CudnnPlans, ForEachExample) {
  const Workload* conv2d = find_workload("conv2d");
  for (const Parameters& parameters : conv2d->examples())
    expect_plans(make_case(*conv2d, parameters), GetParam());
}

/// In f32 both layouts are raced.
TEST_P(CudnnPlans, ForEachExampleInNchw) {
  const Workload* conv2d = find_workload("conv2d");
  for (const Parameters& parameters : conv2d->examples()) {
    const Case problem = make_case(*conv2d, parameters);
    ConvolutionProblem p = ConvolutionProblem::of(Conv2d(problem.parameters));
    p.layout = TensorLayout::nchw;
    for (const Dtype dtype : computed_by(GetParam().capability, {Dtype::f32, Dtype::tf32})) {
      p.dtype = dtype;
      EXPECT_THAT(why_none(p, GetParam()), IsEmpty()) << problem.id() << " in " << name(dtype);
    }
  }
}

/// In f32, NHWC costs copies of both tensors to the other layout, except on Turing.
TEST_P(CudnnPlans, OfF32TransposeUnlessInNchw) {
  ConvolutionProblem p = resnet_layer();
  const std::int64_t of_both_tensors = std::int64_t{4} * (p.source.elements() + p.result.elements());
  if (GetParam().capability.major >= 8) {
    EXPECT_GE(workspace_of_first_plan(p, GetParam()), of_both_tensors);
  }
  p.layout = TensorLayout::nchw;
  EXPECT_LT(workspace_of_first_plan(p, GetParam()), of_both_tensors / 10);
}

/// TF32 has plans if tensor cores support it. f32 never uses it.
TEST_P(CudnnPlans, OfF32LeaveTensorCoresAlone) {
  if (GetParam().capability.major < 8) GTEST_SKIP() << "has no TF32";
  ConvolutionProblem p = resnet_layer();
  const auto f32 = names_of_plans(p, GetParam());
  p.dtype = Dtype::tf32;
  const auto tf32 = names_of_plans(p, GetParam());
  EXPECT_THAT(f32, Not(IsEmpty()));
  EXPECT_THAT(tf32, testing::IsSupersetOf(f32));
  EXPECT_GT(tf32.size(), 2 * f32.size());
}

/// A network's f32 layer: the first plan for the weights' gradient is not deterministic on most cards.
TEST_P(CudnnPlans, ThatAreDeterministicLeaveOutTheOthers) {
  ConvolutionProblem p{.pass = Pass::backward_weights,
                       .source = {128, 32, 14, 14},
                       .weights = {64, 32, 3, 3},
                       .result = {128, 64, 14, 14},
                       .pad_h = 1,
                       .pad_w = 1};
  for (const TensorLayout layout : {TensorLayout::nhwc, TensorLayout::nchw}) {
    p.layout = layout;
    p.deterministic = false;
    const auto all = names_of_plans(p, GetParam());
    p.deterministic = true;
    const auto deterministic = names_of_plans(p, GetParam());
    EXPECT_THAT(deterministic, Not(IsEmpty()));
    EXPECT_THAT(all, testing::IsSupersetOf(deterministic));
    EXPECT_LT(deterministic.size(), all.size());
  }
}

/// The published list of convolutions, and the layers of ResNet-50.
TEST_P(SlowCudnnPlans, ForEachOfTheConfigs) {
  for (const char* config : {"deepbench-conv.json", "gpu-vs-pytorch.json"}) {
    for (const auto& [problem, label] :
         read_config(std::filesystem::path(BREAKEVEN_SOURCE_DIR) / "configs" / config).cases) {
      if (problem.workload->op() == "conv2d") expect_plans(problem, GetParam());
    }
  }
}

std::string card_name(const testing::TestParamInfo<Card>& card) {
  std::string name = card.param.name;
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
}
INSTANTIATE_TEST_SUITE_P(On, CudnnPlans, testing::Values(t4, a100, rtx4090, h200), card_name);
INSTANTIATE_TEST_SUITE_P(On, SlowCudnnPlans, testing::Values(t4, h200), card_name);

TEST(ConvolutionGraph, RefusesWhatCudnnsKernelsCannotCount) {
  const ConvolutionProblem p{
      .source = {1024, 64, 256, 256}, .weights = {64, 64, 1, 1}, .result = {1024, 64, 256, 256}};
  EXPECT_THROW(ConvolutionGraph{p}, Unsupported);
}

}  // namespace
}  // namespace breakeven::cuda

#endif
