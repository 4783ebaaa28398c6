// A breakeven backend in C: matrix products in f32. Copy it and breakeven-backend.h, and replace multiply().
#include "breakeven-backend.h"

#include <math.h>
#include <stdlib.h>

static float *a, *b, *c;  // A (m x k), B (k x n) and the result (m x n), by rows
static long m, n, k;

static void multiply(void) {
  for (long i = 0; i < m; ++i)
    for (long j = 0; j < n; ++j) {
      double sum = 0;
      for (long l = 0; l < k; ++l) sum += (double)a[i * k + l] * b[l * n + j];
      c[i * n + j] = (float)sum;
    }
}

static void spoil(void) {
  for (long i = 0; i < m * n; ++i) c[i] = NAN;
}

static double element(long i) { return c[i % (m * n)]; }

// Refuses what is not supported, takes memory, fills the inputs. Nothing here is timed.
static const char* prepare(const char* request) {
  if (!is(request, "op", "\"matmul\"") || !is(request, "dtype", "\"f32\"") || number(request, "batch") > 1 ||
      is(request, "transpose_a", "true") || is(request, "transpose_b", "true"))
    return unsupported("only one product in f32, without transposes");
  m = number(request, "m"), n = number(request, "n"), k = number(request, "k");
  const long most = 10000;
  if (m > most || n > most || k > most) return out_of_memory("sides are 10,000 at most");
  a = realloc(a, sizeof *a * (size_t)(m * k));
  b = realloc(b, sizeof *b * (size_t)(k * n));
  c = realloc(c, sizeof *c * (size_t)(m * n));
  if (!a || !b || !c) return out_of_memory("realloc failed");
  fill(a, m * k, request, 0);
  fill(b, k * n, request, 1);
  return accepted("three loops, sums in f64");
}

int main(void) {
  const struct backend example = {
      .name = "example-c",
      .version = "1",
      .supports = "{\"matmul\":[\"f32\"]}",
      .prepare = prepare,
      .run = multiply,
      .spoil = spoil,
      .element = element,
  };
  return serve(&example);
}
