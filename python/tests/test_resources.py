# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""The costs of a call: memory leaks, references, overhead."""

import gc
import os
import statistics
import sys
import time

import array_kinds
import detops
import numpy as np
import pytest
import random_inputs
from operations import OPERATIONS, WITH_OUT, name_of

CALLS = 10_000


def resident_bytes():
    """Returns the current resident size, not the peak, which earlier tests have set."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def growth_over(calls, call):
    for _ in range(calls // 10):
        call()
    gc.collect()
    before = resident_bytes()
    for _ in range(calls):
        call()
    gc.collect()
    return resident_bytes() - before


def test_results_are_given_back():
    """A leak of the results would be 400 MB."""
    boxes = random_inputs.boxes(100, 110)
    assert growth_over(CALLS, lambda: detops.bbox_overlaps(boxes, boxes)) < 20e6


def test_converted_inputs_are_given_back():
    """A leak of the copies would be 160 MB."""
    boxes = random_inputs.boxes(1000, 111).astype(np.float64)
    one = boxes[:1]
    assert growth_over(CALLS, lambda: detops.bbox_overlaps(boxes, one)) < 20e6


@pytest.mark.parametrize("operation", OPERATIONS, ids=name_of)
def test_no_leak(operation):
    """A leak of 100 bytes per call would be 1 MB; allocators and counters need some memory, too."""
    assert growth_over(CALLS // 2, lambda: operation(*operation.arrays)) < 2e6


def failing_call():
    try:
        detops.bbox_overlaps(np.zeros((3, 5), np.float32), np.zeros((3, 4), np.float32))
    except ValueError:
        return
    raise AssertionError("not rejected")


SPECIAL_CALLS = {
    "failures": failing_call,
    "lists": lambda: detops.bbox_overlaps([[0, 0, 1, 1]], [[0, 0, 1, 1]]),
    "DLPack": lambda: detops.bbox_overlaps(
        array_kinds.WithDLPack(OPERATIONS[0].arrays[0]), array_kinds.WithDLPack(OPERATIONS[0].arrays[1])
    ),
    "empty": lambda: detops.bbox_overlaps([], []),
}


@pytest.mark.parametrize("call", SPECIAL_CALLS.values(), ids=SPECIAL_CALLS.keys())
def test_no_leak_of_special_calls(call):
    assert growth_over(CALLS, call) < 3e6


@pytest.mark.parametrize("operation", OPERATIONS, ids=name_of)
def test_references_are_given_back(operation):
    arrays = [array.copy() for array in operation.arrays]
    strided = [np.asfortranarray(array) for array in operation.arrays]
    before = [sys.getrefcount(array) for array in arrays + strided]
    for _ in range(10):
        operation(*arrays)
        operation(*strided)
        with pytest.raises((TypeError, ValueError)):
            operation(*arrays[:-1], None if operation.name != "generate_proposals" else "no array")
    gc.collect()
    assert [sys.getrefcount(array) for array in arrays + strided] == before


@pytest.mark.parametrize("operation", WITH_OUT, ids=name_of)
def test_references_to_out_are_given_back(operation):
    out = np.empty_like(operation(*operation.arrays)[0])
    before = sys.getrefcount(out)
    for _ in range(10):
        operation(*operation.arrays, out=out)
        with pytest.raises(ValueError):
            operation(*operation.arrays[:-1], operation.arrays[-1][..., :-2], out=out)
    gc.collect()
    assert sys.getrefcount(out) == before


def test_exported_memory_is_not_held():
    """NumPy refuses to resize an array that is still exported."""
    boxes = np.zeros((2, 4), np.float32)
    result = detops.bbox_overlaps(boxes, boxes)
    boxes.resize((3, 4), refcheck=True)
    del result


def median_microseconds(call, batches=100, calls=50):
    times = []
    for _ in range(batches):
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        times.append((time.perf_counter() - begin) / calls * 1e6)
    return statistics.median(times)


def test_a_small_call_takes_less_than_5_microseconds():
    first, second = random_inputs.boxes(8, 112), random_inputs.boxes(8, 113)
    best = np.inf
    for _ in range(40):
        best = min(best, median_microseconds(lambda: detops.bbox_overlaps(first, second)))
        if best < 5:
            break
    assert best < 5
