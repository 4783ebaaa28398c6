// The topics of questions. A config names its own, so that reports of its results begin with the answer.
#pragma once

#include <array>
#include <string_view>

#include "json/names.h"

namespace breakeven {

/// The topic of a question, which a report's answer begins with.
enum class Focus {
  gpu,            // from where on a GPU beats the CPU
  scaling,        // several ranks beside one
  exchange,       // how fast ranks exchange data
  transfers,      // how fast bytes get to a GPU and back
  ceilings,       // what a device does at most
  rates,          // operations a second, by dtype
  precision,      // the other dtypes beside f32
  batch,          // what a larger batch brings
  capacity,       // the largest problem that fits
  libraries,      // which backend is the fastest
  frameworks,     // frameworks beside the fastest library
  gpu_libraries,  // the GPU's libraries beside the fastest framework
  machines,       // which machine is the fastest for the whole config
  operands,       // operands read from memory beside those in the caches
  graphs,         // one CUDA graph beside single calls
  steps,          // each step of optimisation
  latency,        // the time of one batch, beside images a second
  training,       // the time of a training step, and up to an accuracy
};
constexpr std::array<std::string_view, 18> names_of(Focus) {
  return {"gpu",       "scaling",  "exchange", "transfers", "ceilings",   "rates",
          "precision", "batch",    "capacity", "libraries", "frameworks", "gpu_libraries",
          "machines",  "operands", "graphs",   "steps",     "latency",    "training"};
}

}  // namespace breakeven
