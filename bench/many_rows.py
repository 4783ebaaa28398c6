#!/usr/bin/env python3
"""Writes a result file of many rows, to measure what reading and reporting cost: docs/performance.md.

    bench/many_rows.py results/epyc-zen5-2-cores/matmul.json 100000 many.json [--slower 1.1]

The rows are the products of a real file with other numbers of rows of A: id, work and rates are those of the
parameters, and the times are the measured ones, times a power of two, so that medians stay exact.
"""

import argparse
import json
import math


def changed(case, rows, slower):
    """The case with this many rows of A."""
    params = dict(case["params"], m=rows)
    sizes = params["m"], params["n"], params["k"]
    flop = 2.0 * math.prod(sizes)
    factor = 2.0 ** round(math.log2(flop / case["flop"])) * slower
    m, n, k = sizes
    seconds = dict(case["seconds"], samples=[sample * factor for sample in case["seconds"]["samples"]])
    for key in ("median", "ci_low", "ci_high"):
        if seconds[key] is not None:
            seconds[key] *= factor
    moved = case["bytes"] * (m * k + k * n + m * n) / (case["params"]["m"] * k + k * n + case["params"]["m"] * n)
    rates = {"gflops": flop / seconds["median"] * 1e-9, "gbps": moved / seconds["median"] * 1e-9}
    cpu_seconds = case["cpu_seconds"] and case["cpu_seconds"] * factor
    name = f"matmul/m={m}/n={n}/k={k}/" + case["id"].split(f"/k={k}/")[1]
    return {
        **case,
        "id": name,
        "params": params,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "flop": flop,
        "bytes": moved,
        **rates,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", help="a result file with products, such as results/*/matmul.json")
    parser.add_argument("rows", type=int)
    parser.add_argument("out")
    parser.add_argument("--slower", type=float, default=1.0, help="the factor of all times; a power of two")
    parser.add_argument("--host", help="the host's name, and the machine's; default: the source's")
    parser.add_argument("--shard", type=int, choices=(1, 2), help="every second case, for `breakeven merge`")
    arguments = parser.parse_args()
    with open(arguments.source, encoding="utf-8") as file:
        result = json.load(file)
    cases = [case for case in result.pop("cases") if case["op"] == "matmul" and case["status"] == "ok"]
    backends = result.pop("backends")
    one_line = {"separators": (",", ":"), "ensure_ascii": False}
    if arguments.host:
        result["host"] |= {"name": arguments.host, "machine": arguments.host}
    made = rows(cases, arguments.rows, arguments.slower)
    if arguments.shard:
        made = list(made)
        ids = list(dict.fromkeys(case["id"] for case in made))
        positions = range(arguments.shard - 1, len(ids), 2)
        kept = {ids[position] for position in positions}
        made = [case for case in made if case["id"] in kept]
        result["shard"] = f"{arguments.shard}/2"
        result["shard_plan"] = {
            "cases": len(ids),
            "fingerprint": "0123456789abcdef",  # of another run than any real one's
            "positions": list(positions),
            "settings": {"precision": 0.02, "max_seconds": 3, "energy_seconds": 0, "library_defaults": False},
        }
    write(arguments.out, result, backends, made)


def rows(cases, count, slower):
    """The first `count` rows, each with a problem and backend of its own."""
    for row in range(count):
        case = cases[row % len(cases)]
        yield changed(case, case["params"]["m"] + row // len(cases), slower)


def write(path, head, backends, cases):
    one_line = {"separators": (",", ":"), "ensure_ascii": False}
    with open(path, "w", encoding="utf-8") as out:
        out.write("{\n")
        for key, value in head.items():
            out.write(f"{json.dumps(key)}: {json.dumps(value, **one_line)},\n")
        out.write('"backends": [\n' + ",\n".join(json.dumps(one, **one_line) for one in backends) + "\n],\n")
        out.write('"cases": [')
        for i, case in enumerate(cases):
            out.write(("\n" if i == 0 else ",\n") + json.dumps(case, **one_line))
        out.write("\n]\n}\n")


if __name__ == "__main__":
    main()
