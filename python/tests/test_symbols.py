# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""The extension module exports only its init function, and never calls another libdetops that the process has loaded.

DETOPS_LIBRARY is the path of libdetops.so, whose symbols the tests need.
"""

import os
import shutil
import subprocess
import sys

import detops
import pytest

needs_nm = pytest.mark.skipif(shutil.which("nm") is None, reason="needs nm (binutils)")
needs_library = pytest.mark.skipif("DETOPS_LIBRARY" not in os.environ, reason="needs DETOPS_LIBRARY")
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")


def exported_symbols(library):
    """Returns (name, whether it is a function) of each symbol."""
    run = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True)
    lines = [line.split() for line in run.stdout.splitlines()]
    return [(name.split("@")[0], kind in "TtWwi") for *_, kind, name in lines]


@needs_nm
def test_only_the_init_function_is_exported():
    assert exported_symbols(detops._detops.__file__) == [("PyInit__detops", True)]


# Prints results of all operators, after it has loaded the libraries in the arguments for all others to use.
PROGRAM = """
import ctypes, sys
sys.path.insert(0, sys.argv[1])
for library in sys.argv[2:]:
    ctypes.CDLL(library, ctypes.RTLD_GLOBAL)
import detops
from operations import OPERATIONS
for operation in OPERATIONS:
    print(operation.name, [part.tolist() for part in operation(*operation.arrays)])
detops.set_num_threads(2)
print(detops.get_num_threads(), detops.__version__)
try:
    detops.bbox_overlaps([[0]], [])
except ValueError as error:
    print(error)
"""


def output_with(*libraries):
    tests = os.path.dirname(__file__)
    program = [sys.executable, "-c", PROGRAM, tests, *map(str, libraries)]
    run = subprocess.run(program, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    return run.stdout


@needs_library
def test_another_library_is_not_called():
    assert output_with(os.environ["DETOPS_LIBRARY"]) == output_with()


def build_fake(folder):
    """Builds a library that exports every symbol of libdetops. Each of its functions ends the process."""
    declarations = []
    for number, (name, is_function) in enumerate(exported_symbols(os.environ["DETOPS_LIBRARY"])):
        symbol = f"symbol{number}"
        if is_function:
            declarations.append(f'void {symbol}(void) __asm__("{name}");\nvoid {symbol}(void) {{ stop("{name}"); }}')
        else:
            declarations.append(f'extern char {symbol}[64] __asm__("{name}");\nchar {symbol}[64];')
    assert len(declarations) > 100
    source, library = folder / "fake.c", folder / "libdetops.so"
    stop = 'static void stop(const char* name) { fprintf(stderr, "%s is called\\n", name); abort(); }'
    source.write_text("\n".join(["#include <stdio.h>", "#include <stdlib.h>", stop, *declarations]))
    subprocess.run(["cc", "-shared", "-fPIC", "-w", "-o", library, source], check=True)
    return library


@needs_nm
@needs_library
@needs_compiler
def test_a_library_with_the_same_symbols_is_not_called(tmp_path):
    assert output_with(build_fake(tmp_path)) == output_with()
