# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""Exceptions that an array's own methods raise reach the caller: the same type, text and traceback."""

import mmap
import sys
import traceback

import array_kinds
import detops
import numpy as np
import pytest
from operations import OPERATIONS, WITH_OUT, name_of

BOXES = np.array([[0, 0, 2, 2], [1, 1, 3, 3]], np.float32)


class Mine(Exception):
    pass


ERRORS = [Mine, RuntimeError, KeyError, BufferError, TypeError, ValueError, AttributeError, MemoryError, KeyboardInterrupt]


class RaisingDLPack(array_kinds.WithDLPack):
    def __init__(self, error):
        super().__init__(BOXES)
        self._error = error

    def __dlpack__(self, **options):
        raise self._error("mine")


class RaisingDevice(RaisingDLPack):
    def __dlpack__(self, **options):
        return BOXES.__dlpack__(**options)

    def __dlpack_device__(self):
        raise self._error("mine")


class DLPackOfVersion1Only(RaisingDLPack):
    """Cannot be called without max_version: a second call without it fails, too, but in another way."""

    def __dlpack__(self, *, max_version):
        raise self._error("mine")


class RaisingInterface:
    def __init__(self, error):
        self._error = error

    @property
    def __array_interface__(self):
        raise self._error("mine")


class RaisingArrayMethod:
    def __init__(self, error):
        self._error = error

    def __array__(self, dtype=None, copy=None):
        raise self._error("mine")


class RaisingAttribute:
    def __init__(self, error):
        self._error = error

    @property
    def __dlpack__(self):
        raise self._error("mine")


class RaisingBuffer:
    def __init__(self, error):
        self._error = error

    def __buffer__(self, flags):
        raise self._error("mine")


RAISING = [RaisingDLPack, RaisingDevice, DLPackOfVersion1Only, RaisingAttribute, RaisingInterface, RaisingArrayMethod]
if sys.version_info >= (3, 12):
    RAISING.append(RaisingBuffer)


def assert_raises_mine(error, call):
    with pytest.raises(error) as raised:
        call()
    assert type(raised.value) is error
    assert raised.value.args == ("mine",)
    assert traceback.extract_tb(raised.value.__traceback__)[-1].line == 'raise self._error("mine")'


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("kind", RAISING)
def test_an_exception_stays_as_it_is(kind, error):
    if error is AttributeError and kind in (RaisingAttribute, RaisingInterface):
        pytest.skip("Python's way to state that there is no such attribute")
    assert_raises_mine(error, lambda: detops.bbox_overlaps(kind(error), BOXES))
    assert_raises_mine(error, lambda: detops.bbox_overlaps(BOXES, kind(error)))


@pytest.mark.parametrize("operation", OPERATIONS, ids=name_of)
def test_every_operator_passes_exceptions_on(operation):
    for i in range(len(operation.arrays)):
        arrays = list(operation.arrays)
        arrays[i] = RaisingDLPack(Mine)
        assert_raises_mine(Mine, lambda: operation(*arrays))


@pytest.mark.parametrize("kind", [RaisingDLPack, RaisingDevice, RaisingAttribute])
@pytest.mark.parametrize("operation", WITH_OUT, ids=name_of)
def test_out_passes_exceptions_on(operation, kind):
    assert_raises_mine(Mine, lambda: operation(*operation.arrays, out=kind(Mine)))


def error_of(call):
    try:
        call()
    except Exception as error:
        return type(error), str(error)
    raise AssertionError("nothing was raised")


def test_buffers_that_were_released():
    view = memoryview(BOXES)
    view.release()
    assert error_of(lambda: detops.bbox_overlaps(view, BOXES)) == error_of(lambda: memoryview(view))
    closed = mmap.mmap(-1, 4096)
    closed.close()
    assert error_of(lambda: detops.bbox_overlaps(closed, BOXES)) == error_of(lambda: memoryview(closed))


def test_an_older_dlpack_is_asked_without_a_version():
    """An object that passes its options on to an older array raises TypeError for max_version, from inside of its method."""

    class Wrapper:
        def __init__(self):
            self._old = array_kinds.WithOldDLPack(BOXES)

        def __dlpack__(self, **options):
            return self._old.__dlpack__(**options)

        def __dlpack_device__(self):
            return self._old.__dlpack_device__()

    result = np.from_dlpack(detops.bbox_overlaps(Wrapper(), BOXES))
    np.testing.assert_array_equal(result, detops.bbox_overlaps(BOXES, BOXES))


def test_attributes_that_raise():
    class Hostile:
        def __getattr__(self, name):
            raise Mine(name)

    with pytest.raises(Mine):
        detops.bbox_overlaps(Hostile(), BOXES)


def test_dlpack_without_a_device():
    class WithoutDevice:
        def __dlpack__(self, **options):
            return BOXES.__dlpack__(**options)

    with pytest.raises(TypeError, match="^bboxes1 has __dlpack__ but no __dlpack_device__; it must have both$"):
        detops.bbox_overlaps(WithoutDevice(), BOXES)


@pytest.mark.parametrize("device", [None, (), "cpu", (None, None), (2**80, 0)], ids=repr)
def test_a_device_that_is_not_a_tuple_of_integers(device):
    class WrongDevice(array_kinds.WithDLPack):
        def __dlpack_device__(self):
            return device

    with pytest.raises(TypeError) as error:
        detops.bbox_overlaps(BOXES, WrongDevice(BOXES))
    expected = f"bboxes2.__dlpack_device__() is {device!r}; it must be a tuple of two integers"
    assert str(error.value) == expected
