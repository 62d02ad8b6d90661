# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""Arrays whose type has DLPack's C exchange API are read and made by it, and by __dlpack__ where it does not suffice."""

import ctypes
import weakref

import detops
import numpy as np
import pytest
from dlpack_structures import (
    CPU,
    CUDA,
    DELETER,
    EXPORT,
    MAKE,
    ExchangeApi,
    ManagedVersioned,
    new_capsule,
)
from operations import OPERATIONS, WITH_OUT, name_of

READ_ONLY, IS_COPY = 1, 2
CODES = {"f": 2, "i": 0, "u": 1}
BOXES = np.array([[0, 0, 2, 2], [1, 1, 3, 3]], np.float32)


class DLPackOnly:
    """An array without the exchange API. Counts the calls of __dlpack__ and the exports that are not released."""

    def __init__(self, array, flags=0, **changes):
        self.array = array
        self.calls = 0
        self.exported = 0
        self._flags = flags
        self._changes = changes  # of what the exchange API exports
        self._keep = []

    def __dlpack__(self, **options):
        self.calls += 1
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def _released(self, _):
        self.exported -= 1

    def managed(self):
        """Returns the address of a tensor that describes the array, with the changes."""
        result = ManagedVersioned()
        result.major = self._changes.get("major", 1)
        deleter = DELETER(self._released)
        result.deleter = deleter
        result.flags = self._flags
        array, tensor = self.array, result.tensor
        shape = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
        strides = (ctypes.c_int64 * max(array.ndim, 1))(*[stride // array.itemsize for stride in array.strides])
        tensor.data = array.ctypes.data
        tensor.device_type, tensor.device_id = self._changes.get("device", CPU)
        tensor.ndim = self._changes.get("ndim", array.ndim)
        tensor.code, tensor.bits, tensor.lanes = self._changes.get(
            "dtype", (CODES[array.dtype.kind], 8 * array.itemsize, 1)
        )
        tensor.shape = ctypes.cast(shape, ctypes.POINTER(ctypes.c_int64))
        tensor.strides = ctypes.cast(strides, ctypes.POINTER(ctypes.c_int64))
        self._keep.append((result, deleter, shape, strides))
        self.exported += 1
        return ctypes.addressof(result)


def export(array, result):
    result[0] = array.managed()
    return 0


def fail(*_):
    return -1


class Made:
    """Counts the arrays that were made and are alive."""

    alive = 0

    @classmethod
    def released(cls, address):
        managed = ManagedVersioned.from_address(address)
        managed.deleter(address)
        cls.alive -= 1


def make_as(kind):
    """Returns a function that makes a DLManagedTensorVersioned into a `kind`."""

    def make(address, result):
        managed = ManagedVersioned.from_address(address)
        tensor = managed.tensor
        assert (managed.major, managed.flags, tensor.byte_offset) == (1, 0, 0)
        assert (tensor.device_type, tensor.device_id, tensor.lanes) == (1, 0, 1)
        assert tensor.data % 64 == 0
        shape = tuple(tensor.shape[: tensor.ndim])
        dtype = np.dtype(f"{'if'[tensor.code // 2]}{tensor.bits // 8}")
        memory = (ctypes.c_char * (int(np.prod(shape)) * dtype.itemsize)).from_address(tensor.data)
        array = np.ndarray(shape, dtype, memory)
        assert tuple(stride // dtype.itemsize for stride in array.strides) == tuple(tensor.strides[: tensor.ndim])
        made = kind.type(array)
        Made.alive += 1
        weakref.finalize(made, Made.released, address)
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(made))
        result[0] = id(made)
        return 0

    return make


class Kind:
    """A new type of arrays, with an exchange API of these functions, which lives as long as the process."""

    all = []

    def __init__(self, export=export, make=None, majors=(1,), name=b"dlpack_exchange_api", **attributes):
        self.type = type("Array", (DLPackOnly,), {**attributes, "kind": self})  # the type keeps the functions alive
        self._functions = EXPORT(export), MAKE(make or make_as(self))
        self._apis = []
        previous = None
        for major in majors:  # the last one is what the capsule holds
            api = ExchangeApi()
            api.header.major, api.header.previous = major, previous
            if major == 1:
                api.export, api.make = self._functions
            self._apis.append(api)
            previous = ctypes.addressof(api)
        self._name = name
        Kind.all.append(self)
        self.type.__dlpack_c_exchange_api__ = new_capsule(previous, self._name, None)

    def __call__(self, array, **changes):
        return self.type(array, **changes)


@pytest.mark.parametrize("operation", OPERATIONS, ids=name_of)
def test_arrays_are_read_and_made_without_methods(operation):
    kind = Kind()
    expected = operation(*operation.arrays)
    before = Made.alive
    arrays = [kind(array) for array in operation.arrays]
    found = operation(*arrays)
    assert [array.calls for array in arrays] == [0] * len(arrays)
    assert [array.exported for array in arrays] == [0] * len(arrays)
    assert Made.alive == before + len(expected)
    for a, b in zip(found, expected):
        assert type(a) is kind.type
        assert (a.array.shape, a.array.dtype) == (b.shape, b.dtype)
        np.testing.assert_array_equal(a.array, b)
    del a, found
    assert Made.alive == before


@pytest.mark.parametrize("change", [np.asfortranarray, lambda a: np.repeat(a, 2, -1)[..., ::2], lambda a: a.astype("f8")])
def test_strides_and_types(change):
    kind = Kind()
    boxes = kind(change(BOXES))
    np.testing.assert_array_equal(detops.bbox_overlaps(boxes, BOXES).array, detops.bbox_overlaps(BOXES, BOXES))
    assert boxes.calls == 0


def test_half_results():
    result = detops.bbox_overlaps(Kind()(BOXES.astype(np.float16)), BOXES.astype(np.float16))
    assert result.array.dtype == np.float16


def test_results_of_the_first_kind_that_is_not_numpys():
    first, second = Kind(), Kind()
    assert type(detops.bbox_overlaps(BOXES, second(BOXES))) is second.type
    assert type(detops.bbox_overlaps(first(BOXES), second(BOXES))) is first.type


def test_results_without_elements():
    result = detops.bbox_overlaps(Kind()(np.zeros((0, 4), np.float32)), BOXES)
    assert result.array.shape == (0, 2)


def test_results_that_must_be_zeros():
    features, rois = np.zeros((1, 0, 7, 18), np.float32), np.array([[0, 0, 0, 5, 5]], np.float32)
    for array in detops.psroi_pool(Kind()(features), rois, 3, return_mapping=True):
        assert array.array.shape == (1, 3, 3, 2)
        assert (array.array == 0).all()


def test_large_results_are_numpys_memory():
    boxes = np.repeat(BOXES, 300, 0)
    kind = Kind()
    before = Made.alive
    result = detops.bbox_overlaps(kind(boxes), boxes)
    assert Made.alive == before
    np.testing.assert_array_equal(result, detops.bbox_overlaps(boxes, boxes))


UNKNOWN = {
    "a subclass": lambda: type("Subclass", (Kind().type,), {}),
    "another capsule": lambda: Kind(name=b"something"),
    "a later major version": lambda: Kind(majors=(2,)),
    "a failing export": lambda: Kind(export=fail),
}


@pytest.mark.parametrize("make", UNKNOWN.values(), ids=UNKNOWN.keys())
def test_dlpack_is_called_otherwise(make):
    boxes = make()(BOXES)
    np.testing.assert_array_equal(to_numpy(detops.bbox_overlaps(boxes, BOXES)), detops.bbox_overlaps(BOXES, BOXES))
    assert boxes.calls == 1
    assert boxes.exported == 0


def to_numpy(result):
    return result if isinstance(result, np.ndarray) else result.array


@pytest.mark.parametrize("value", [None, 3, "capsule"])
def test_attributes_that_are_no_capsules(value):
    kind = Kind()
    kind.type.__dlpack_c_exchange_api__ = value
    boxes = kind(BOXES)
    np.testing.assert_array_equal(detops.bbox_overlaps(boxes, BOXES), detops.bbox_overlaps(BOXES, BOXES))
    assert boxes.calls == 1


def test_an_earlier_version_of_the_api_is_found():
    boxes = Kind(majors=(1, 2, 3))(BOXES)
    detops.bbox_overlaps(boxes, BOXES)
    assert boxes.calls == 0


def test_arrays_that_never_release_their_tensor_are_not_made():
    kept = []

    def make(address, result):
        kept.append(address)
        made = kind.type(np.zeros(1, np.float32))
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(made))
        result[0] = id(made)
        return 0

    kind = Kind(make=make)
    for _ in range(3):
        result = detops.bbox_overlaps(kind(BOXES), BOXES)
        np.testing.assert_array_equal(result, detops.bbox_overlaps(BOXES, BOXES))
    assert len(kept) == 1  # to find out


def test_a_failing_constructor_gives_a_numpy_array():
    result = detops.bbox_overlaps(Kind(make=fail)(BOXES), BOXES)
    np.testing.assert_array_equal(result, detops.bbox_overlaps(BOXES, BOXES))


INCONSISTENT = {
    "a GPU": {"device": CUDA},
    "bfloat16": {"dtype": (4, 16, 1)},
    "nine dimensions": {"ndim": 9},
    "a negative rank": {"ndim": -1},
    "a tensor of a later version": {"major": 2},
}


@pytest.mark.parametrize("changes", INCONSISTENT.values(), ids=INCONSISTENT.keys())
def test_dlpack_decides_on_what_cannot_be_used(changes):
    boxes = Kind()(BOXES, **changes)
    np.testing.assert_array_equal(detops.bbox_overlaps(boxes, BOXES).array, detops.bbox_overlaps(BOXES, BOXES))
    assert boxes.calls == 1
    assert boxes.exported == 0


class Mine(Exception):
    pass


def refuse(self, **options):
    raise Mine("mine")


GRADIENTS = {
    "requires_grad": {"requires_grad": True},
    "stop_gradient": {"stop_gradient": False},
    "both": {"requires_grad": True, "stop_gradient": False},
}


@pytest.mark.parametrize("attributes", GRADIENTS.values(), ids=GRADIENTS.keys())
def test_dlpack_decides_on_arrays_that_record_gradients(attributes):
    kind = Kind(__dlpack__=refuse, **attributes)
    with pytest.raises(Mine, match="^mine$"):
        detops.bbox_overlaps(kind(BOXES), BOXES)


@pytest.mark.parametrize("attributes", [{"requires_grad": False}, {"stop_gradient": True}])
def test_arrays_that_record_no_gradients(attributes):
    boxes = Kind(__dlpack__=refuse, **attributes)(BOXES)
    np.testing.assert_array_equal(detops.bbox_overlaps(boxes, BOXES).array, detops.bbox_overlaps(BOXES, BOXES))


def test_gradient_attributes_that_raise():
    boxes = Kind(requires_grad=property(refuse))(BOXES)
    np.testing.assert_array_equal(detops.bbox_overlaps(boxes, BOXES).array, detops.bbox_overlaps(BOXES, BOXES))


@pytest.mark.parametrize("operation", WITH_OUT, ids=name_of)
def test_out(operation):
    (expected,) = operation(*operation.arrays)
    out = Kind()(np.full_like(expected, -77))
    (result,) = operation(*operation.arrays, out=out)
    assert result is out
    assert (out.calls, out.exported) == (0, 0)
    np.testing.assert_array_equal(out.array, expected)


@pytest.mark.parametrize("flags", [READ_ONLY, IS_COPY], ids=["read-only", "copy"])
def test_out_that_cannot_be_written(flags):
    """__dlpack__ decides; here it raises what NumPy raises, or the array is rejected."""
    memory = np.full((2, 2), -77, np.float32)
    memory.flags.writeable = False
    out = Kind()(memory, flags=flags)
    with pytest.raises((TypeError, ValueError, BufferError)):
        detops.bbox_overlaps(BOXES, BOXES, out=out)
    assert (memory == -77).all()
    assert out.exported == 0


def test_read_only_inputs():
    boxes = Kind()(BOXES, flags=READ_ONLY)
    np.testing.assert_array_equal(detops.bbox_overlaps(boxes, BOXES).array, detops.bbox_overlaps(BOXES, BOXES))
    assert boxes.calls == 0


def test_failed_calls_release_their_arrays():
    boxes = Kind()(np.zeros((2, 5), np.float32))
    before = Made.alive
    with pytest.raises(ValueError, match="bboxes1 has shape float"):
        detops.bbox_overlaps(boxes, boxes)
    assert boxes.exported == 0
    assert Made.alive == before
