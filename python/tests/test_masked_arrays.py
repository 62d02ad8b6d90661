# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""Masked arrays are refused if an element is masked: an operator would read what the mask hides."""

import subprocess
import sys

import detops
import numpy as np
import pytest
from operations import OPERATIONS, WITH_OUT, name_of


def masked(array, masked_elements):
    mask = np.zeros(array.shape, bool)
    mask.reshape(-1)[-masked_elements:] = True
    return np.ma.masked_array(array, mask)


def test_the_message_names_the_argument_and_the_remedy():
    boxes = np.array([[0, 0, 2, 2], [1, 1, 3, 3]], np.float32)
    hidden = np.ma.masked_array(boxes, [[False] * 4, [True] * 4])
    with pytest.raises(ValueError) as error:
        detops.bbox_overlaps(boxes, hidden)
    assert str(error.value) == (
        "bboxes2 is a masked array with 4 masked elements; it must have none: pass bboxes2.filled(value) or, to drop rows, "
        "numpy.ma.compress_rows(bboxes2)"
    )
    np.testing.assert_array_equal(detops.bbox_overlaps(boxes[:1], np.ma.compress_rows(hidden)), [[1]])
    np.testing.assert_array_equal(detops.bbox_overlaps(boxes[:1], hidden.filled(0)), [[1, 0]])


@pytest.mark.parametrize("change", [lambda a: a, np.asfortranarray, lambda a: a.astype(a.dtype.newbyteorder(">"))])
@pytest.mark.parametrize("operation", OPERATIONS, ids=name_of)
def test_masked_elements_are_refused(operation, change):
    for i, array in enumerate(operation.arrays):
        arrays = list(operation.arrays)
        arrays[i] = masked(change(array), 1)
        with pytest.raises(ValueError, match="is a masked array with 1 masked elements; .*filled"):
            operation(*arrays)


@pytest.mark.parametrize("mask", [np.ma.nomask, False])
@pytest.mark.parametrize("operation", OPERATIONS, ids=name_of)
def test_arrays_without_masked_elements_are_read(operation, mask):
    found = operation(*[np.ma.masked_array(array, mask) for array in operation.arrays])
    for a, b in zip(found, operation(*operation.arrays)):
        assert type(a) is np.ndarray
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("operation", WITH_OUT, ids=name_of)
def test_out(operation):
    (expected,) = operation(*operation.arrays)
    out = np.ma.masked_array(np.full_like(expected, -77))
    assert operation(*operation.arrays, out=out)[0] is out
    np.testing.assert_array_equal(out.data, expected)
    out.data.fill(-77)
    out[0] = np.ma.masked
    with pytest.raises(ValueError, match=r"^out is a masked array with \d+ masked elements, .* pass out\.data$"):
        operation(*operation.arrays, out=out)
    assert (out.data == -77).all()


def test_the_module_is_not_imported_for_it():
    """numpy.ma takes a while to import. NumPy 2 imports it only when it is used."""
    program = (
        "import sys, numpy as np; before = 'numpy.ma' in sys.modules\n"
        "import detops; detops.nms(np.zeros((1, 4), np.float32).view(type('A', (np.ndarray,), {})), [1], 0.5)\n"
        "assert ('numpy.ma' in sys.modules) == before"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
