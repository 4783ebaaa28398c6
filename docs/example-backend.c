// A complete breakeven backend in C, with libc alone: matrix products in f32. docs/adding-a-backend.md explains it.
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static float *a, *b, *c;    // A by rows, B by columns, the result by rows
static long m, n, k;        // 0: no case is prepared
static double extra, owed;  // BREAKEVEN_EXTRA_WORK, and the fraction of a run still to do
static FILE* out;

static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}
static float uniform(uint64_t seed, uint64_t stream, uint64_t i) {
  const uint64_t golden = 0x9E3779B97F4A7C15u, key = mix(seed + golden * (stream + 1));
  return (float)((int64_t)(mix(key + golden * (i + 1)) >> 40) - (1 << 23)) / (1 << 23);
}
static void multiply(void) {
  for (long i = 0; i < m; ++i)
    for (long j = 0; j < n; ++j) {
      double sum = 0;
      for (long l = 0; l < k; ++l) sum += (double)a[i * k + l] * b[j * k + l];
      c[i * n + j] = (float)sum;
    }
}
static void run(void) {
  multiply();
  for (owed += extra; owed >= 1; owed -= 1) multiply();
}

// The text after "key": in a request. A request is one line of JSON; no key occurs in it twice, or inside of a string.
static const char* value(const char* line, const char* key) {
  char quoted[32];
  snprintf(quoted, sizeof quoted, "\"%s\"", key);
  const char* at = strstr(line, quoted);
  return at ? at + strlen(quoted) + strspn(at + strlen(quoted), ": ") : "";
}
static int is(const char* line, const char* key, const char* text) { return !strncmp(value(line, key), text, strlen(text)); }
static long number(const char* line, const char* key) { return strtol(value(line, key), NULL, 10); }
static int refuse(const char* status, const char* reason) {
  return fprintf(out, "{\"ok\":false,\"status\":\"%s\",\"reason\":\"%s\"}\n", status, reason);
}

static int hello(const char* line) {
  if (number(line, "protocol") != 1) return refuse("failed", "this program speaks protocol 1");
  fprintf(out, "{\"ok\":true,\"protocol\":1,\"name\":\"example-c\",\"version\":\"1\",\"supports\":{\"matmul\":[\"f32\"]}");
  if (extra > 0) fprintf(out, ",\"libraries\":{\"extra work\":\"%g %%\"}", 100 * extra);
  return fprintf(out, "}\n");
}
static int prepare(const char* line) {
  m = 0;
  if (!is(line, "op", "\"matmul\"") || !is(line, "dtype", "\"f32\"") || number(line, "batch") > 1 ||
      is(line, "transpose_a", "true") || is(line, "transpose_b", "true"))
    return refuse("unsupported", "only one product in f32, without transposes");
  const long rows = number(line, "m"), columns = number(line, "n"), depth = number(line, "k"), most = 10000;
  if (rows > most || columns > most || depth > most) return refuse("out_of_memory", "sides are 10,000 at most");
  a = realloc(a, sizeof *a * (size_t)(rows * depth)), b = realloc(b, sizeof *b * (size_t)(depth * columns));
  c = realloc(c, sizeof *c * (size_t)(rows * columns));
  if (!a || !b || !c) return refuse("out_of_memory", "realloc failed");
  m = rows, n = columns, k = depth, owed = 0;
  const uint64_t seed = strtoull(value(line, "seed"), NULL, 10);
  for (long i = 0; i < m * k; ++i) a[i] = uniform(seed, 0, (uint64_t)i);
  for (long i = 0; i < k * n; ++i) b[i % n * k + i / n] = uniform(seed, 1, (uint64_t)i);
  return fprintf(out, "{\"ok\":true,\"algorithm\":\"three loops, sums in f64\"}\n");
}
static int verify(const char* line) {
  for (long i = 0; i < m * n; ++i) c[i] = NAN;  // an element that is not computed is wrong
  run();
  fprintf(out, "{\"ok\":true,\"elements\":[");
  char* at = strchr(value(line, "elements"), '[');
  for (const char* separator = ""; at && *at != ']'; separator = ",")
    fprintf(out, "%s%.9g", separator, c[strtol(at + 1, &at, 10) % (m * n)]);
  return fprintf(out, "]}\n");
}
static int sample(const char* line) {
  const long iterations = number(line, "iterations");
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (long i = 0; i < iterations; ++i) run();
  clock_gettime(CLOCK_MONOTONIC, &end);
  const double seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9;
  return fprintf(out, "{\"ok\":true,\"iterations\":%ld,\"seconds\":%.9g}\n", iterations, seconds / (double)iterations);
}

int main(void) {
  char* line = NULL;
  size_t size = 0;
  if (getenv("BREAKEVEN_EXTRA_WORK")) extra = atof(getenv("BREAKEVEN_EXTRA_WORK"));
  out = fdopen(dup(1), "w");  // standard output is the protocol's alone:
  dup2(2, 1);                 // everything else that is printed goes to standard error
  for (int quit = 0; !quit && getline(&line, &size, stdin) > 0; fflush(out)) {
    quit = is(line, "request", "\"quit\"");
    if (is(line, "request", "\"hello\"")) hello(line);
    else if (is(line, "request", "\"prepare\"")) prepare(line);
    else if (is(line, "request", "\"verify\"") && m) verify(line);
    else if (is(line, "request", "\"sample\"") && m) sample(line);
    else if (is(line, "request", "\"release\"") || quit) m = 0, fprintf(out, "{\"ok\":true}\n");
    else refuse("failed", "not a request that this program knows, or no case is prepared");
  }
  free(line), free(a), free(b), free(c);
}
