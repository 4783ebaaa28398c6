// Two programs with the same speed on a quiet machine that a neighbour slows by different amounts, for
// bench/contended_gates.py. Each computes a small product, and then does one kind of work:
//   UNLIKE_WORK=wide     independent multiply-adds, as many as a core can start: slowed by a neighbour
//   UNLIKE_WORK=chain:N  N dependent multiplications: not slowed by a neighbour
// `unlike_backend calibrate` prints the N whose chain takes as long as the wide work here; `unlike_backend
// forever` does the wide work until it is killed.
#include "breakeven-backend.h"

enum { blocks = 20000, most = 64 };

typedef float vector __attribute__((vector_size(16)));

static float *a, *b, *c;
static long m, n, k;
static long chain;  // 0 selects the wide work
static volatile float wide_sink;
static volatile uint32_t chain_sink;

// Twelve chains hide latencies of up to six cycles at two multiply-adds per cycle.
static void wide_work(void) {
  vector sums[12];
  for (int i = 0; i < 12; ++i) sums[i] = (vector){1, 1, 1, 1} * (float)i;
  const vector factor = {0.999F, 0.999F, 0.999F, 0.999F}, term = {1, 2, 3, 4};
  for (long block = 0; block < blocks; ++block)
#pragma GCC unroll 12
    for (int i = 0; i < 12; ++i) sums[i] = sums[i] * factor + term;
  vector total = sums[0];
  for (int i = 1; i < 12; ++i) total += sums[i];
  wide_sink = total[0] + total[1] + total[2] + total[3];
}

static void chain_work(long links) {
  uint32_t value = chain_sink | 1U;
  for (long i = 0; i < links; ++i) {
    value *= 0x915f77f5U;
    __asm__ volatile("" : "+r"(value));  // prevents the compiler from combining several multiplications
  }
  chain_sink = value;
}

static void run(void) {
  for (long i = 0; i < m; ++i)
    for (long j = 0; j < n; ++j) {
      double sum = 0;
      for (long l = 0; l < k; ++l) sum += (double)a[i * k + l] * b[l * n + j];
      c[i * n + j] = (float)sum;
    }
  if (chain > 0)
    chain_work(chain);
  else
    wide_work();
}

static void spoil(void) {
  for (long i = 0; i < m * n; ++i) c[i] = NAN;
}

static double element(long i) {
  return c[i % (m * n)];
}

static const char* prepare(const char* request) {
  if (!is(request, "op", "\"matmul\"") || !is(request, "dtype", "\"f32\"") || number(request, "batch") > 1 ||
      is(request, "transpose_a", "true") || is(request, "transpose_b", "true"))
    return unsupported("only one product in f32, without transposes");
  m = number(request, "m"), n = number(request, "n"), k = number(request, "k");
  if (m > most || n > most || k > most) return out_of_memory("sides are 64 at most");
  a = realloc(a, sizeof *a * (size_t)(m * k));
  b = realloc(b, sizeof *b * (size_t)(k * n));
  c = realloc(c, sizeof *c * (size_t)(m * n));
  if (!a || !b || !c) return out_of_memory("realloc failed");
  fill(a, m * k, request, 0);
  fill(b, k * n, request, 1);
  return accepted(chain > 0 ? "a chain of multiplications" : "independent multiply-adds");
}

static double seconds_of(void (*work)(long), long amount) {
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  work(amount);
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9;
}

static void wide_once(long unused) {
  (void)unused;
  wide_work();
}

// Takes the fastest of many alternating measurements, because a neighbour only makes them slower.
static int calibrate(void) {
  const long links = 100000;
  double wide = INFINITY, chained = INFINITY;
  for (int i = 0; i < 3000; ++i) {
    wide = fmin(wide, seconds_of(wide_once, 0));
    chained = fmin(chained, seconds_of(chain_work, links));
  }
  printf("%.0f\n", (double)links * wide / chained);
  return 0;
}

int main(int count, char** arguments) {
  if (count > 1 && strcmp(arguments[1], "calibrate") == 0) return calibrate();
  if (count > 1 && strcmp(arguments[1], "forever") == 0)
    for (;;) wide_work();
  const char* work = getenv("UNLIKE_WORK");
  if (work != NULL && strncmp(work, "chain:", 6) == 0) chain = strtol(work + 6, NULL, 10);
  const struct backend unlike = {
      .name = "unlike",
      .version = "1",
      .supports = "{\"matmul\":[\"f32\"]}",
      .prepare = prepare,
      .run = run,
      .spoil = spoil,
      .element = element,
  };
  return serve(&unlike);
}
