// Fuzzes the files of a data set, plain or gzipped: they are images whose pixels and labels can all be used,
// or a DatasetError. The first two bytes of an input are the number of the others that form the images' file.
#include "workloads/dataset.h"

#include <algorithm>
#include <numeric>

#include "fuzz/input.h"

using namespace breakeven;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string files = fuzz::text_of_input(data + 2, size - 2);
  const std::size_t images = std::min(files.size(), std::size_t{data[0]} << 8U | data[1]);
  fuzz::file_of("t10k-images-idx3-ubyte", files.substr(0, images));
  const auto folder = fuzz::file_of("t10k-labels-idx1-ubyte", files.substr(images)).parent_path();
  const auto read = fuzz::read_or_refuse<DatasetError>([&] { return read_images(folder, Split::test); });
  if (!read) return 0;
  std::vector<std::uint32_t> rows(read->count());
  std::iota(rows.begin(), rows.end(), 0U);
  std::vector<float> values(rows.size() * image_pixels);
  read->gather(rows, values.data());
  const auto is_value = [](float value) { return value >= -1 && value <= 1; };
  const auto is_class = [](std::uint8_t label) { return label < classes; };
  if (!std::all_of(values.begin(), values.end(), is_value) ||
      !std::all_of(read->labels.begin(), read->labels.end(), is_class))
    throw std::logic_error("a pixel or a label is out of its range");
  return 0;
}
