// Replaces convolution.cpp in a program that is built without cuDNN.
#include "backends/cuda/cudnn_library.h"
#include "backends/cuda/network/layers.h"
#include "worker/backend.h"

namespace breakeven::cuda {

std::string usable_cudnn_version() {
  return "";
}

namespace {

std::unique_ptr<LayerWork> refuse_convolution(const LayerSite&) {
  throw Unsupported(
      "this program was built without cuDNN's front end, which convolutions need: scripts/setup-cuda brings "
      "it, then build again");
}

const Layers::Registration conv2d_layer(LayerKind::conv2d, refuse_convolution);

}  // namespace
}  // namespace breakeven::cuda
