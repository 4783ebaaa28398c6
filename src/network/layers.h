// What the layers of the backends written in C++ have in common.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "workloads/interface.h"
#include "workloads/network.h"

namespace breakeven {

/// A layer, bound to what it reads and to what it writes. A device may only enqueue what is called.
class BoundLayer : public Interface {
 public:
  /// Writes the output's values.
  virtual void forward() = 0;
  /// Writes the gradients of the parameters, and of the input where somebody needs it. May overwrite the
  /// output's gradient.
  virtual void backward() = 0;
  /// What the library chose; empty for code of this program.
  virtual std::string algorithm() const { return ""; }
};

/// The layers of a backend, each registered by the file that defines it:
///
///   const Layers::Registration layer_norm(LayerKind::layer_norm, Layers::make_one<LayerNorm>);
///
/// `Layer` is what they are derived from, and `Site` what each is made from. Making one may throw Unsupported
/// or OutOfMemory (worker/backend.h).
template <typename Layer, typename Site>
class LayerRegistry {
 public:
  using Make = std::unique_ptr<Layer> (*)(const Site&);

  struct Registration {
    Registration(LayerKind kind, Make make) { makers()[kind] = make; }
  };
  template <typename Made>
  static std::unique_ptr<Layer> make_one(const Site& site) {
    return std::make_unique<Made>(site);
  }

  static std::unique_ptr<Layer> make(LayerKind kind, const Site& site) { return makers().at(kind)(site); }

 private:
  static std::map<LayerKind, Make>& makers() {
    static std::map<LayerKind, Make> all;
    return all;
  }
};

}  // namespace breakeven
