# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""Every function has a docstring, and its example runs."""

import doctest

import detops
import pytest

FUNCTIONS = sorted(name for name in dir(detops) if not name.startswith("_") and callable(getattr(detops, name)))


def test_every_function_is_there():
    assert {"bbox_overlaps", "nms", "poly_nms", "generate_proposals", "border_align", "psroi_pool"} <= set(FUNCTIONS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_example(name):
    docstring = getattr(detops, name).__doc__
    test = doctest.DocTestParser().get_doctest(docstring, {}, name, None, None)
    assert test.examples, f"{name} has no example"
    report = []
    doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert not report, "".join(report)
