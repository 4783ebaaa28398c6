#include "instructions.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <numeric>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "fp22.h"
#include "numbers.h"
#include "threads.h"

namespace emulated {
namespace {

constexpr unsigned group_threads = 128;
constexpr std::size_t depth_bytes = 32;  // of a warp group's instruction

[[noreturn]] void refuse(const char* instruction, const char* why) {
  std::fprintf(stderr, "emulated CUDA: %s: %s\n", instruction, why);
  std::abort();
}

// ---- parsing an instruction

struct Instruction {
  const char* text = nullptr;
  std::size_t m = 0, n = 0, k = 0;
  cudaDataType_t inputs = CUDA_R_32F, sums = CUDA_R_32F;
  bool tf32 = false;
  bool adds = true;                  // to d, whose values are otherwise overwritten
  std::vector<std::size_t> d, a, b;  // registers; a warp group's a and b are descriptors
};

cudaDataType_t type_named(const char* instruction, const std::string& name) {
  static const std::map<std::string, cudaDataType_t> types{
      {"f64", CUDA_R_64F},   {"f32", CUDA_R_32F},      {"tf32", CUDA_R_32F}, {"f16", CUDA_R_16F},
      {"bf16", CUDA_R_16BF}, {"e4m3", CUDA_R_8F_E4M3}, {"s8", CUDA_R_8I},    {"s32", CUDA_R_32I}};
  const auto found = types.find(name);
  if (found == types.end()) refuse(instruction, "has a type that is not emulated");
  return found->second;
}

/// Splits at commas outside braces, up to the semicolon. Not with std::regex, which recurses for each
/// character, because threads have small stacks.
std::vector<std::string> operands_of(const std::string& text) {
  std::vector<std::string> all(1);
  bool inside = false;
  for (std::size_t i = text.find(' ') + 1; i < text.size() && text[i] != ';'; ++i) {
    const char character = text[i];
    if (character == '{' || character == '}') inside = character == '{';
    if (character == ',' && !inside)
      all.emplace_back();
    else if (character != ' ')
      all.back() += character;
  }
  return all;
}

/// The numbers in "{%0,%1}", or in "%0".
std::vector<std::size_t> numbers_in(const std::string& list) {
  std::vector<std::size_t> all;
  for (std::size_t at = list.find('%'); at != std::string::npos; at = list.find('%', at + 1))
    all.push_back(std::stoul(list.substr(at + 1)));
  return all;
}

/// Parses "NAME d, a, b, ...;". `form` finds shape and types in the name; `more` receives the operands after
/// b.
Instruction read(const char* text, const std::regex& form, std::vector<std::string>& more) {
  const std::string all = text;
  const std::string name = all.substr(0, all.find(' '));
  const std::vector<std::string> operands = operands_of(all);
  std::smatch found;
  if (!std::regex_match(name, found, form) || operands.size() < 4) refuse(text, "is not emulated");
  if (found[5] != found[6]) refuse(text, "has two types of inputs");
  more.assign(operands.begin() + 3, operands.end());
  return {.text = text,
          .m = std::stoul(found[1]),
          .n = std::stoul(found[2]),
          .k = std::stoul(found[3]),
          .inputs = type_named(text, found[5]),
          .sums = type_named(text, found[4]),
          .tf32 = found[5] == "tf32",
          .d = numbers_in(operands[0]),
          .a = numbers_in(operands[1]),
          .b = numbers_in(operands[2])};
}

/// Parses "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d}, {a}, {b}, {c};". c must be d, and of the
/// same type.
Instruction read_of_warp(const char* text) {
  static const std::regex form(
      R"(mma\.sync\.aligned\.m(\d+)n(\d+)k(\d+)\.row\.col\.(\w+)\.(\w+)\.(\w+)\.\4)");
  std::vector<std::string> more;
  Instruction made = read(text, form, more);
  if (more.size() != 1 || numbers_in(more[0]) != made.d) refuse(text, "does not add to what it writes");
  return made;
}

/// Parses "wgmma.mma_async.sync.aligned.m64n48k16.f32.f16.f16 {d}, a, b, 1, ...;": added (1) or not (0), not
/// negated, not transposed.
Instruction read_of_group(const char* text) {
  static const std::regex form(R"(wgmma\.mma_async\.sync\.aligned\.m(\d+)n(\d+)k(\d+)\.(\w+)\.(\w+)\.(\w+))");
  std::vector<std::string> more;
  Instruction made = read(text, form, more);
  made.adds = more[0] != "0";
  std::vector<std::string> usual{made.adds ? "1" : "0"};
  if (made.sums != CUDA_R_32I) usual.insert(usual.end(), {"1", "1"});
  if (bytes_of(made.inputs) == 2) usual.insert(usual.end(), {"0", "0"});
  if (more != usual) refuse(text, "negates or transposes, or lacks what says that it does not");
  if (made.m != 64 || made.n % 8 != 0 || made.n > 256 || made.k * bytes_of(made.inputs) != depth_bytes)
    refuse(text, "has a shape that does not exist");
  return made;
}

const Instruction& known(const char* text, Instruction (*read)(const char*)) {
  static std::map<const char*, Instruction> all;
  const auto found = all.find(text);
  return found != all.end() ? found->second : all.emplace(text, read(text)).first->second;
}

// ---- threads that execute an instruction together

struct Part {
  const char* text = nullptr;
  std::vector<Register> registers;
  bool done = false;
};

std::array<Part*, 1024> parts{};

/// Waits for all `threads` of this thread's warp or group. The first to continue executes the instruction for
/// all.
template <typename Do>
void together(const char* text, std::vector<Register> registers, unsigned threads, Meeting meeting,
              const Do& work) {
  if (blockDim.y * blockDim.z != 1 || blockDim.x > parts.size() ||
      (threads != warp_threads && blockDim.x != threads))
    refuse(text, "is not emulated in a block of this shape");
  Part mine{.text = text, .registers = std::move(registers)};
  parts[threadIdx.x] = &mine;
  meet(meeting);
  if (mine.done) return;
  const unsigned first = threadIdx.x / threads * threads;
  const std::span<Part*> all(parts.data() + first, threads);
  for (Part*& part : all) {
    if (part == nullptr) refuse(text, "not all threads came to it");
    if (std::strcmp(part->text, text) != 0) refuse(text, "other threads came to another");
    part->done = true;
  }
  work(std::as_const(all));
  for (Part*& part : all) part = nullptr;
}

// ---- matrices

struct Matrix {
  std::size_t columns = 0;
  std::vector<double> values;
  Matrix(std::size_t rows, std::size_t columns_given)
      : columns(columns_given), values(rows * columns_given) {}
  double& at(std::size_t row, std::size_t column) { return values[row * columns + column]; }
};

/// An element as tensor cores read it: TF32 is truncated.
double input(const Instruction& is, const void* memory, std::size_t i) {
  const double value = load(is.inputs, memory, static_cast<std::int64_t>(i));
  return is.tf32 ? truncated_to_tf32(value) : value;
}

/// Adds row `row` of `a` times row `column` of `b` to `sum`. a is m x k, b is n x k.
void add_dot(const Instruction& is, const Register& sum, Matrix& a, std::size_t row, Matrix& b,
             std::size_t column) {
  if (sum.bytes != bytes_of(is.sums)) refuse(is.text, "sums are not of its type");
  static std::vector<double> products;
  products.clear();
  for (std::size_t k = 0; k < is.k; ++k) products.push_back(a.at(row, k) * b.at(column, k));
  const double before = load(is.sums, sum.at, 0);
  store(is.sums, sum.at, 0,
        is.inputs == CUDA_R_8F_E4M3 ? add_fp22(before, products)
                                    : std::accumulate(products.begin(), products.end(), before));
}

/// The elements of each lane are from the PTX ISA, "Matrix Fragments for mma" of each shape. Each group of
/// four lanes shares a row of A and D and a column of B, and divides their elements.
void multiply_in_warp(const Instruction& is, std::span<Part* const> lanes) {
  const std::size_t bytes = bytes_of(is.inputs);
  const std::size_t of_register = bytes == 8 ? 1 : 4 / bytes;  // elements
  const std::size_t row_blocks = is.m / 8;
  const auto expected = [&](std::size_t rows) { return rows * is.k / 32 / of_register; };
  if (is.n != 8 || is.a.size() != expected(is.m) || is.b.size() != expected(is.n) ||
      is.d.size() != is.m * is.n / 32)
    refuse(is.text, "takes another number of registers");
  Matrix a(is.m, is.k);
  Matrix b(is.n, is.k);
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    const std::size_t group = lane / 4;
    const std::size_t in_group = lane % 4;
    const auto read = [&](std::size_t name, Matrix& to, std::size_t row, std::size_t part) {
      const Register& from = lanes[lane]->registers.at(name);
      if (from.bytes != of_register * bytes) refuse(is.text, "inputs are not of its type");
      for (std::size_t e = 0; e < of_register; ++e)
        to.at(row, (part * 4 + in_group) * of_register + e) = input(is, from.at, e);
    };
    for (std::size_t i = 0; i < is.a.size(); ++i)
      read(is.a[i], a, group + 8 * (i % row_blocks), i / row_blocks);
    for (std::size_t i = 0; i < is.b.size(); ++i) read(is.b[i], b, group, i);
  }
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    for (std::size_t i = 0; i < is.d.size(); ++i)
      add_dot(is, lanes[lane]->registers.at(is.d[i]), a, lane / 4 + 8 * (i / 2), b, lane % 4 * 2 + i % 2);
  }
}

