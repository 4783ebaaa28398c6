#include "workloads/dataset.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <system_error>
#include <utility>

namespace breakeven {
namespace {

namespace fs = std::filesystem;

constexpr const char* remedy =
    "get Fashion-MNIST with `apt-get install dataset-fashion-mnist`, or name a folder of IDX files of "
    "28 x 28 images in 10 classes by the parameter `data` or in BREAKEVEN_FASHION_MNIST";

[[noreturn]] void fail(const fs::path& file, const std::string& what) {
  throw DatasetError(fmt::format("{}: {}; {}", file.string(), what, remedy));
}

fs::path find_file(const fs::path& folder, const std::string& name) {
  std::error_code ignored;  // a file that cannot be examined counts as missing
  for (const char* suffix : {"", ".gz"}) {
    fs::path file = folder / (name + suffix);
    if (fs::exists(file, ignored)) return file;
  }
  fail(folder / name, "there is no such file, nor one with .gz behind it");
}

/// An IDX file. It is read through zlib, which passes on files that are not gzip unchanged.
class IdxFile {
 public:
  explicit IdxFile(fs::path path) : path_(std::move(path)), file_(gzopen(path_.c_str(), "rb")) {
    if (file_ == nullptr) fail(path_, fmt::format("it cannot be opened ({})", std::strerror(errno)));
    gzbuffer(file_.get(), 1U << 18U);
  }

  /// The next field of the header: 32-bit, big-endian.
  std::uint32_t number() {
    std::array<std::uint8_t, 4> bytes{};
    if (read(bytes.data(), bytes.size()) != bytes.size()) fail(path_, "it ends within its header");
    return std::uint32_t{bytes[0]} << 24U | std::uint32_t{bytes[1]} << 16U | std::uint32_t{bytes[2]} << 8U |
           bytes[3];
  }

  /// Throws if the next number in the header is not `wanted`.
  void expect(std::uint32_t wanted, const char* what) {
    const std::uint32_t found = number();
    if (found != wanted) fail(path_, fmt::format("its {} is {} where {} is needed", what, found, wanted));
  }

  std::uint32_t item_count() {
    // More than any such data set has, and too few to do harm.
    constexpr std::uint32_t most = 10'000'000;
    const std::uint32_t count = number();
    if (count == 0 || count > most)
      fail(path_, fmt::format("it says to hold {} items, and must hold from 1 to {}", count, most));
    return count;
  }

  /// The data after the header. Memory grows with the data that exists, whatever the header says.
  std::vector<std::uint8_t> rest(std::size_t size) {
    constexpr std::size_t step = std::size_t{1} << 24U;
    std::vector<std::uint8_t> bytes;
    while (bytes.size() < size) {
      const std::size_t had = bytes.size();
      bytes.resize(std::min(size, had + step));
      const std::size_t got = read(bytes.data() + had, bytes.size() - had);
      if (had + got < bytes.size())
        fail(path_,
             fmt::format("it is cut short: {} of the {} bytes that its header announces", had + got, size));
    }
    // Reading up to the end makes zlib verify the checksum as well.
    std::uint8_t beyond = 0;
    if (read(&beyond, 1) != 0) fail(path_, "there is more in it than its header announces");
    return bytes;
  }

  const fs::path& path() const { return path_; }

 private:
  std::size_t read(void* into, std::size_t size) {
    const int got = gzread(file_.get(), into, static_cast<unsigned>(size));
    int code = Z_OK;
    const char* words = gzerror(file_.get(), &code);
    if (code == Z_ERRNO) fail(path_, fmt::format("it cannot be read ({})", std::strerror(errno)));
    if (got < 0 || (code != Z_OK && code != Z_STREAM_END))
      fail(path_, fmt::format("its gzip data is damaged or cut short ({})", words));
    return static_cast<std::size_t>(got);
  }

  struct Close {
    void operator()(gzFile file) const { gzclose(file); }
  };
  fs::path path_;
  std::unique_ptr<gzFile_s, Close> file_;
};

constexpr std::uint32_t images_magic = 0x00000803;  // unsigned bytes, three dimensions
constexpr std::uint32_t labels_magic = 0x00000801;  // unsigned bytes, one dimension

}  // namespace

void LabelledImages::gather(std::span<const std::uint32_t> rows, float* values) const {
  for (const std::uint32_t row : rows) {
    std::transform(image(row), image(row) + image_pixels, values, pixel_value);
    values += image_pixels;
  }
}

LabelledImages read_images(const fs::path& folder, Split split) {
  const std::string prefix = split == Split::train ? "train" : "t10k";
  IdxFile images(find_file(folder, prefix + "-images-idx3-ubyte"));
  IdxFile labels(find_file(folder, prefix + "-labels-idx1-ubyte"));

  images.expect(images_magic, "magic number");
  const std::uint32_t count = images.item_count();
  images.expect(image_side, "number of rows");
  images.expect(image_side, "number of columns");
  labels.expect(labels_magic, "magic number");
  const std::uint32_t label_count = labels.item_count();
  if (count != label_count)
    fail(labels.path(), fmt::format("it has {} labels for the {} images of {}", label_count, count,
                                    images.path().filename().string()));

  LabelledImages read{.pixels = images.rest(std::size_t{count} * image_pixels), .labels = labels.rest(count)};
  const auto bad = std::find_if(read.labels.begin(), read.labels.end(),
                                [](std::uint8_t label) { return label >= classes; });
  if (bad != read.labels.end())
    fail(labels.path(),
         fmt::format("label {} is {} and must be below {}", bad - read.labels.begin(), *bad, classes));
  return read;
}

const LabelledImages& Dataset::images(Split split) const {
  const std::lock_guard lock(reading_);
  auto& images = split == Split::train ? train_ : test_;
  if (!images) images = read_images(folder_, split);
  return *images;
}

fs::path dataset_folder(const fs::path& folder) {
  const char* const elsewhere = std::getenv("BREAKEVEN_FASHION_MNIST");
  return folder == default_dataset && elsewhere != nullptr ? fs::path(elsewhere) : folder;
}

std::shared_ptr<const Dataset> open_dataset(const fs::path& folder) {
  static std::mutex opening;
  static std::map<fs::path, std::shared_ptr<const Dataset>> opened;
  const std::lock_guard lock(opening);
  auto& dataset = opened[folder];
  if (dataset == nullptr) dataset = std::make_shared<const Dataset>(dataset_folder(folder));
  return dataset;
}

}  // namespace breakeven
