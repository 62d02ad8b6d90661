#!/usr/bin/env python3
"""Prints the estimated costs of every costs.h beside what the benchmarks measure on this machine.

costs.py PROGRAM...: runs the benchmarks named Cost/<user>/<constant> of each program (see bench/cost.h).
"""

import json
import subprocess
import sys

HEADER = ("user", "constant", "unit", "in costs.h", "measured", "ratio")
FORMAT = "{:<22} {:<32} {:<26} {:>10} {:>10} {:>6}"


def measure(program):
    """Returns the results of a program's cost benchmarks; none if it has none."""
    command = [program, "--benchmark_filter=^Cost/", "--benchmark_format=json"]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if result.returncode != 0:
        sys.exit(f"{program} failed with {result.returncode}:\n{result.stderr}")
    return json.loads(result.stdout)["benchmarks"] if result.stdout.strip() else []


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def row(benchmark):
    """Returns a line of the table."""
    # Arguments that Google Benchmark appends to the name, such as min_time, are not part of it.
    _, user, constant = benchmark["name"].split("/")[:3]
    if benchmark.get("error_occurred"):
        return user, constant, benchmark["error_message"], "", "", ""
    value, measured = benchmark["costs_h"], benchmark["measured"]
    return user, constant, benchmark.get("label", "ns"), number(value), number(measured), f"{measured / value:.2f}"


def main(programs):
    print(FORMAT.format(*HEADER))
    for program in programs:
        for benchmark in measure(program):
            print(FORMAT.format(*row(benchmark)), flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
