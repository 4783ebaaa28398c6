#include "workloads/copy.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>

#include "backends/cuda/arrays.h"
#include "backends/cuda/race.h"
#include "backends/cuda/work.h"

namespace breakeven::cuda {
namespace {

/// An array in host memory: pinned, or from malloc.
class HostArray {
 public:
  HostArray(std::int64_t bytes, bool pinned) {
    check_host_memory(static_cast<double>(bytes));
    const auto count = static_cast<std::size_t>(bytes);
    if (pinned) {
      pinned_.emplace(count);
    } else {
      pageable_.reset(static_cast<std::byte*>(std::malloc(count)));
      if (pageable_ == nullptr) throw OutOfMemory(fmt::format("malloc has no {} bytes", bytes));
    }
  }
  std::byte* data() { return pinned_ ? pinned_->data() : pageable_.get(); }

 private:
  std::optional<PinnedMemory<std::byte>> pinned_;
  Owned<std::byte, std::free> pageable_;
};

/// A copy over the link between host and device.
class LinkCopy final : public Work {
 public:
  LinkCopy(const Copy& problem, std::uint64_t seed)
      : p_(problem),
        seed_(seed),
        host_(p_.array.bytes, p_.pinned),
        device_(to_device() ? Memory(p_.array.bytes) : random_array(p_.array, numbers(), stream())) {
    if (to_device()) fill_inputs(p_.array.dtype, host_.data(), p_.array.elements(), numbers());
  }

  void run() override {
    void* const from = to_device() ? static_cast<void*>(host_.data()) : device_.data();
    void* const to = to_device() ? device_.data() : static_cast<void*>(host_.data());
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(p_.array.bytes),
                          to_device() ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, stream()),
          "cudaMemcpyAsync");
  }

  /// The array is in the caches of the host and of the device.
  bool flush() override {
    Work::flush();
    return false;
  }

  /// Empty for pageable memory, which has no time without the host's: the driver copies through pinned memory
  /// of its own, and waits for all earlier work in the stream.
  std::optional<double> device_seconds(const std::function<void()>& enqueue, std::int64_t runs,
                                       std::int64_t iterations, bool cold) override {
    return p_.pinned ? Work::device_seconds(enqueue, runs, iterations, cold) : std::nullopt;
  }

  Evidence show(const std::vector<std::int64_t>& elements) override {
    if (to_device()) {
      device_.poison(stream());
      run();
      wait();
      return show_array(p_.array, device_, seed_, elements);
    }
    poison_output(p_.array.dtype, host_.data(), p_.array.elements());
    run();
    wait();
    return evidence_of(p_.array.dtype, host_.data(), p_.array.shape(), seed_, elements);
  }

  std::string algorithm() const override { return "cudaMemcpyAsync"; }

 private:
  bool to_device() const { return p_.direction == Direction::to_device; }
  RandomStream numbers() const { return {seed_, stream::first_operand}; }

  Copy p_;
  std::uint64_t seed_;
  HostArray host_;
  Memory device_;
};

/// A copy within device memory: by the driver, or by the fastest kernel.
class DeviceCopy final : public Work {
 public:
  DeviceCopy(const Bandwidth& problem, std::uint64_t seed)
      : p_(problem),
        seed_(seed),
        from_(random_array(p_, RandomStream(seed, stream::first_operand), stream())),
        to_(p_.bytes) {
    std::vector<Way> ways{std::nullopt};
    for (const ArrayLaunch& launch : writing_launches()) ways.emplace_back(launch);
    const auto raced = race(stopwatch(), ways, p_.tuned, [this](const Way& way) { enqueue(way); });
    way_ = raced.fastest;
    algorithm_ = fmt::format("{}; {}", way_ ? way_->text() : "cudaMemcpyAsync", raced.text);
  }

  void run() override { enqueue(way_); }

  Evidence show(const std::vector<std::int64_t>& elements) override {
    to_.poison(stream());
    run();
    wait();
    return show_array(p_, to_, seed_, elements);
  }

  std::string algorithm() const override { return algorithm_; }

 private:
  using Way = std::optional<ArrayLaunch>;  // empty: the driver's copy

  void enqueue(const Way& way) {
    if (way) return copy_array(*way, from_.data(), to_.data(), p_.bytes, stream());
    check(cudaMemcpyAsync(to_.data(), from_.data(), static_cast<std::size_t>(p_.bytes),
                          cudaMemcpyDeviceToDevice, stream()),
          "cudaMemcpyAsync");
  }

  Bandwidth p_;
  std::uint64_t seed_;
  Memory from_, to_;
  Way way_;
  std::string algorithm_;
};

const OperationRegistration copy_registered({.op = "copy",
                                             .dtypes = array_dtypes,
                                             .prepare = [](const Case& problem,
                                                           std::uint64_t seed) -> std::unique_ptr<Prepared> {
                                               const Copy p(problem.parameters);
                                               if (p.direction == Direction::within)
                                                 return std::make_unique<DeviceCopy>(p.array, seed);
                                               return std::make_unique<LinkCopy>(p, seed);
                                             }});

}  // namespace
}  // namespace breakeven::cuda
