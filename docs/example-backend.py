#!/usr/bin/env python3
"""A whole breakeven backend: matrix products with plain lists. docs/adding-a-backend.md walks through it."""
import array, json, os, sys, time
from operator import mul

GOLDEN, MASK = 0x9E3779B97F4A7C15, (1 << 64) - 1

def mix(z):
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)

def uniform(seed, stream, count):
    key = mix((seed + GOLDEN * (stream + 1)) & MASK)
    return [((mix((key + GOLDEN * (i + 1)) & MASK) >> 40) - 2**23) / 2**23 for i in range(count)]

class Example:
    def hello(self, request):
        if request["protocol"] != 1:
            return {"ok": False, "status": "failed", "reason": "this program speaks protocol 1"}
        return {"protocol": 1, "name": "example", "version": "1", "supports": {"matmul": ["f32", "f64"]}}

    def prepare(self, request):
        self.release(request)  # one case at a time
        p, seed = request["parameters"], request["seed"]
        if request["op"] != "matmul" or p["batch"] > 1 or p["transpose_a"] or p["transpose_b"]:
            return {"ok": False, "status": "unsupported", "reason": "only one product, both matrices by rows"}
        m, n, k, code = p["m"], p["n"], p["k"], {"f32": "f", "f64": "d"}[p["dtype"]]
        if max(m * k, k * n, m * n) > 10**7:
            return {"ok": False, "status": "out_of_memory", "reason": "lists hold ten million numbers at most"}
        a, b = uniform(seed, 0, m * k), uniform(seed, 1, k * n)
        rows, columns = [a[i * k:(i + 1) * k] for i in range(m)], [b[j::n] for j in range(n)]
        self.run = lambda: array.array(code, [sum(map(mul, r, c)) for r in rows for c in columns])
        return {"algorithm": "sums of products in float64"}

    def verify(self, request):
        return {"elements": [result[i] for result in [self.run()] for i in request["elements"]]}

    def sample(self, request):
        count, start = request["iterations"], time.perf_counter()
        for _ in range(count):
            self.run()
        return {"iterations": count, "seconds": (time.perf_counter() - start) / count}

    def release(self, request):
        self.__dict__.clear()
        return {}
    quit = release

example, out = Example(), os.fdopen(os.dup(1), "w")  # standard output is the protocol's alone:
os.dup2(2, 1)  # whatever else is printed goes to standard error
for line in sys.stdin:
    try:
        request = json.loads(line)
        answer = getattr(example, request["request"])(request)
    except Exception as e:  # costs a case, not the program
        answer = {"ok": False, "status": "failed", "reason": repr(e)}
    print(json.dumps({"ok": True, **answer}), file=out, flush=True)
    if '"quit"' in line: break
