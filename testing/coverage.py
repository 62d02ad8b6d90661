#!/usr/bin/env python3
"""Checks the line coverage of a test run.

coverage.py BUILD_FOLDER: prints the coverage of each folder and every line that no test reached, with its reason. Fails if a folder has
less than LEAST_PERCENT, or if a line that no test reached has no reason in testing/uncovered.txt.
"""

import collections
import fnmatch
import json
import pathlib
import re
import subprocess
import sys

LEAST_PERCENT = 95
# Folders that are measured, ops by operator. measure/ and testing/ are not: they judge the library and are not part of it.
MEASURED = ("core", "runtime", "suppression", "ops")
# Sources that only tests and benchmarks use.
LEFT_OUT = r".*(_test|/test|/test_[a-z_]+|/bench|/bench_costs|/fuzz|/cases|/harness|/print_kept)\.(cc|h)$"
ROOT = pathlib.Path(__file__).resolve().parent.parent

# A part of a line that ends with this stands for the line and the block that it opens.
BLOCK = "{...}"

Reason = collections.namedtuple("Reason", "path part text")


def remove_stale_notes(build):
    """Removes .gcno files of sources that are not compiled any more: gcovr fails on contradictory notes about a line."""
    folder = ROOT / build
    commands = (folder / "compile_commands.json").read_text()
    built = {re.search(r" -o (\S+)", entry["command"])[1] for entry in json.loads(commands)}
    for notes in folder.rglob("*.gcno"):
        if str(notes.relative_to(folder).with_suffix(".o")) not in built:
            notes.unlink()


def measure(build):
    """Returns the files of gcovr's JSON report."""
    command = ["gcovr", "--root", ".", "--gcov-ignore-parse-errors", "--exclude", LEFT_OUT, "--json", "-"]
    for folder in MEASURED:
        command += ["--filter", folder + "/"]
    report = subprocess.run(command + [build], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    return json.loads(report)["files"]


def parse_reasons(text):
    """Returns the reasons of a text in the format of testing/uncovered.txt, which describes it."""
    reasons = []
    for number, line in enumerate(text.splitlines(), 1):
        if line and not line.startswith("#"):
            fields = line.split(" | ")
            if len(fields) != 3 or not all(field.strip() for field in fields):
                sys.exit(f"uncovered.txt:{number}: '{line}' must be PATH | PART | REASON")
            reasons.append(Reason(*fields))
    return reasons


def lines_of_block(source, first):
    """Returns the numbers of the lines from `first` to the end of the block that opens there. Lines are counted from 1."""
    depth = 0
    for number in range(first, len(source) + 1):
        line = source[number - 1]
        # The block of a line such as "} catch (...) {" begins with its last brace.
        depth += line.count("{") - line.count("}") if number > first else 1
        if depth <= 0:
            return range(first, number + 1)
    return range(first, len(source) + 1)


def explained_lines(path, source, reasons):
    """Returns a dict from line number to the first reason that fits the line."""
    explained = {}
    for reason in reasons:
        if not fnmatch.fnmatchcase(path, reason.path + "*" if reason.path.endswith("/") else reason.path):
            continue
        has_block = reason.part.endswith(BLOCK)
        part = reason.part[: -len(BLOCK)].strip() if has_block else reason.part
        for number, line in enumerate(source, 1):
            if part == "*" or part in line:
                for covered in lines_of_block(source, number) if has_block else [number]:
                    explained.setdefault(covered, reason)
    return explained


def folder_of(path):
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "ops" else parts[0]


def check(files, reasons, read_source, output=print):
    """Prints the report about the files of gcovr. Returns the list of failures."""
    lines, covered = collections.Counter(), collections.Counter()
    unexplained, used = [], set()
    for file in sorted(files, key=lambda file: file["file"]):
        path = file["file"]
        source = read_source(path).splitlines()
        explained = explained_lines(path, source, reasons)
        missed = collections.defaultdict(list)
        for line in file["lines"]:
            if line.get("gcovr/noncode"):
                continue
            lines[folder_of(path)] += 1
            if line["count"] > 0:
                covered[folder_of(path)] += 1
                continue
            number = line["line_number"]
            reason = explained.get(number)
            if reason is None:
                unexplained.append(f"{path}:{number}: {source[number - 1].strip()}")
            else:
                used.add(reason)
                missed[reason.text].append(str(number))
        for text, numbers in missed.items():
            output(f"  {path}:{','.join(numbers)}: {text}")
    output("")
    failures = [] if lines else ["nothing was measured"]
    for folder in sorted(lines):
        percent = 100 * covered[folder] / lines[folder]
        output(f"{folder:28} {percent:5.1f}% of {lines[folder]:5} lines")
        if percent < LEAST_PERCENT:
            failures.append(f"{folder} has {percent:.1f}%; it must have at least {LEAST_PERCENT}%")
    for reason in reasons:
        # Not a failure: the reason may apply to another machine.
        if reason not in used:
            output(f"unused reason: {reason.path} | {reason.part}")
    failures += [f"no test reaches this line, and testing/uncovered.txt has no reason for it: {line}" for line in unexplained]
    return failures


def main(build):
    remove_stale_notes(build)
    reasons = parse_reasons((ROOT / "testing" / "uncovered.txt").read_text())
    failures = check(measure(build), reasons, lambda path: (ROOT / path).read_text())
    for failure in failures:
        print(f"coverage: {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: coverage.py BUILD_FOLDER")
    sys.exit(main(sys.argv[1]))
