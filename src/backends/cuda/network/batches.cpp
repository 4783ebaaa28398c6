#include "backends/cuda/network/batches.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <vector>

#include "backends/cuda/device.h"
#include "backends/cuda/moved.h"

namespace breakeven::cuda {
namespace {

/// A ring of places in pinned memory, one per batch, in two halves. Before a half is reused, the device must
/// have copied all of it.
template <typename T>
class Places {
 public:
  Places(std::size_t count, std::size_t size) : half_(count / 2), size_(size), memory_(count * size) {}

  /// Returns the next place, which is free.
  T* next() {
    // An event that was never recorded counts as reached.
    if (next_ % half_ == 0) check(cudaEventSynchronize(taken_[next_ / half_].get()), "the device");
    return memory_.data() + next_ * size_;
  }
  /// Records that copies from the place were enqueued.
  void sent(cudaStream_t stream) {
    if (next_ % half_ == half_ - 1) taken_[next_ / half_].record(stream);
    next_ = (next_ + 1) % (2 * half_);
  }

 private:
  std::size_t half_, size_;
  PinnedMemory<T> memory_;
  std::array<Event, 2> taken_;  // the last copy from each half
  std::size_t next_ = 0;
};

/// One split of a data set, as bytes.
class ImagesOnDevice {
 public:
  ImagesOnDevice(const LabelledImages& images, bool moves)
      : pixels_(on_device(images.pixels), moves), labels_(on_device(images.labels), moves) {}

  void copy_inputs_to_device(cudaStream_t stream) {
    pixels_.copy_inputs_to_device(stream);
    labels_.copy_inputs_to_device(stream);
  }
  const std::uint8_t* pixels() { return static_cast<const std::uint8_t*>(pixels_.data()); }
  const std::uint8_t* labels() { return static_cast<const std::uint8_t*>(labels_.data()); }

 private:
  static Memory on_device(std::span<const std::uint8_t> bytes) {
    return Memory::of(bytes.data(), std::ssize(bytes));
  }

  Moved pixels_, labels_;
};

/// The number of batches for which row numbers are held: at least two, and more up to a few MiB.
std::size_t places_of_rows(std::int64_t batch) {
  return 2 * static_cast<std::size_t>(batches_sent_at_once(batch));
}

/// A RowsPlace on the device.
class PlaceOnDevice {
 public:
  PlaceOnDevice() : memory_(static_cast<std::int64_t>(sizeof(RowsPlace))) {}
  /// Makes the first of `count` rows the next batch.
  void begin(std::int64_t count, cudaStream_t stream) {
    begin_rows(get(), count, stream);
    count_ = count;
  }
  /// Makes a batch of all rows the next one. If it was before, the device has already returned to it.
  void begin_only(std::int64_t batch, cudaStream_t stream) {
    if (count_ != batch) begin(batch, stream);
  }
  RowsPlace* get() { return memory_.as<RowsPlace>(); }

 private:
  Memory memory_;
  std::int64_t count_ = 0;
};

class ResidentImages final : public Batches {
 public:
  explicit ResidentImages(const ModelTask& task)
      : data_(task.data),
        batch_(task.batch),
        moves_(task.transfer == Transfer::Policy::once),
        places_(places_of_rows(task.batch), static_cast<std::size_t>(task.batch)),
        rows_(std::max<std::int64_t>(1, most_ahead()) * bytes_a_batch()) {}

  void send(Split, std::span<const std::uint32_t> rows, cudaStream_t stream) override {
    ahead_ = 0;
    std::uint32_t* place = places_.next();
    std::copy(rows.begin(), rows.end(), place);
    rows_.upload(place, 0, bytes_a_batch(), stream);
    places_.sent(stream);
    place_.begin_only(batch_, stream);
  }

  std::int64_t most_ahead() const override {
    constexpr std::int64_t bytes = std::int64_t{16} << 20U;  // the orders of 64 epochs of 60,000 images
    return bytes / bytes_a_batch();
  }

