#include "workloads/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "unit/messages.h"
#include "unit/network_fixtures.h"

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
  EXPECT_EQ(dataset_folder(default_dataset), default_dataset);
  setenv("BREAKEVEN_FASHION_MNIST", folder_.path().c_str(), 1);
  EXPECT_EQ(dataset_folder(default_dataset), folder_.path());
  EXPECT_EQ(dataset_folder("/elsewhere"), "/elsewhere");
  unsetenv("BREAKEVEN_FASHION_MNIST");
}

TEST_F(NetworkDataset, MissingFile) {
  std::filesystem::remove(file(labels_));
  expect_error(labels_, "no such file");
}

TEST_F(NetworkDataset, EmptyFile) {
  write_file(file(images_), "");
  expect_error(images_, "ends within its header");
}

TEST_F(NetworkDataset, FolderInPlaceOfAFile) {
  std::filesystem::remove(file(images_));
  std::filesystem::create_directory(file(images_));
  expect_error(images_, "cannot be read");
}

TEST_F(NetworkDataset, WrongMagic) {
  write_file(file(images_), idx_labels(30, 1));
  expect_error(images_, "magic number is 2049 where 2051 is needed");
}

TEST_F(NetworkDataset, LabelsWhereImagesShouldBe) {
  write_file(file(labels_), idx_images(30, 1));
  expect_error(labels_, "magic number");
}

TEST_F(NetworkDataset, OtherImageSize) {
  std::string bytes = idx_images(30, 1);
  bytes[15] = 32;
  write_file(file(images_), bytes);
  expect_error(images_, "number of columns is 32 where 28 is needed");
}

TEST_F(NetworkDataset, CountsDisagree) {
  write_file(file(labels_), idx_labels(29, 1));
  expect_error(labels_, "29 labels for the 30 images");
}

TEST_F(NetworkDataset, NoImages) {
  write_file(file(images_), idx_images(0, 1));
  expect_error(images_, "from 1 to");
}

TEST_F(NetworkDataset, CutShort) {
  std::string bytes = idx_images(30, 1);
  bytes.resize(bytes.size() - 1);
  write_file(file(images_), bytes);
  expect_error(images_, "cut short");
}

TEST_F(NetworkDataset, MoreThanAnnounced) {
  write_file(file(labels_), idx_labels(30, 1) + "x");
  expect_error(labels_, "more in it than its header announces");
}

TEST_F(NetworkDataset, LabelOutOfRange) {
  std::string bytes = idx_labels(30, 1);
  bytes[8 + 4] = 10;
  write_file(file(labels_), bytes);
  expect_error(labels_, "label 4 is 10 and must be below 10");
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

class NetworkDatasetGzip : public NetworkDataset {
 protected:
  NetworkDatasetGzip() {
    write_gzip(file(images_ + ".gz"), read_file(file(images_)));
    std::filesystem::remove(file(images_));
    zipped_ = read_file(file(images_ + ".gz"));
  }
  std::string zipped_;
};

TEST_F(NetworkDatasetGzip, WrongChecksum) {
  zipped_[zipped_.size() - 8] ^= 1;  // the CRC-32 is the last eight bytes' first half
  write_file(file(images_ + ".gz"), zipped_);
  expect_error(images_ + ".gz", "gzip data is damaged");
}

TEST_F(NetworkDatasetGzip, CutShort) {
  zipped_.resize(zipped_.size() / 2);
  write_file(file(images_ + ".gz"), zipped_);
  expect_error(images_ + ".gz", "damaged or cut short");
}

TEST_F(NetworkDatasetGzip, CutWithinTheTrailer) {
  zipped_.resize(zipped_.size() - 4);
  write_file(file(images_ + ".gz"), zipped_);
  expect_error(images_ + ".gz", "damaged or cut short");
}

TEST_F(NetworkDatasetGzip, FlippedBit) {
  zipped_[zipped_.size() / 2] ^= 0x10;
  write_file(file(images_ + ".gz"), zipped_);
  expect_error(images_ + ".gz", "");
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
