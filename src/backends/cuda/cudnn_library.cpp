#include "backends/cuda/cudnn_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace cudnn_frontend {
/// The handle in which the front end looks up cuDNN's functions; it requires this name. It is set to search
/// all loaded libraries, so that functions loaded before cuDNN's replace them (LD_PRELOAD). The front end's
/// header, which also declares it, need not be installed.
extern void* cudnn_dlhandle;  // NOLINT(readability-redundant-declaration)
void* cudnn_dlhandle = RTLD_DEFAULT;
}  // namespace cudnn_frontend

namespace breakeven::cuda {
namespace {

std::size_t major_of(std::size_t number) {
  return number < 10000 ? number / 1000 : number / 10000;
}

}  // namespace

std::string cudnn_version_text(std::size_t number) {
  const std::size_t minor = number < 10000 ? number / 100 % 10 : number / 100 % 100;
  return fmt::format("{}.{}.{}", major_of(number), minor, number % 100);
}

std::string open_cudnn(const std::string& file, std::size_t major) {
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  void* version = library == nullptr ? nullptr : dlsym(library, "cudnnGetVersion");
  if (version == nullptr) return fmt::format("no cuDNN {} can be used: {}", major, dlerror());
  const std::size_t number = reinterpret_cast<std::size_t (*)()>(version)();
  if (major_of(number) == major) return "";
  return fmt::format("no cuDNN {} can be used: {} is cuDNN {}", major, file, cudnn_version_text(number));
}

}  // namespace breakeven::cuda
