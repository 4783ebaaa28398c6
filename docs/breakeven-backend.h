// The worker protocol for a backend in C or C++, with libc alone: include it in one file, describe your program by a
// `struct backend`, and return serve() from main. docs/adding-a-backend.md explains it, docs/example-backend.c uses it.
#ifndef BREAKEVEN_BACKEND_H
#define BREAKEVEN_BACKEND_H

#if defined __STRICT_ANSI__ && !defined _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L  // getline, fdopen, clock_gettime: include this header first
#endif

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct backend {
  const char* name;
  const char* version;
  const char* supports;                         // operations and their dtypes as JSON, such as {"matmul":["f32"]}
  const char* (*prepare)(const char* request);  // returns accepted() or a refusal, such as unsupported("a reason")
  void (*run)(void);                            // the work that is timed: returns when it is done
  void (*spoil)(void);                          // sets the result to NaN, so that an element that run() leaves out is wrong
  double (*element)(long i);                    // element i of the result, rows first
};

// The text after "key": in a request, which is one line of JSON. No key occurs in it twice, or inside of a string.
static inline const char* value(const char* request, const char* key) {
  char quoted[32];
  snprintf(quoted, sizeof quoted, "\"%s\"", key);
  const char* at = strstr(request, quoted);
  return at ? at + strlen(quoted) + strspn(at + strlen(quoted), ": ") : "";
}
static inline long number(const char* request, const char* key) { return strtol(value(request, key), NULL, 10); }
// True if a value is this text of JSON: is(request, "op", "\"matmul\""), is(request, "transpose_a", "true").
static inline int is(const char* request, const char* key, const char* json) {
  return !strncmp(value(request, key), json, strlen(json));
}

// The answers that prepare returns. Texts are put into JSON as they are: without quotation marks or backslashes.
static inline const char* answer(const char* before, const char* text) {
  static char line[512];
  snprintf(line, sizeof line, "%s\"%.400s\"}", before, text);
  return line;
}
static inline const char* accepted(const char* algorithm) { return answer("{\"ok\":true,\"algorithm\":", algorithm); }
static inline const char* unsupported(const char* reason) {
  return answer("{\"ok\":false,\"status\":\"unsupported\",\"reason\":", reason);
}
static inline const char* out_of_memory(const char* reason) {
  return answer("{\"ok\":false,\"status\":\"out_of_memory\",\"reason\":", reason);
}
static inline const char* failed(const char* reason) { return answer("{\"ok\":false,\"status\":\"failed\",\"reason\":", reason); }

// The first `count` inputs of a request's stream, in [-1, 1): docs/inputs-and-verification.md. A matrix product's A is
// stream 0, its B is stream 1, both by rows.
static inline uint64_t mix_bits(uint64_t z) {
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}
static inline void fill(float* inputs, long count, const char* request, uint64_t stream) {
  const uint64_t golden = UINT64_C(0x9E3779B97F4A7C15), seed = strtoull(value(request, "seed"), NULL, 10);
  const uint64_t key = mix_bits(seed + golden * (stream + 1));
  for (long i = 0; i < count; ++i)
    inputs[i] = (float)((int64_t)(mix_bits(key + golden * ((uint64_t)i + 1)) >> 40) - (1 << 23)) / (1 << 23);
}

static inline void say_hello(const struct backend* backend, FILE* out) {
  fprintf(out, "{\"ok\":true,\"protocol\":1,\"name\":\"%s\",\"version\":\"%s\",\"supports\":%s}\n", backend->name, backend->version,
          backend->supports);
}

// Answers requests until the driver says quit. Returns main's status.
static inline int serve(const struct backend* backend) {
  char* line = NULL;
  size_t size = 0;
  FILE* out = fdopen(dup(1), "w");  // standard output is the protocol's alone:
  dup2(2, 1);                       // everything else that is printed goes to standard error
  for (int prepared = 0, quit = 0; !quit && getline(&line, &size, stdin) > 0; fflush(out)) {
    quit = is(line, "request", "\"quit\"");
    if (is(line, "request", "\"hello\"") && number(line, "protocol") == 1) {
      say_hello(backend, out);
    } else if (is(line, "request", "\"prepare\"")) {
      const char* said = backend->prepare(line);
      prepared = is(said, "ok", "true");
      fprintf(out, "%s\n", said);
    } else if (is(line, "request", "\"verify\"") && prepared) {
      backend->spoil();
      backend->run();
      fprintf(out, "{\"ok\":true,\"elements\":[");
      char* at = strchr((char*)value(line, "elements"), '[');
      for (const char* separator = ""; at && *at != ']'; separator = ",") {
        const double element = backend->element(strtol(at + 1, &at, 10));
        fprintf(out, isfinite(element) ? "%s%.17g" : "%snull", separator, element);  // JSON has no NaN
      }
      fprintf(out, "]}\n");
    } else if (is(line, "request", "\"sample\"") && prepared) {
      const long iterations = number(line, "iterations");
      struct timespec start, end;
      clock_gettime(CLOCK_MONOTONIC, &start);
      for (long i = 0; i < iterations; ++i) backend->run();
      clock_gettime(CLOCK_MONOTONIC, &end);
      const double seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9;
      fprintf(out, "{\"ok\":true,\"iterations\":%ld,\"seconds\":%.9g}\n", iterations, seconds / (double)iterations);
    } else if (is(line, "request", "\"release\"") || quit) {
      prepared = 0;
      fprintf(out, "{\"ok\":true}\n");
    } else {
      fprintf(out, "%s\n", failed("not a request of protocol 1 that this program knows, or no case is prepared"));
    }
  }
  free(line);
  return 0;
}

#endif
