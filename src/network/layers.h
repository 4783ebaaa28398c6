// The interface and the registry of network layers, for the backends written in C++.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "workloads/interface.h"
#include "workloads/network.h"

namespace breakeven {

/// A layer with its inputs and outputs. On a device, calls may only enqueue the work.
class BoundLayer : public Interface {
 public:
  /// Writes the output's values.
  virtual void forward() = 0;
  /// Writes the gradients of the parameters, and of the input if another layer needs it. May overwrite the
  /// gradient of the output.
  virtual void backward() = 0;
  /// The algorithm that the library chose; empty if the layer is code of this program.
  virtual std::string algorithm() const { return ""; }
};

/// The layers of a backend. Each is registered by the file that defines it:
///
///   const Layers::Registration layer_norm(LayerKind::layer_norm, Layers::make_one<LayerNorm>);
///
/// `Layer` is their base class; each is constructed from a `Site`. Construction may throw Unsupported or
/// OutOfMemory (worker/backend.h).
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
