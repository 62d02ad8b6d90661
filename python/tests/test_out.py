# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""Results that are written to the argument `out`."""

import array_kinds
import detops
import numpy as np
import pytest
from operations import WITH_OUT, name_of

SENTINEL = -77


@pytest.mark.parametrize("operation", WITH_OUT, ids=name_of)
def test_out_is_filled_and_returned(operation):
    (expected,) = operation(*operation.arrays)
    out = np.full_like(expected, SENTINEL)
    (result,) = operation(*operation.arrays, out=out)
    assert result is out
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("operation", [o for o in WITH_OUT if o.keeps_half], ids=name_of)
def test_out_of_halves(operation):
    halves = [array.astype(np.float16) for array in operation.arrays]
    (expected,) = operation(*halves)
    out = np.full_like(expected, SENTINEL)
    assert operation(*halves, out=out)[0] is out
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("operation", WITH_OUT, ids=name_of)
def test_out_with_inputs_that_are_converted(operation):
    (expected,) = operation(*operation.arrays)
    out = np.full_like(expected, SENTINEL)
    assert operation(*[array.astype(np.float64) for array in operation.arrays], out=out)[0] is out
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("operation", WITH_OUT, ids=name_of)
def test_out_as_part_of_a_larger_array(operation):
    (expected,) = operation(*operation.arrays)
    larger = np.full((3,) + expected.shape, SENTINEL, expected.dtype)
    operation(*operation.arrays, out=larger[1])
    np.testing.assert_array_equal(larger[1], expected)
    assert (larger[[0, 2]] == SENTINEL).all()


def test_out_without_elements():
    out = np.zeros((0, 3), np.float32)
    assert detops.bbox_overlaps([], np.zeros((3, 4), np.float32), out=out) is out


@pytest.mark.parametrize("name, option", [("border_align", "return_argmax"), ("psroi_pool", "return_mapping")])
def test_out_of_two_results(name, option):
    operation = next(o for o in WITH_OUT if o.name == name)
    expected = operation(*operation.arrays, **{option: True})
    out = tuple(np.full_like(array, SENTINEL) for array in expected)
    found = operation(*operation.arrays, **{option: True}, out=out)
    for a, b, c in zip(found, out, expected):
        assert a is b
        np.testing.assert_array_equal(b, c)
    for wrong in [out[0], out[:1], (out[0], out[1].astype(np.int64)), (out[0], out[1][:-1])]:
        out[0].fill(SENTINEL)
        with pytest.raises((TypeError, ValueError)):
            operation(*operation.arrays, **{option: True}, out=wrong)
        assert (out[0] == SENTINEL).all()


def _larger(shape, dtype, axis):
    shape = list(shape)
    shape[axis] += 1
    return np.full(shape, SENTINEL, dtype)


UNSUITABLE = {
    "too long": lambda like: _larger(like.shape, like.dtype, 0),
    "too wide": lambda like: _larger(like.shape, like.dtype, -1),
    "too short": lambda like: np.full_like(like, SENTINEL)[:-1],
    "flat": lambda like: np.full((like.size, 1), SENTINEL, like.dtype),
    "one dimension more": lambda like: np.full(like.shape + (1, 1), SENTINEL, like.dtype),
    "no dimension": lambda like: np.array(SENTINEL, like.dtype),
    "float64": lambda like: np.full(like.shape, SENTINEL, np.float64),
    "float16": lambda like: np.full(like.shape, SENTINEL, np.float16),
    "int32": lambda like: np.full(like.shape, SENTINEL, np.int32),
    "big-endian": lambda like: np.full(like.shape, SENTINEL, ">f4"),
    "every second": lambda like: _larger_view(like),
    "backwards": lambda like: np.full_like(like, SENTINEL)[::-1],
    "read-only": lambda like: array_kinds.read_only(np.full_like(like, SENTINEL)),
    "repeated": lambda like: np.lib.stride_tricks.as_strided(
        np.full(1, SENTINEL, like.dtype), like.shape, (0,) * like.ndim
    ),
}


def _larger_view(like):
    return np.full(like.shape[:-1] + (2 * like.shape[-1],), SENTINEL, like.dtype)[..., ::2]


@pytest.mark.parametrize("kind", UNSUITABLE)
@pytest.mark.parametrize("operation", WITH_OUT, ids=name_of)
def test_unsuitable_out_is_rejected_and_unchanged(operation, kind):
    if kind == "flat" and operation.name == "bbox_overlaps_aligned":
        pytest.skip("[N, 1] is a valid shape of the result")
    out = UNSUITABLE[kind](operation(*operation.arrays)[0])
    with pytest.raises((ValueError, TypeError)) as error:
        operation(*operation.arrays, out=out)
    assert str(error.value) and "\n" not in str(error.value)
    assert (out == SENTINEL).all()


@pytest.mark.parametrize("out", [[[0.0] * 10] * 12, (), "out", 3, object(), bytearray(480), np.float32(0)])
@pytest.mark.parametrize("operation", WITH_OUT, ids=name_of)
def test_out_that_is_not_an_array(operation, out):
    with pytest.raises((ValueError, TypeError)):
        operation(*operation.arrays, out=out)


@pytest.mark.parametrize("operation", WITH_OUT, ids=name_of)
def test_misaligned_out(operation):
    """A misaligned array may be rejected; nothing may be written around it."""
    (expected,) = operation(*operation.arrays)
    memory = np.full(expected.nbytes + 65, 0xAB, np.uint8)
    out = memory[33 : 33 + expected.nbytes].view(expected.dtype).reshape(expected.shape)
    try:
        operation(*operation.arrays, out=out)
    except (ValueError, TypeError):
        assert (memory == 0xAB).all()
    else:
        np.testing.assert_array_equal(out, expected)
        assert (memory[:33] == 0xAB).all() and (memory[33 + expected.nbytes :] == 0xAB).all()


@pytest.mark.parametrize("operation", WITH_OUT, ids=name_of)
def test_failed_calls_leave_out_unchanged(operation):
    out = np.full_like(operation(*operation.arrays)[0], SENTINEL)
    wrong = operation.arrays[-1][..., :-2].copy()
    with pytest.raises(ValueError):
        operation(*operation.arrays[:-1], wrong, out=out)
    assert (out == SENTINEL).all()


def test_aligned_out_may_be_a_column():
    boxes = np.array([[0, 0, 2, 2], [0, 0, 1, 1]], np.float32)
    out = np.full((2, 1), SENTINEL, np.float32)
    assert detops.bbox_overlaps(boxes, boxes, aligned=True, out=out) is out
    np.testing.assert_array_equal(out, [[1], [1]])
