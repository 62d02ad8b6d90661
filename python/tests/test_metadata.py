# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""Objects that describe their memory wrongly are rejected; nothing crashes."""

import ctypes

import array_kinds
import detops
import numpy as np
import pytest
from dlpack_structures import CPU, CUDA, DELETER, FLOAT32, Managed, ManagedVersioned, new_capsule

BOXES = np.array([[0, 0, 2, 2], [1, 1, 3, 3]], np.float32)


class Exporter:
    """A DLPack exporter with any description. Counts how often the deleter was called."""

    def __init__(
        self,
        shape=(2, 4),
        strides=(4, 1),
        ndim=None,
        dtype=FLOAT32,
        device=CPU,
        stated_device=None,
        data=BOXES.ctypes.data,
        byte_offset=0,
        version=None,
        name=None,
    ):
        self.deletions = 0
        self._device = device if stated_device is None else stated_device
        self._name = name or (b"dltensor" if version is None else b"dltensor_versioned")
        self._shape = (ctypes.c_int64 * max(len(shape), 1))(*shape)
        self._strides = None if strides is None else (ctypes.c_int64 * max(len(strides), 1))(*strides)
        self._deleter = DELETER(self._delete)
        self._managed = Managed() if version is None else ManagedVersioned()
        if version is not None:
            self._managed.major, self._managed.minor = version
        self._managed.deleter = self._deleter
        tensor = self._managed.tensor
        tensor.data = data
        tensor.device_type, tensor.device_id = device
        tensor.ndim = len(shape) if ndim is None else ndim
        tensor.code, tensor.bits, tensor.lanes = dtype
        tensor.shape = ctypes.cast(self._shape, ctypes.POINTER(ctypes.c_int64))
        if self._strides is not None:
            tensor.strides = ctypes.cast(self._strides, ctypes.POINTER(ctypes.c_int64))
        tensor.byte_offset = byte_offset

    def _delete(self, _):
        self.deletions += 1

    def __dlpack__(self, **_):
        return new_capsule(ctypes.addressof(self._managed), self._name, None)

    def __dlpack_device__(self):
        return self._device


CONSISTENT = {
    "with strides": {},
    "without strides": {"strides": None},
    "versioned": {"version": (1, 0)},
    "of a newer minor version": {"version": (1, 99)},
    "with an offset": {"data": BOXES.ctypes.data - 32, "byte_offset": 32},
    "without elements": {"shape": (0, 4), "data": None},
    "repeating a row": {"strides": (0, 1)},
}


@pytest.mark.parametrize("description", CONSISTENT.values(), ids=CONSISTENT.keys())
def test_consistent_exporters(description):
    exporter = Exporter(**description)
    shape, strides = description.get("shape", (2, 4)), description.get("strides", (4, 1))
    boxes = BOXES[[0, 0]] if strides == (0, 1) else BOXES[: shape[0]]
    for _ in range(2):
        np.testing.assert_array_equal(detops.bbox_overlaps(exporter, BOXES), detops.bbox_overlaps(boxes, BOXES))
    assert exporter.deletions == 2


INCONSISTENT = {
    "a negative dimension": {"shape": (-2, 4)},
    "two negative dimensions": {"shape": (-2, -4)},
    "a product beyond 64 bits": {"shape": (2**62, 4)},
    "a product of 0 beyond 64 bits": {"shape": (2**62, 2**62, 0), "strides": None},
    "2^31 elements": {"shape": (2**29, 4), "strides": None},
    "a negative rank": {"ndim": -1},
    "a huge rank": {"shape": (1,) * 200, "strides": (1,) * 200},
    "nine dimensions": {"shape": (1,) * 9, "strides": None},
    "no memory": {"data": None},
    "a GPU": {"device": CUDA},
    "a GPU whose exporter states CPU": {"device": CUDA, "stated_device": CPU},
    "a device that does not exist": {"device": (99, 3)},
    "two lanes": {"dtype": (2, 32, 2)},
    "no lanes": {"dtype": (2, 32, 0)},
    "no bits": {"dtype": (2, 0, 1)},
    "a type of 7 bits": {"dtype": (0, 7, 1)},
    "a type that does not exist": {"dtype": (77, 32, 1)},
    "complex": {"dtype": (5, 64, 1)},
    "bfloat16": {"dtype": (4, 16, 1)},
    "float of 24 bits": {"dtype": (2, 24, 1)},
    "a later major version": {"version": (2, 0)},
    "a capsule that was used": {"name": b"used_dltensor"},
    "a capsule of something else": {"name": b"something"},
}


