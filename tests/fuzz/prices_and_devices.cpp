// Fuzzes lists of prices and catalogues of devices: each is a ConfigError, or machines can be ranked with it,
// both measured and described ones.
#include "fuzz/input.h"
#include "fuzz/json_mutator.h"
#include "rank/device_catalogue.h"
#include "rank/prices.h"
#include "rank/rank.h"
#include "unit/reports_sample.h"

using namespace breakeven;

namespace {

const std::vector<Result>& results() {
  static const std::vector<Result> all = [] {
    Result gpu = sample::result(sample::with_gpu(1e-5));
    gpu.host.name = "gpu-box";
    BackendRecord cuda = sample::backend("cuda", true);
    cuda.device = "gpu";
    cuda.device_id = "GPU-1";
    cuda.device_name = "NVIDIA L4";
    gpu.backends = {sample::backend("onednn", true), sample::backend("blis", true), cuda};
    Gpu& device = gpu.host.gpus.emplace_back();
    device.id = "GPU-1";
    device.name = "NVIDIA L4";
    device.memory_bytes = std::int64_t{24} << 30U;
    Result cpu = sample::on_machine("cpu-box", sample::result(sample::with_gpu(1)));
    std::erase_if(cpu.cases, [](const CaseResult& c) { return c.backend == "cuda"; });
    cpu.backends = {sample::backend("onednn", true), sample::backend("blis", true)};
    for (CaseResult& c : gpu.cases) c.joules = 0.1;
    return std::vector<Result>{gpu, cpu};
  }();
  return all;
}

void rank_with(RankOptions options) {
  for (const Metric by : all_metrics) {
    options.by = by;
    const Rankings rankings = rank_by_work(results(), options);
    fuzz::expect_well_formed(&rankings);
    exit_status(rankings);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto path = fuzz::file_of("machines.json", fuzz::text_of_input(data, size));
  if (auto prices = fuzz::read_or_refuse<ConfigError>([&] { return read_prices(path); }))
    rank_with({.mix = {}, .prices = *std::move(prices), .catalogue = {}, .predicted = {}});
  auto catalogue = fuzz::read_or_refuse<ConfigError>([&] { return read_device_catalogue(path); });
  if (!catalogue) return 0;
  std::vector<std::string> names;
  for (const DeviceEntry& device : *catalogue) {
    names.push_back(device.name);
    find_device(*catalogue, device.name, std::int64_t{24} << 30U);
    find_processors(*catalogue, device.name, device.cores);
  }
  constexpr std::size_t most = 8;  // more would not test anything else
  if (catalogue->size() <= most)
    rank_with({.mix = {},
               .prices = {},
               .catalogue = *std::move(catalogue),
               .predicted = names,
               .predict_missing = true});
  return 0;
}
