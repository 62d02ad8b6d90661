#!/usr/bin/env python3
"""Line coverage of core, runtime and ops after a run of the tests, by folder, and every line that no test reached with the reason.

coverage.py BUILD_FOLDER: fails where a folder has less than it must. Reasons are in testing/uncovered.txt.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys

LEAST_PERCENT = 95
MEASURED = ("core", "runtime", "ops")
# Tests, and what only tests and benchmarks use, are not what is measured.
LEFT_OUT = r".*(_test|/test|/bench|/fuzz|/cases)\.(cc|h)$"
ROOT = pathlib.Path(__file__).resolve().parent.parent


def forget_removed(build):
    """An older build leaves notes of what it compiled; gcovr stops at two that tell different things about a line."""
    folder = ROOT / build
    commands = (folder / "compile_commands.json").read_text()
    built = {re.search(r" -o (\S+)", entry["command"])[1] for entry in json.loads(commands)}
    for notes in folder.rglob("*.gcno"):
        if str(notes.relative_to(folder).with_suffix(".o")) not in built:
            notes.unlink()


def measure(build):
    command = ["gcovr", "--root", ".", "--gcov-ignore-parse-errors", "--exclude", LEFT_OUT, "--json", "-"]
    for folder in MEASURED:
        command += ["--filter", folder + "/"]
    report = subprocess.run(command + [build], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    return json.loads(report)["files"]


def read_reasons():
    """Path, a part of the line, why."""
    reasons = []
    for line in (ROOT / "testing" / "uncovered.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            path, part, reason = line.split(" | ")
            reasons.append((path, part, reason))
    return reasons


def reason_of(reasons, path, text):
    for reason_path, part, reason in reasons:
        if path.startswith(reason_path) and (part == "*" or part in text):
            return reason
    return "NO REASON IS GIVEN"


def folder_of(path):
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "ops" else parts[0]


def main(build):
    forget_removed(build)
    reasons = read_reasons()
    lines = collections.Counter()
    covered = collections.Counter()
    for file in sorted(measure(build), key=lambda file: file["file"]):
        path = file["file"]
        source = (ROOT / path).read_text().splitlines()
        missed = collections.defaultdict(list)
        for line in file["lines"]:
            if line.get("gcovr/noncode"):
                continue
            lines[folder_of(path)] += 1
            if line["count"] > 0:
                covered[folder_of(path)] += 1
            else:
                number = line["line_number"]
                missed[reason_of(reasons, path, source[number - 1])].append(str(number))
        for reason, numbers in missed.items():
            print(f"  {path}:{','.join(numbers)}: {reason}")
    if not lines:
        sys.exit("coverage: nothing was measured")
    print()
    failed = False
    for folder in sorted(lines):
        percent = 100 * covered[folder] / lines[folder]
        too_little = percent < LEAST_PERCENT
        failed = failed or too_little
        print(f"{folder:28} {percent:5.1f}% of {lines[folder]:5} lines" + (f"  less than {LEAST_PERCENT}%" if too_little else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: coverage.py BUILD_FOLDER")
    sys.exit(main(sys.argv[1]))
