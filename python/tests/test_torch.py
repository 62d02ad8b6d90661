# Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0
"""PyTorch tensors; skipped if PyTorch is not installed."""

import importlib

import detops
import numpy as np
import pytest
from operations import OPERATIONS, WITH_OUT, name_of

torch = pytest.importorskip("torch", minversion="2.4")
importlib.import_module("detops.torch")  # registers the operators


def tensors(operation, dtype="float32"):
    return [torch.from_numpy(array.copy()) for array in operation.arrays_as(dtype)]


def assert_same(found, expected):
    assert len(found) == len(expected)
    for a, b in zip(found, expected):
        assert isinstance(a, torch.Tensor)
        assert (tuple(a.shape), a.numpy().dtype) == (b.shape, b.dtype)
        np.testing.assert_array_equal(a.numpy(), b)


@pytest.mark.parametrize("operation", OPERATIONS, ids=name_of)
def test_tensors_give_tensors(operation):
    found = operation(*tensors(operation))
    assert_same(found, operation(*operation.arrays))


@pytest.mark.parametrize("dtype", ["float64", "int32", "int64", "uint8", "float16"])
@pytest.mark.parametrize("operation", OPERATIONS, ids=name_of)
def test_types_of_numbers(operation, dtype):
    found = operation(*tensors(operation, dtype))
    expected = operation(*operation.arrays_as(dtype))
    assert_same(found, expected)


@pytest.mark.parametrize("operation", OPERATIONS, ids=name_of)
def test_strided_tensors(operation):
    strided = [tensor.mT.contiguous().mT if tensor.ndim > 1 else tensor for tensor in tensors(operation)]
    assert_same(operation(*strided), operation(*operation.arrays))


@pytest.mark.parametrize("operation", WITH_OUT, ids=name_of)
def test_out(operation):
    (expected,) = operation(*operation.arrays)
    out = torch.full(expected.shape, -77.0)
    (result,) = operation(*tensors(operation), out=out)
    assert result is out
    np.testing.assert_array_equal(out.numpy(), expected)


@pytest.mark.parametrize("operation", WITH_OUT, ids=name_of)
def test_unsuitable_out(operation):
    shape = operation(*operation.arrays)[0].shape
    for out in [torch.full((*shape, 2), -77.0), torch.full(shape, -77.0, dtype=torch.float64), torch.full((1,), -77.0)]:
        with pytest.raises((TypeError, ValueError)):
            operation(*tensors(operation), out=out)
        assert (out == -77).all()


def test_no_boxes():
    result = detops.bbox_overlaps(torch.zeros(0), torch.zeros(1, 4))
    assert isinstance(result, torch.Tensor)
    assert (tuple(result.shape), result.dtype) == ((0, 1), torch.float32)


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.zeros(2, 4, dtype=torch.bfloat16),
        lambda: torch.zeros(2, 4, dtype=torch.complex64),
        lambda: torch.zeros(2, 4, device="meta"),
        lambda: torch.zeros(2, 4).to_sparse(),
    ],
    ids=["bfloat16", "complex", "meta", "sparse"],
)
def test_tensors_without_numbers_that_can_be_read(make):
    with pytest.raises((TypeError, ValueError, RuntimeError, BufferError)):
        detops.bbox_overlaps(make(), torch.zeros(2, 4))


def test_tensors_that_require_gradients_are_rejected():
    """The operators have no gradients: an error is better than a graph that ends silently."""
    boxes = torch.tensor([[0.0, 0, 1, 1]], requires_grad=True)
    with pytest.raises((TypeError, ValueError, RuntimeError, BufferError), match="grad"):
        detops.bbox_overlaps(boxes, boxes)
    np.testing.assert_array_equal(detops.bbox_overlaps(boxes.detach(), boxes.detach()).numpy(), [[1]])


def test_results_outlive_their_inputs():
    operation = OPERATIONS[0]
    expected = operation(*operation.arrays)
    arrays = tensors(operation)
    found = operation(*arrays)
    for array in arrays:
        array.zero_()
    del array, arrays
    assert_same(found, expected)


# The arguments of each operator of torch.ops.detops that follow the tensors of the operation of that name.
REGISTERED = {
    "bbox_overlaps": (),
    "bbox_overlaps_row_maximum": (),
    "bbox_overlaps_pairs": (0.125,),
    "poly_nms": (0.2,),
    "polygon_iou": (),
    "nms": (0.2,),
    "batched_nms": (0.2,),
    "generate_proposals": (),
    "border_align": (4,),
    "psroi_pool": (3,),
}
OPERATION_OF = {operation.name: operation for operation in OPERATIONS}


def call_registered(name, arrays):
    result = getattr(torch.ops.detops, name)(*arrays, *REGISTERED[name])
    return result if isinstance(result, (tuple, list)) else (result,)


@pytest.mark.parametrize("name", REGISTERED)
def test_registered_operators(name):
    operation = OPERATION_OF[name]
    expected = operation(*operation.arrays)
    assert_same(call_registered(name, tensors(operation))[: len(expected)], expected)


@pytest.mark.parametrize("name", REGISTERED)
def test_registration_is_consistent(name):
    """Runs PyTorch's check of schemas and shape functions."""
    checks = ("test_schema", "test_faketensor")
    arguments = (*tensors(OPERATION_OF[name]), *REGISTERED[name])
    torch.library.opcheck(getattr(torch.ops.detops, name).default, arguments, test_utils=checks)


@pytest.mark.parametrize("name", REGISTERED)
def test_operators_are_nodes_of_compiled_graphs(name):
    operation = OPERATION_OF[name]
    expected = operation(*operation.arrays)
    torch.compiler.reset()
    compiled = torch.compile(lambda *arrays: call_registered(name, arrays), backend="eager", fullgraph=True)
    assert_same(compiled(*tensors(operation))[: len(expected)], expected)


@pytest.mark.parametrize("name", ["border_align", "psroi_pool"])
def test_shape_function_of_channels_first(name):
    features, boxes = tensors(OPERATION_OF[name])
    features = features.permute(0, 3, 1, 2).contiguous()
    arguments = (features, boxes, *REGISTERED[name])
    operator = getattr(torch.ops.detops, name).default
    torch.library.opcheck(operator, arguments, {"layout": "NCHW"}, test_utils=("test_schema", "test_faketensor"))


def test_registered_operators_report_errors():
    with pytest.raises(Exception, match="bboxes1 has shape float"):
        torch.ops.detops.bbox_overlaps(torch.zeros(3, 5), torch.zeros(3, 4))
