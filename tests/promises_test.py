#!/usr/bin/env python3
# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""Every test that SECURITY.md and docs/promises.md name exists, and every promise has one."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent


def read(pattern):
    """Returns the text of all files that match."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(ROOT.glob(pattern)))


def gtest_names():
    """Returns "Suite" and "Suite.Test" of every GoogleTest."""
    sources = "\n".join(read(f"{folder}/**/*_test.cc") for folder in ("cli", "core", "ops", "runtime", "simd", "suppression", "testing", "tests"))
    found = re.findall(r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", sources, re.MULTILINE)
    return {suite for suite, _ in found} | {f"{suite}.{test}" for suite, test in found}


def ctest_names():
    """Returns the names of test programs, scripts and fuzz targets."""
    text = read("tests/CMakeLists.txt") + read("cli/CMakeLists.txt") + read("suppression/CMakeLists.txt")
    names = set(re.findall(r"(?:detops_add_(?:test|script_test|fuzz)\(|add_test\(NAME )(\w+)", text))
    names |= {path.stem for path in ROOT.glob("tests/*_test.py")}
    operators = [path.parent.name for path in ROOT.glob("ops/*/fuzz.cc")]
    return names | {f"{op}_{kind}" for op in operators + ["<op>"] for kind in ("fuzz", "test")}


def python_names():
    """Returns "test_file.py" and "test_file.py::test_name" of every Python test."""
    names = set()
    for path in ROOT.glob("python/tests/test_*.py"):
        functions = re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
        names |= {path.name} | {f"{path.name}::{function}" for function in functions}
    return names


def rows_of(page):
    """Returns (line, cells) of each table row that is not a header. Tables of tests have the last header "tests"."""
    header = None
    for number, line in enumerate((ROOT / page).read_text(encoding="utf-8").splitlines(), 1):
        if not line.startswith("|"):
            header = None
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if header is None:
            header = cells
        elif header[-1] == "tests" and not set(line) <= set("|- "):
            yield number, cells


class Promises(unittest.TestCase):
    def check(self, page, least):
        known = gtest_names() | ctest_names() | python_names()
        count = 0
        for number, cells in rows_of(page):
            where = f"{page}:{number}"
            self.assertEqual(len(cells), 2, where)
            self.assertTrue(cells[0], f"{where} has no promise")
            tests = re.findall(r"`([^`]+)`", cells[1])
            self.assertTrue(tests, f"{where} has no test")
            for test in tests:
                is_path = "/" in test and (ROOT / test).exists()
                self.assertTrue(is_path or test in known, f"{where}: there is no test {test}")
            count += 1
        self.assertGreaterEqual(count, least, f"{page} has too few rows; is its table in another form?")

    def test_security(self):
        self.check("SECURITY.md", 15)

    def test_promises(self):
        self.check("docs/promises.md", 100)

    def test_names_are_found(self):
        """Without these, the checks above would reject everything or nothing."""
        self.assertIn("PolygonIouWithItself.IsOneIfSimpleAndNotExtremelyThin", gtest_names())
        self.assertIn("api_fuzz", ctest_names())
        self.assertIn("test_fork.py::test_pools_of_processes", python_names())
        self.assertNotIn("api_fuzz", gtest_names() | python_names())


if __name__ == "__main__":
    unittest.main()