  void take_ahead(std::span<const std::uint32_t> rows, cudaStream_t stream) override {
    check(cudaStreamSynchronize(stream), "the device");  // it may still read the previous rows
    rows_.upload(rows.data(), 0, std::ssize(rows) * static_cast<std::int64_t>(sizeof(std::uint32_t)));
    place_.begin(std::ssize(rows), stream);
    ahead_ = std::ssize(rows) / batch_;
  }

  bool take_one() override {
    if (ahead_ == 0) return false;
    --ahead_;
    return true;
  }

  Batch batch(Split split) override {
    ImagesOnDevice& all = images(split);
    return {.images = {.pixels = all.pixels(), .labels = all.labels(), .rows = rows_.as<std::uint32_t>()},
            .place = place_.get()};
  }

  void copy_inputs_to_device(Split split, cudaStream_t stream) override {
    images(split).copy_inputs_to_device(stream);
  }

 private:
  std::int64_t bytes_a_batch() const { return batch_ * static_cast<std::int64_t>(sizeof(std::uint32_t)); }

  ImagesOnDevice& images(Split split) {
    auto found = images_.find(split);
    if (found == images_.end()) found = images_.try_emplace(split, data_->images(split), moves_).first;
    return found->second;
  }

  std::shared_ptr<const Dataset> data_;
  std::int64_t batch_;
  bool moves_;
  Places<std::uint32_t> places_;
  Memory rows_;
  PlaceOnDevice place_;
  std::int64_t ahead_ = 0;  // number of batches whose rows are on the device
  std::map<Split, ImagesOnDevice> images_;
};

class StreamedImages final : public Batches {
 public:
  explicit StreamedImages(const ModelTask& task)
      : data_(task.data),
        count_(task.batch),
        places_(4, static_cast<std::size_t>(count_ * (image_pixels + 1))),
        pixels_(count_ * image_pixels),
        labels_(count_),
        rows_(in_order(count_)) {}

  void send(Split split, std::span<const std::uint32_t> rows, cudaStream_t stream) override {
    const LabelledImages& images = data_->images(split);
    std::uint8_t* const pixels = places_.next();
    std::uint8_t* const labels = pixels + count_ * image_pixels;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::copy_n(images.image(rows[i]), image_pixels, pixels + i * image_pixels);
      labels[i] = images.labels[rows[i]];
    }
    pixels_.upload(pixels, stream);
    labels_.upload(labels, stream);
    places_.sent(stream);
    place_.begin_only(count_, stream);
  }

  Batch batch(Split) override {
    return {.images = {.pixels = pixels_.as<std::uint8_t>(),
                       .labels = labels_.as<std::uint8_t>(),
                       .rows = rows_.as<std::uint32_t>()},
            .place = place_.get()};
  }

 private:
  static Memory in_order(std::int64_t count) {
    std::vector<std::uint32_t> rows(static_cast<std::size_t>(count));
    std::iota(rows.begin(), rows.end(), 0U);
    return Memory::of(rows.data(), count * static_cast<std::int64_t>(sizeof(std::uint32_t)));
  }

  std::shared_ptr<const Dataset> data_;
  std::int64_t count_;
  Places<std::uint8_t> places_;
  Memory pixels_, labels_, rows_;
  PlaceOnDevice place_;
};

}  // namespace

std::int64_t batches_sent_at_once(std::int64_t batch) {
  constexpr std::int64_t few_mib = std::int64_t{4} << 20U;
  const std::int64_t half = few_mib / (2 * batch * static_cast<std::int64_t>(sizeof(std::uint32_t)));
  return std::clamp<std::int64_t>(half, 1, 32);
}

std::unique_ptr<Batches> make_batches(const ModelTask& task) {
  if (task.transfer == Transfer::Policy::each) return std::make_unique<StreamedImages>(task);
  return std::make_unique<ResidentImages>(task);
}

}  // namespace breakeven::cuda