@pytest.mark.parametrize("description", INCONSISTENT.values(), ids=INCONSISTENT.keys())
def test_inconsistent_exporters(description):
    exporter = Exporter(**description)
    for first, second in [(exporter, BOXES), (BOXES, exporter)]:
        with pytest.raises((TypeError, ValueError)) as error:
            detops.bbox_overlaps(first, second)
        assert str(error.value) and "\n" not in str(error.value)
    with pytest.raises((TypeError, ValueError)):
        detops.bbox_overlaps(BOXES, BOXES, out=exporter)
    np.testing.assert_array_equal(BOXES, [[0, 0, 2, 2], [1, 1, 3, 3]])


class Broken:
    """An object whose __dlpack__ returns or raises what the constructor was given."""

    def __init__(self, result, device=CPU):
        self._result = result
        self._device = device

    def __dlpack__(self, **_):
        if isinstance(self._result, BaseException):
            raise self._result
        return self._result

    def __dlpack_device__(self):
        if isinstance(self._device, BaseException):
            raise self._device
        return self._device


@pytest.mark.parametrize("result", [None, 1, "capsule", b"dltensor", (1, 2)], ids=lambda x: type(x).__name__)
def test_dlpack_that_returns_no_capsule(result):
    with pytest.raises((TypeError, ValueError)):
        detops.bbox_overlaps(Broken(result), BOXES)


@pytest.mark.parametrize("device", [None, (), (1,), "cpu", (None, None), (2**40, 0), (2**80, 0)], ids=repr)
def test_invalid_devices(device):
    """The device may be rejected or ignored; nothing may crash."""
    exporter = Exporter()
    broken = Broken(exporter.__dlpack__(), device)
    try:
        result = detops.bbox_overlaps(broken, BOXES)
    except Exception as error:  # any exception will do: the process is alive
        assert str(error)
    else:
        np.testing.assert_array_equal(result, detops.bbox_overlaps(BOXES, BOXES))


def test_dlpack_attribute_that_cannot_be_called():
    class NotCallable:
        __dlpack__ = 3
        __dlpack_device__ = 4

    with pytest.raises((TypeError, ValueError)):
        detops.bbox_overlaps(NotCallable(), BOXES)


def test_read_only_exporters_are_rejected_as_out():
    out = array_kinds.read_only(np.full((2, 2), -77, np.float32))
    with pytest.raises((TypeError, ValueError, BufferError)):
        detops.bbox_overlaps(BOXES, BOXES, out=array_kinds.WithDLPack(out))
    assert (out == -77).all()


class Interface:
    def __init__(self, **changes):
        self._keep = BOXES
        self.__array_interface__ = {**BOXES.__array_interface__, **changes}


BAD_INTERFACES = {
    "a negative dimension": {"shape": (-2, 4)},
    "a shape that is not a tuple": {"shape": 8},
    "a shape of text": {"shape": ("a", "b")},
    "an unknown type": {"typestr": "<q77"},
    "no type": {"typestr": None},
    "objects": {"typestr": "|O8"},
    "complex": {"typestr": "<c8", "shape": (1, 4)},
    "strides of another rank": {"strides": (4,)},
    "no data": {"data": ("zero", False)},
    "version as text": {"version": "three", "shape": (-1, 4)},
}


@pytest.mark.parametrize("changes", BAD_INTERFACES.values(), ids=BAD_INTERFACES.keys())
def test_bad_array_interfaces(changes):
    with pytest.raises((TypeError, ValueError)):
        detops.bbox_overlaps(Interface(**changes), BOXES)


def test_interface_that_is_not_a_dictionary():
    class Text:
        __array_interface__ = "text"

    with pytest.raises((TypeError, ValueError)):
        detops.bbox_overlaps(Text(), BOXES)


def test_array_method_that_returns_no_array():
    class WrongArray:
        def __array__(self, dtype=None, copy=None):
            return [[0, 0, 1, 1]]

    with pytest.raises((TypeError, ValueError)):
        detops.bbox_overlaps(WrongArray(), BOXES)


def test_a_subclass_with_a_wrong_shape():
    class WrongArray(np.ndarray):
        @property
        def shape(self):
            return (10**9, 4)

    wrong = BOXES.view(WrongArray)
    np.testing.assert_array_equal(detops.bbox_overlaps(wrong, BOXES), detops.bbox_overlaps(BOXES, BOXES))


def test_strides_beyond_the_memory_are_never_followed():
    """Strides of dimensions of size 1 are meaningless."""
    strange = np.lib.stride_tricks.as_strided(BOXES, (1, 4), (2**40, 4))
    np.testing.assert_array_equal(detops.bbox_overlaps(strange, BOXES), detops.bbox_overlaps(BOXES[:1], BOXES))
