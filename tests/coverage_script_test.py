#!/usr/bin/env python3
# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""Tests testing/coverage.py on a small report."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "testing"))
sys.dont_write_bytecode = True
import coverage  # noqa: E402

SOURCE = """void f() {
  try {
    g();
  } catch (...) {
    if (h()) {
      report();
    }
  }
  i();
}
"""


def file(path, counts):
    """Returns a file of gcovr's report. `counts` are those of lines 1, 2, ...; None is a line without code."""
    lines = [
        {"line_number": number, "count": count or 0, "gcovr/noncode": count is None}
        for number, count in enumerate(counts, 1)
    ]
    return {"file": path, "lines": lines}


def check(files, reasons=""):
    """Returns the failures and the report."""
    report = []
    return coverage.check(files, coverage.parse_reasons(reasons), lambda path: SOURCE, report.append), "\n".join(report)


ALL = [1] * 9 + [None]
# Lines 4 to 7 are not reached.
NO_EXCEPTION = [1, 1, 1, 0, 0, 0, 0, None, 1, None]
# Keeps the folder above the limit.
MUCH = [file(f"core/{name}.cc", ALL) for name in "abcdefghijk"]


class CoverageTest(unittest.TestCase):
    def test_complete_coverage_passes(self):
        failures, report = check(MUCH)
        self.assertEqual(failures, [])
        self.assertIn("core                         100.0% of    99 lines", report)

    def test_nothing_measured_fails(self):
        self.assertEqual(check([])[0], ["nothing was measured"])

    def test_each_line_without_a_reason_fails(self):
        failures, _ = check(MUCH + [file("core/z.cc", NO_EXCEPTION)])
        self.assertEqual(len(failures), 4)
        self.assertIn("core/z.cc:4: } catch (...) {", failures[0])
        self.assertIn("core/z.cc:6: report();", failures[2])

    def test_a_part_explains_its_line_only(self):
        failures, report = check(MUCH + [file("core/z.cc", NO_EXCEPTION)], "core/z.cc | catch (...) | because")
        self.assertEqual(len(failures), 3)
        self.assertIn("core/z.cc:4: because", report)

    def test_a_block_explains_all_of_its_lines(self):
        reasons = "# comment\n\ncore/z.cc | catch (...) {...} | because"
        failures, report = check(MUCH + [file("core/z.cc", NO_EXCEPTION)], reasons)
        self.assertEqual(failures, [])
        self.assertIn("core/z.cc:4,5,6,7: because", report)

    def test_a_block_ends(self):
        counts = NO_EXCEPTION[:8] + [0, None]
        failures, _ = check(MUCH + [file("core/z.cc", counts)], "core/z.cc | catch (...) {...} | because")
        self.assertEqual(len(failures), 1)
        self.assertIn("core/z.cc:9: i();", failures[0])

    def test_paths_are_patterns_and_folders(self):
        files = MUCH + [file("core/z.cc", NO_EXCEPTION)]
        for path in ["core/", "core/*.cc", "core/[x-z].cc", "*/z.cc"]:
            self.assertEqual(check(files, f"{path} | * | because")[0], [], path)
        for path in ["core", "runtime/", "core/y.cc", "z.cc"]:
            self.assertEqual(len(check(files, f"{path} | * | because")[0]), 4, path)

    def test_the_first_reason_counts(self):
        _, report = check(MUCH + [file("core/z.cc", NO_EXCEPTION)], "core/ | * | first\ncore/ | * | second")
        self.assertIn("core/z.cc:4,5,6,7: first", report)
        self.assertNotIn("7: second", report)

    def test_unused_reasons_are_reported_and_do_not_fail(self):
        failures, report = check(MUCH, "core/z.cc | avx2 | another machine")
        self.assertEqual(failures, [])
        self.assertIn("unused reason: core/z.cc | avx2", report)

    def test_a_reason_does_not_lift_the_limit(self):
        failures, _ = check([file("suppression/z.cc", NO_EXCEPTION)], "suppression/ | * | because")
        self.assertEqual(failures, ["suppression has 50.0%; it must have at least 95%"])

    def test_operators_are_measured_one_by_one(self):
        failures, _ = check(MUCH + [file("ops/a/run.cc", ALL), file("ops/b/run.cc", [0] + [1] * 8)], "ops/ | * | because")
        self.assertEqual(failures, ["ops/b has 88.9%; it must have at least 95%"])

    def test_wrong_reasons_end_the_program(self):
        for line in ["core/z.cc | because", "core/z.cc | part | ", "core/z.cc"]:
            with self.assertRaises(SystemExit):
                coverage.parse_reasons(line)

    def test_reasons_of_the_repository_can_be_parsed(self):
        self.assertTrue(coverage.parse_reasons((ROOT / "testing" / "uncovered.txt").read_text()))

    def test_folders(self):
        self.assertEqual(coverage.MEASURED, ("core", "runtime", "suppression", "ops"))
        for path in ["core/half_test.cc", "ops/nms/test.cc", "ops/nms/bench.cc", "suppression/harness.h", "ops/nms/fuzz.cc"]:
            self.assertRegex(path, coverage.LEFT_OUT)
        for path in ["core/half.cc", "suppression/engine.cc", "ops/nms/reference.cc"]:
            self.assertNotRegex(path, coverage.LEFT_OUT)


if __name__ == "__main__":
    unittest.main()