// ---- warp groups

/// A window of shared memory, for addresses of 18 bits.
struct Window {
  const std::byte* begins = nullptr;
  static constexpr std::uint32_t bytes = 0x10000;
};
std::array<Window, 3> windows;
std::size_t next_window = 0;

const std::byte* shared_at(const char* text, std::uint64_t address) {
  const std::uint64_t number = address / Window::bytes;
  if (number == 0 || number > windows.size() || windows[number - 1].begins == nullptr)
    refuse(text, "reads what is no shared memory");
  return windows[number - 1].begins + address % Window::bytes;
}

/// The operand at a descriptor's address: PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory
/// Layout", for operands along k without swizzling, in pieces of 8 rows of 16 bytes.
Matrix operand(const Instruction& is, std::uint64_t descriptor, std::size_t rows) {
  const auto field = [&](unsigned from) { return (descriptor >> from & 0x3fffU) << 4U; };
  if (descriptor >> 46U != 0) refuse(is.text, "a descriptor swizzles, or has an offset");
  const std::uint64_t next_columns = field(16);
  const std::uint64_t next_rows = field(32);
  Matrix made(rows, is.k);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t k = 0; k < is.k; ++k) {
      const std::size_t byte = k * bytes_of(is.inputs);
      const auto offset = byte / 16 * next_columns + row / 8 * next_rows + row % 8 * 16 + byte % 16;
      made.at(row, k) = input(is, shared_at(is.text, field(0) + offset), 0);
    }
  }
  return made;
}

