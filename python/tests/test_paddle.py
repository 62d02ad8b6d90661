# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""Paddle tensors; skipped if Paddle is not installed."""

import os

import detops
import numpy as np
import pytest
from operations import OPERATIONS, WITH_OUT, name_of

paddle = pytest.importorskip("paddle")


def tensors(operation, dtype="float32"):
    return [paddle.to_tensor(array) for array in operation.arrays_as(dtype)]


def assert_same(found, expected):
    assert len(found) == len(expected)
    for a, b in zip(found, expected):
        assert isinstance(a, paddle.Tensor)
        assert (tuple(a.shape), a.numpy().dtype) == (b.shape, b.dtype)
        np.testing.assert_array_equal(a.numpy(), b)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "uint8", "float16"])
@pytest.mark.parametrize("operation", OPERATIONS, ids=name_of)
def test_tensors_give_tensors(operation, dtype):
    assert_same(operation(*tensors(operation, dtype)), operation(*operation.arrays_as(dtype)))


@pytest.mark.parametrize("operation", WITH_OUT, ids=name_of)
def test_out(operation):
    (expected,) = operation(*operation.arrays)
    out = paddle.full(expected.shape, -77.0)
    (result,) = operation(*tensors(operation), out=out)
    assert result is out
    np.testing.assert_array_equal(out.numpy(), expected)


def test_no_boxes():
    result = detops.bbox_overlaps(paddle.zeros([0, 4]), paddle.zeros([1, 4]))
    assert isinstance(result, paddle.Tensor)
    assert result.shape == [0, 1]


def test_tensors_that_record_gradients_are_rejected():
    boxes = paddle.to_tensor([[0.0, 0, 1, 1]], stop_gradient=False)
    with pytest.raises((TypeError, ValueError, RuntimeError, BufferError), match="grad"):
        detops.bbox_overlaps(boxes, boxes)
    np.testing.assert_array_equal(detops.bbox_overlaps(boxes.detach(), boxes.detach()).numpy(), [[1]])


def test_results_do_not_depend_on_internal_functions(monkeypatch):
    def fail(*_):
        raise RuntimeError("changed")

    monkeypatch.setattr(paddle._C_ops, "empty", fail)
    operation = OPERATIONS[0]
    assert_same(operation(*tensors(operation)), operation(*operation.arrays))


def test_results_outlive_their_inputs():
    operation = OPERATIONS[0]
    expected = operation(*operation.arrays)
    arrays = tensors(operation)
    found = operation(*arrays)
    for array in arrays:
        array.zero_()
    del array, arrays
    assert_same(found, expected)


def test_results_are_given_back():
    """A leak of the results would be 80 MB."""

    def resident_bytes():
        with open("/proc/self/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    boxes = paddle.to_tensor(np.ones((100, 4), np.float32))
    for _ in range(200):
        detops.bbox_overlaps(boxes, boxes)
    before = resident_bytes()
    for _ in range(2000):
        detops.bbox_overlaps(boxes, boxes)
    assert resident_bytes() - before < 20e6
