#include "workloads/dataset.h"

#include <gmock/gmock.h>

#include "unit/messages.h"
#include "unit/network_fixtures.h"
#include "unit/variable_for_now.h"

namespace breakeven {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class NetworkDataset : public ::testing::Test {
 protected:
  NetworkDataset() { write_dataset(folder_.path(), 30, 20); }

  std::filesystem::path file(const std::string& name) const { return folder_.path() / name; }

  /// Expects that reading fails with a message that names `name`, contains `what` and gives a remedy.
  void expect_error(const std::string& name, const std::string& what) const {
    EXPECT_THAT(message_of<DatasetError>([&] { read_images(folder_.path(), Split::train); }),
                AllOf(HasSubstr(file(name).string()), HasSubstr(what),
                      HasSubstr("apt-get install dataset-fashion-mnist")));
  }

  TemporaryFolder folder_;
  const std::string images_ = "train-images-idx3-ubyte";
  const std::string labels_ = "train-labels-idx1-ubyte";
};

TEST_F(NetworkDataset, ReadsBothSplits) {
  const auto train = read_images(folder_.path(), Split::train);
  EXPECT_EQ(train.count(), 30U);
  EXPECT_EQ(train.pixels.size(), 30U * 784U);
  EXPECT_EQ(static_cast<char>(train.pixels[500]), idx_images(30, 1)[16 + 500]);
  EXPECT_EQ(static_cast<char>(train.labels[7]), idx_labels(30, 1)[8 + 7]);
  EXPECT_EQ(read_images(folder_.path(), Split::test).count(), 20U);
}

TEST_F(NetworkDataset, ReadsGzip) {
  const auto plain = read_images(folder_.path(), Split::train);
  for (const auto& name : {images_, labels_}) {
    write_gzip(file(name + ".gz"), read_file(file(name)));
    std::filesystem::remove(file(name));
  }
  const auto zipped = read_images(folder_.path(), Split::train);
  EXPECT_EQ(zipped.pixels, plain.pixels);
  EXPECT_EQ(zipped.labels, plain.labels);
}

/// A machine without Debian's package has the default data set elsewhere; a folder that a case names is not
/// replaced.
TEST_F(NetworkDataset, TheDefaultOneMayBeElsewhere) {
  constexpr const char* variable = "BREAKEVEN_FASHION_MNIST";
  const VariableForNow unset(variable, nullptr);
  EXPECT_EQ(dataset_folder(default_dataset), default_dataset);
  const VariableForNow set(variable, folder_.path().c_str());
  EXPECT_EQ(dataset_folder(default_dataset), folder_.path());
  EXPECT_EQ(dataset_folder("/elsewhere"), "/elsewhere");
}

TEST_F(NetworkDataset, WhatIsNoFileIsNamed) {
  std::filesystem::remove(file(labels_));
  expect_error(labels_, "no such file");
  write_file(file(labels_), idx_labels(30, 1));
  std::filesystem::remove(file(images_));
  std::filesystem::create_directory(file(images_));
  expect_error(images_, "cannot be read");
}

TEST_F(NetworkDataset, DamageIsNamedWithItsFile) {
  const std::string good_images = idx_images(30, 1);
  const std::string good_labels = idx_labels(30, 1);
  const auto with_byte = [](std::string bytes, std::size_t at, char byte) {
    bytes[at] = byte;
    return bytes;
  };
  struct Damage {
    std::string name, bytes, what;
  };
  for (const auto& [name, bytes, what] :
       {Damage{images_, "", "ends within its header"},
        Damage{images_, good_labels, "magic number is 2049 where 2051 is needed"},
        Damage{labels_, good_images, "magic number"},
        Damage{images_, with_byte(good_images, 15, 32), "number of columns is 32 where 28 is needed"},
        Damage{labels_, idx_labels(29, 1), "29 labels for the 30 images"},
        Damage{images_, idx_images(0, 1), "from 1 to"},
        Damage{images_, good_images.substr(0, good_images.size() - 1), "cut short"},
        Damage{labels_, good_labels + "x", "more in it than its header announces"},
        Damage{labels_, with_byte(good_labels, 8 + 4, 10), "label 4 is 10 and must be below 10"}}) {
    write_file(file(images_), good_images);
    write_file(file(labels_), good_labels);
    write_file(file(name), bytes);
    expect_error(name, what);
  }
}

TEST_F(NetworkDataset, HugeCountIsRefusedWithoutAllocating) {
  std::string images = idx_images(30, 1);
  images[4] = '\xff';  // 4278190110 images
  write_file(file(images_), images);
  expect_error(images_, "must hold from 1 to");

  // Within the limit, and still 7 GB: refused when the file ends, having taken no more than the file's size.
  images = idx_images(30, 1);
  std::string labels = idx_labels(30, 1);
  for (std::string* bytes : {&images, &labels}) {
    (*bytes)[4] = 0;
    (*bytes)[5] = '\x8f';
  }
  write_file(file(images_), images);
  write_file(file(labels_), labels);
  expect_error(images_, "cut short");
}

TEST_F(NetworkDataset, DamageOfGzipIsNamed) {
  const std::string zipped_name = images_ + ".gz";
  write_gzip(file(zipped_name), read_file(file(images_)));
  std::filesystem::remove(file(images_));
  const std::string zipped = read_file(file(zipped_name));
  const auto flipped = [&](std::size_t at, char bits) {
    std::string bytes = zipped;
    bytes[at] = static_cast<char>(bytes[at] ^ bits);
    return bytes;
  };
  for (const auto& [bytes, what] :
       {std::pair{flipped(zipped.size() - 8, 1), "gzip data is damaged"},  // the CRC-32, in the trailer
        std::pair{zipped.substr(0, zipped.size() / 2), "damaged or cut short"},
        std::pair{zipped.substr(0, zipped.size() - 4), "damaged or cut short"},
        std::pair{flipped(zipped.size() / 2, 0x10), ""}}) {
    write_file(file(zipped_name), bytes);
    expect_error(zipped_name, what);
  }
}

TEST_F(NetworkDataset, PixelsAreSpreadOverMinusOneToOne) {
  EXPECT_EQ(pixel_value(0), -1.0F);
  EXPECT_EQ(pixel_value(255), 1.0F);
  EXPECT_EQ(pixel_value(128), 1.0F / 255.0F);
  const auto train = read_images(folder_.path(), Split::train);
  const std::vector<std::uint32_t> rows{4, 4, 0};
  std::vector<float> values(rows.size() * image_pixels);
  train.gather(rows, values.data());
  EXPECT_EQ(values[400], pixel_value(train.image(4)[400]));
  EXPECT_EQ(values[784 + 400], values[400]);
  EXPECT_EQ(values[2 * 784 + 400], pixel_value(train.image(0)[400]));
}

TEST_F(NetworkDataset, IsReadOncePerProcess) {
  const auto first = open_dataset(folder_.path());
  EXPECT_EQ(first, open_dataset(folder_.path()));
  EXPECT_EQ(&first->images(Split::test), &first->images(Split::test));
}

}  // namespace
}  // namespace breakeven
