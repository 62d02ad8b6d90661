# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""Every operator takes every kind of array, with the results that a contiguous NumPy array gives."""

import subprocess
import sys

import array_kinds
import detops
import numpy as np
import pytest
from operations import OPERATIONS, name_of


def assert_same(found, expected):
    assert len(found) == len(expected)
    for a, b in zip(found, expected):
        a = a if isinstance(a, np.ndarray) else np.from_dlpack(a)
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("kind", array_kinds.LAYOUTS)
@pytest.mark.parametrize("operation", OPERATIONS, ids=name_of)
def test_kinds_of_arrays(operation, kind):
    make = array_kinds.LAYOUTS[kind]
    expected = operation(*operation.arrays)
    assert_same(operation(*[make(array) for array in operation.arrays]), expected)


@pytest.mark.parametrize("dtype", array_kinds.NUMBERS)
@pytest.mark.parametrize("operation", OPERATIONS, ids=name_of)
def test_types_of_numbers(operation, dtype):
    found = operation(*operation.arrays_as(dtype))
    expected = operation(*operation.arrays)
    is_half = np.dtype(dtype).newbyteorder("=") == np.float16
    for a, b in zip(found, expected):
        if is_half and operation.keeps_half and b.dtype == np.float32:
            b = b.astype(np.float16)
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("name", ["bbox_overlaps", "border_align"])
@pytest.mark.parametrize("kind", ["fortran order", "every second", "backwards", "misaligned", "read-only"])
def test_kinds_of_half_arrays(name, kind):
    operation = next(o for o in OPERATIONS if o.name == name)
    halves = operation.arrays_as(np.float16)
    found = operation(*[array_kinds.LAYOUTS[kind](array) for array in halves])
    assert found[0].dtype == np.float16
    assert_same(found, operation(*halves))


def test_bool():
    boxes = np.array([[0, 0, 1, 1], [0, 0, 1, 1], [1, 1, 1, 1]], bool)
    floats = boxes.astype(np.float32)
    np.testing.assert_array_equal(detops.bbox_overlaps(boxes, floats), detops.bbox_overlaps(floats, floats))
    np.testing.assert_array_equal(detops.nms(boxes, np.array([False, True, False]), 0.5), [1, 2])
    np.testing.assert_array_equal(detops.nms(floats, [3, 2, 1], 0.5, groups=np.array([True, False, True])), [0, 1, 2])


def test_arrays_of_different_types_are_brought_together():
    a = OPERATIONS[0].arrays[0]
    expected = detops.bbox_overlaps(a, a)
    for first, second in [(a, a.astype(np.float64)), (a.astype(np.int64), a), (a.tolist(), a.astype(np.uint8))]:
        np.testing.assert_array_equal(detops.bbox_overlaps(first, second), expected)


def test_half_with_float_is_float():
    boxes = np.array([[0, 0, 3, 1]], np.float32)
    for first, second in [(boxes, boxes.astype(np.float16)), (boxes.astype(np.float16), boxes)]:
        result = detops.bbox_overlaps(first, second + second.dtype.type(1))
        assert result.dtype == np.float32


@pytest.mark.parametrize("operation", OPERATIONS, ids=name_of)
def test_inputs_stay_as_they_were(operation):
    copies = [array.copy() for array in operation.arrays]
    operation(*operation.arrays)
    for array, copy in zip(operation.arrays, copies):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("operation", OPERATIONS, ids=name_of)
def test_results_own_their_memory(operation, dtype):
    expected = [result.copy() for result in operation(*operation.arrays)]
    arrays = [array.copy() for array in operation.arrays_as(dtype)]
    results = operation(*arrays)
    for array in arrays:
        assert not any(np.shares_memory(array, result) for result in results)
        array.fill(0)
    del array, arrays
    operation(*[np.zeros_like(array) for array in operation.arrays])
    assert_same(results, expected)
    assert all(result.flags.writeable and result.flags.c_contiguous for result in results)


@pytest.mark.parametrize("operation", OPERATIONS, ids=name_of)
def test_results_are_of_the_kind_of_the_first_array_that_is_not_numpy(operation):
    expected = operation(*operation.arrays)
    first, second = array_kinds.other_library("First"), array_kinds.other_library("Second")
    arrays = operation.arrays
    kinds = [(first, [first(array) for array in arrays])]
    if len(arrays) > 1:
        kinds.append((first, [first(arrays[0])] + [second(array) for array in arrays[1:]]))
        kinds.append((second, [arrays[0], second(arrays[1])] + [first(array) for array in arrays[2:]]))
    for kind, mixed in kinds:
        found = operation(*mixed)
        assert all(type(result) is kind for result in found)
        assert_same([result.to_numpy() for result in found], expected)


# Each call reads an input of 48 MB and writes into memory that was used before.
NO_COPY_PROGRAM = """
import resource, sys
import detops, numpy as np

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

kind, dtype = sys.argv[1:]
numbers = 48 * 2**20 // np.dtype(dtype).itemsize
if kind == "bbox_overlaps":
    boxes = np.ones((numbers // 4, 4), dtype)
    boxes.flags.writeable = False
    out = np.ones(numbers // 4, dtype)
    call = lambda: detops.bbox_overlaps(boxes, boxes, aligned=True, out=out)
elif kind == "DLPack":
    array = np.ones((numbers // 4, 4), dtype)
    boxes = type("Other", (), {"__dlpack__": array.__dlpack__, "__dlpack_device__": array.__dlpack_device__})()
    out = np.ones(numbers // 4, dtype)
    call = lambda: detops.bbox_overlaps(boxes, boxes, aligned=True, out=out)
elif kind == "border_align":
    features = np.ones((1, 256, numbers // 256 // 64, 64), dtype)
    boxes = np.ones((1, 1, 4), dtype)
    call = lambda: detops.border_align(features, boxes, 2)
else:
    features = np.ones((1, 256, numbers // 256 // 64, 64), dtype)
    rois = np.array([[0, 0, 0, 8, 8]], dtype)
    call = lambda: detops.psroi_pool(features, rois, 2)
detops.set_num_threads(1)
before = peak()
call()
print(peak() - before)
"""


@pytest.mark.parametrize(
    "kind, dtype",
    [
        ("bbox_overlaps", "float32"),
        ("bbox_overlaps", "float16"),
        ("DLPack", "float32"),
        ("border_align", "float32"),
        ("border_align", "float16"),
        ("psroi_pool", "float32"),
    ],
)
def test_contiguous_arrays_are_not_copied(kind, dtype):
    program = [sys.executable, "-c", NO_COPY_PROGRAM, kind, dtype]
    more_megabytes = int(subprocess.run(program, check=True, capture_output=True, text=True).stdout)
    assert more_megabytes < 20