struct Product {
  const Instruction* is;
  std::uint64_t a, b;
  std::vector<std::vector<Register>> sums;  // one per thread
};
std::vector<Product> begun;
std::deque<std::vector<Product>> committed;

void multiply_in_group(const Product& product) {
  const Instruction& is = *product.is;
  Matrix a = operand(is, product.a, is.m);
  Matrix b = operand(is, product.b, is.n);
  for (std::size_t thread = 0; thread < product.sums.size(); ++thread) {
    const std::vector<Register>& sums = product.sums[thread];
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const std::size_t row = thread / 32 * 16 + thread % 32 / 4 + 8 * (i / 2 % 2);
      const std::size_t column = i / 4 * 8 + thread % 4 * 2 + i % 2;
      if (!is.adds) store(is.sums, sums[i].at, 0, 0);
      add_dot(is, sums[i], a, row, b, column);
    }
  }
}

void begin_product(const Instruction& is, std::span<Part* const> threads) {
  const auto descriptor = [&](const Part& part, const std::vector<std::size_t>& name) {
    return element<std::uint64_t>(part.registers.at(name.at(0)).at, 0);
  };
  Product product{
      .is = &is, .a = descriptor(*threads[0], is.a), .b = descriptor(*threads[0], is.b), .sums = {}};
  if (is.d.size() != is.n / 2) refuse(is.text, "has another number of sums");
  for (const Part* part : threads) {
    if (descriptor(*part, is.a) != product.a || descriptor(*part, is.b) != product.b)
      refuse(is.text, "threads have different descriptors");
    std::vector<Register>& sums = product.sums.emplace_back();
    for (const std::size_t name : is.d) sums.push_back(part->registers.at(name));
  }
  begun.push_back(std::move(product));
}

void wait_for_all_but(std::size_t latest) {
  for (; committed.size() > latest; committed.pop_front()) {
    for (const Product& product : committed.front()) multiply_in_group(product);
  }
}

}  // namespace

void execute(const char* text, std::span<const Register> results, std::span<const Register> operands) {
  const std::string_view name(text);
  std::vector<Register> registers(results.begin(), results.end());
  registers.insert(registers.end(), operands.begin(), operands.end());
  const auto of_group = [&](const auto& work) {
    together(text, std::move(registers), group_threads, Meeting::block, work);
  };
  if (name.starts_with("mma.")) {
    const Instruction& is = known(text, read_of_warp);
    together(text, std::move(registers), warp_threads, Meeting::warp,
             [&](std::span<Part* const> lanes) { multiply_in_warp(is, lanes); });
  } else if (name.starts_with("wgmma.mma_async.")) {
    const Instruction& is = known(text, read_of_group);
    of_group([&](std::span<Part* const> threads) { begin_product(is, threads); });
  } else if (name == "wgmma.commit_group.sync.aligned;") {
    of_group([](auto) { committed.push_back(std::exchange(begun, {})); });
  } else if (name.starts_with("wgmma.wait_group.sync.aligned ")) {
    const std::size_t latest = std::stoul(std::string(name.substr(name.rfind(' ') + 1)));
    of_group([&](auto) { wait_for_all_but(latest); });
  } else if (name != "wgmma.fence.sync.aligned;" && name != "fence.proxy.async.shared::cta;") {
    refuse(text, "is not emulated");  // those two only order work that is in order here
  }
}

std::uint32_t shared_address(const void* memory) {
  const auto* const begins = static_cast<const std::byte*>(memory);
  const auto is_it = [&](const Window& window) { return window.begins == begins; };
  auto found = std::find_if(windows.begin(), windows.end(), is_it);
  if (found == windows.end()) {
    found = windows.begin() + static_cast<std::ptrdiff_t>(next_window++ % windows.size());
    found->begins = begins;
  }
  return static_cast<std::uint32_t>(found - windows.begin() + 1) * Window::bytes;
}

}  // namespace emulated
