#!/usr/bin/env python3
"""Writes docs/performance.md from the results of `detops bench --json`.

    detops bench --json docs/performance.json
    tools/performance.py docs/performance.json docs/performance.md
    tools/performance.py --check docs/performance.json docs/performance.md    # fails when the page is not up to date
"""

import json
import sys

# Names that people know the operators by, in the order of the page.
TITLES = {
    "bbox_overlaps": "Box IoU (`bbox_overlaps`)",
    "nms": "NMS of axis-aligned boxes (`nms`)",
    "poly_nms": "NMS of quadrilaterals (`poly_nms`)",
    "generate_proposals_v2": "RPN proposals (`generate_proposals_v2`)",
    "border_align_forward": "BorderAlign (`border_align_forward`)",
    "psroipool_forward": "Position-sensitive RoI pooling (`psroipool_forward`)",
}

SIMD_NAMES = {"AVX3": "AVX-512", "AVX3_DL": "AVX-512", "AVX3_ZEN4": "AVX-512", "SCALAR": "plain C++", "EMU128": "plain C++"}


def three_digits(number):
    """Returns a number below 1000 with three significant digits."""
    return f"{number:.0f}" if number >= 99.95 else f"{number:.1f}" if number >= 9.995 else f"{number:.2f}"


def time_text(seconds):
    for scale, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "us")):
        if seconds * scale >= 0.9995:
            return f"{three_digits(seconds * scale)} {unit}"
    return f"{three_digits(seconds * 1e9)} ns"


def ratio_text(ratio):
    return f"{ratio:.0f}" if ratio >= 9.95 else f"{ratio:.1f}" if ratio >= 0.995 else f"{ratio:.2f}"


def percent_text(share):
    return f"{100 * share:.0f}%"


def machine_text(machine):
    limits = max(machine["limits"], key=lambda limit: limit["threads"])
    target = SIMD_NAMES.get(machine["simd_target"], machine["simd_target"])
    return [
        f"Machine: {machine['cpu']}, {machine['cores']} cores, {target}. With {limits['threads']} threads it moves",
        f"{limits['bytes_per_second'] / 1e9:.0f} GB/s past the caches and computes"
        f" {limits['operations_per_second'] / 1e9:.0f} billion float additions and multiplications",
        "per second, not fused.",
    ]


def rows_of(results):
    """Yields one row per benchmark: the results with one thread and with the most threads."""
    by_name = {}
    for result in results:
        by_name.setdefault(result["name"], []).append(result)
    for name, group in by_name.items():
        yield name, min(group, key=lambda r: r["threads"]), max(group, key=lambda r: r["threads"])


def table_of(results):
    threads = max(result["threads"] for result in results)
    lines = [
        f"| benchmark | 1 thread | {threads} threads | reference | times faster | IO | compute |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, one, most in rows_of(results):
        cells = [
            f"`{name}`",
            time_text(one["seconds"]),
            time_text(most["seconds"]),
            time_text(most["reference_seconds"]),
            ratio_text(most["reference_seconds"] / most["seconds"]),
            percent_text(most["io_efficiency"]),
            percent_text(most["compute_efficiency"]),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def page_of(report):
    lines = [
        "# Performance",
        "",
        "Medians of `detops bench`, one number per cell. `tools/performance.py` wrote this page from",
        "[performance.json](performance.json), which also has the quartiles and the shapes.",
        "",
        *machine_text(report["machine"]),
        "",
        '"Reference" is the operator\'s plain scalar code on one thread, and "times faster" compares it with',
        'all threads. "IO" is the least number of bytes that a call must move, per second, as a share of the',
        "machine's rate; more than 100% means that data stays in the caches. \"Compute\" is the same for",
        "additions and multiplications that are not fused: no operator fuses them. Both are for all threads.",
    ]
    for op, title in TITLES.items():
        results = [result for result in report["benchmarks"] if result["op"] == op]
        if results:
            lines += ["", f"## {title}", "", *table_of(results)]
    return "\n".join(lines) + "\n"


def main(arguments):
    check = arguments[:1] == ["--check"]
    if len(arguments) != (3 if check else 2):
        sys.exit(__doc__)
    source, target = arguments[-2:]
    with open(source, encoding="utf-8") as file:
        page = page_of(json.load(file))
    if not check:
        with open(target, "w", encoding="utf-8") as file:
            file.write(page)
        return
    with open(target, encoding="utf-8") as file:
        if file.read() != page:
            sys.exit(f"{target} is not what {source} gives; run tools/performance.py")


if __name__ == "__main__":
    main(sys.argv[1:])
