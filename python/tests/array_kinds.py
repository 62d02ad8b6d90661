# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""Makes the same numbers into arrays of many kinds."""

import numpy as np


class Subclass(np.ndarray):
    pass


class WithArrayInterface:
    """Supports only NumPy's __array_interface__."""

    def __init__(self, array):
        self._array = array
        self.__array_interface__ = array.__array_interface__


class WithArrayMethod:
    def __init__(self, array):
        self._array = array

    def __array__(self, dtype=None, copy=None):
        return self._array if dtype is None else self._array.astype(dtype)


class WithDLPack:
    """Looks like an array of a library other than NumPy."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class WithOldDLPack(WithDLPack):
    """DLPack before versions were negotiated: the only argument is the stream."""

    def __dlpack__(self, stream=None):
        return self._array.__dlpack__()


def other_library(name):
    """Returns the array type of a library that follows the array API standard."""

    class Array(WithDLPack):
        @staticmethod
        def from_dlpack(array):
            return Array(np.from_dlpack(array))

        def __array_namespace__(self):
            return Array

        def to_numpy(self):
            return self._array

    Array.__name__ = name
    return Array


def _spread(array):
    """Every second number of a larger array, along every dimension."""
    larger = np.full(tuple(2 * n for n in array.shape), -77, array.dtype)
    view = larger[(slice(None, None, 2),) * array.ndim]
    view[...] = array
    return view


def _backwards(array):
    everywhere = (slice(None, None, -1),) * array.ndim
    return np.ascontiguousarray(array[everywhere])[everywhere]


def misaligned(array):
    memory = bytearray(array.nbytes + 1)
    result = np.frombuffer(memory, array.dtype, offset=1).reshape(array.shape)
    result[...] = array
    return result


def read_only(array):
    result = array.copy()
    result.flags.writeable = False
    return result


def _widened(array):
    """Rows of a wider array: contiguous but for the stride of the first dimension."""
    larger = np.full(array.shape[:-1] + (array.shape[-1] + 3,), -77, array.dtype)
    larger[..., : array.shape[-1]] = array
    return larger[..., : array.shape[-1]]


LAYOUTS = {
    "fortran order": np.asfortranarray,
    "transposed": lambda array: np.ascontiguousarray(array.T).T,
    "every second": _spread,
    "backwards": _backwards,
    "rows of a wider array": _widened,
    "read-only": read_only,
    "read-only and strided": lambda array: read_only(array).T.copy().T,
    "big-endian": lambda array: array.astype(array.dtype.newbyteorder(">")),
    "misaligned": misaligned,
    "subclass": lambda array: array.view(Subclass),
    "masked array": np.ma.masked_array,
    "list": lambda array: array.tolist(),
    "tuple": lambda array: tuple(array.tolist()),
    "list of arrays": list,
    "memoryview": lambda array: memoryview(array),
    "__array_interface__": WithArrayInterface,
    "__array__": WithArrayMethod,
    "DLPack": WithDLPack,
    "DLPack without versions": WithOldDLPack,
    "DLPack of a strided array": lambda array: WithDLPack(_spread(array)),
    "DLPack of a read-only array": lambda array: WithDLPack(read_only(array)),
}
# NumPy exports read-only arrays since version 2.1.
if np.lib.NumpyVersion(np.__version__) < "2.1.0":
    del LAYOUTS["DLPack of a read-only array"]

NUMBERS = ["f8", "g", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">f8", ">i4", "f2", ">f2"]
