/* Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file mlu_op.h
 *
 * The operators' C API: status codes, handles, tensor descriptors, and at the end what detops adds
 * to it (threads, instruction set, messages). Memory and queues are in cnrt.h.
 *
 * Every function may be called from any thread; one handle or descriptor is used by one thread at a
 * time. A call that fails changes nothing, logs one line that names the function, the argument, the
 * value found and what was expected, and leaves the same text for detopsGetLastError on the calling
 * thread.
 */
#ifndef MLU_OP_H_
#define MLU_OP_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cnrt.h"

/** Part of every declaration of the API; empty here. */
#ifndef MLUOP_WIN_API
#define MLUOP_WIN_API
#endif

/** The highest rank of a tensor. */
#define MLUOP_DIM_MAX 8

#if defined(__cplusplus)
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/** What a call returns. */
typedef enum {
  MLUOP_STATUS_SUCCESS = 0,         /**< Done, or there was nothing to do. */
  MLUOP_STATUS_NOT_INITIALIZED = 1, /**< Never returned here. */
  MLUOP_STATUS_ALLOC_FAILED = 2,    /**< Memory could not be had; nothing was written. */
  MLUOP_STATUS_BAD_PARAM =
      3, /**< A null pointer, a wrong rank, shape, type, layout or value, too small a workspace. */
  MLUOP_STATUS_INTERNAL_ERROR = 4,   /**< A defect of the library; never expected. */
  MLUOP_STATUS_ARCH_MISMATCH = 5,    /**< Never returned here. */
  MLUOP_STATUS_EXECUTION_FAILED = 6, /**< A queue's thread could not be started. */
  MLUOP_STATUS_NOT_SUPPORTED =
      7, /**< A tensor that is not contiguous, or one of 2^31 elements or more. */
  MLUOP_STATUS_NUMERICAL_OVERFLOW = 8 /**< Never returned here. */
} mluOpStatus_t;

/** The order of a tensor's dimensions. A tag: operators check the one they need. */
typedef enum {
  MLUOP_LAYOUT_NCHW = 0,  /**< Batch, channel, height, width. */
  MLUOP_LAYOUT_NHWC = 1,  /**< Batch, height, width, channel. */
  MLUOP_LAYOUT_HWCN = 2,  /**< Height, width, channel, batch. */
  MLUOP_LAYOUT_NDHWC = 3, /**< Batch, depth, height, width, channel. */
  MLUOP_LAYOUT_ARRAY = 4, /**< Dimensions without a meaning of their own. */
  MLUOP_LAYOUT_NCDHW = 5, /**< Batch, channel, depth, height, width. */
  MLUOP_LAYOUT_TNC = 6,   /**< Time, batch, channel. */
  MLUOP_LAYOUT_NTC = 7,   /**< Batch, time, channel. */
  MLUOP_LAYOUT_NC = 8,    /**< Batch, channel. */
  MLUOP_LAYOUT_NLC = 9,   /**< Batch, length, channel. */
  MLUOP_LAYOUT_NCL = 10   /**< Batch, channel, length. */
} mluOpTensorLayout_t;

/** The type of a tensor's elements. */
typedef enum {
  MLUOP_DTYPE_INVALID = 0,        /**< No type: a descriptor that was never set. */
  MLUOP_DTYPE_HALF = 1,           /**< IEEE binary16. */
  MLUOP_DTYPE_FLOAT = 2,          /**< IEEE binary32. */
  MLUOP_DTYPE_INT8 = 3,           /**< 8-bit signed integer. */
  MLUOP_DTYPE_INT16 = 4,          /**< 16-bit signed integer. */
  MLUOP_DTYPE_INT31 = 5,          /**< The accelerator's 31-bit fixed point, in 4 bytes. */
  MLUOP_DTYPE_INT32 = 6,          /**< 32-bit signed integer. */
  MLUOP_DTYPE_UINT8 = 7,          /**< 8-bit unsigned integer. */
  MLUOP_DTYPE_BOOL = 8,           /**< One byte, 0 or 1. */
  MLUOP_DTYPE_INT64 = 9,          /**< 64-bit signed integer. */
  MLUOP_DTYPE_UINT32 = 11,        /**< 32-bit unsigned integer. */
  MLUOP_DTYPE_UINT64 = 12,        /**< 64-bit unsigned integer. */
  MLUOP_DTYPE_UINT16 = 13,        /**< 16-bit unsigned integer. */
  MLUOP_DTYPE_DOUBLE = 14,        /**< IEEE binary64. */
  MLUOP_DTYPE_COMPLEX_HALF = 15,  /**< Two halves. */
  MLUOP_DTYPE_COMPLEX_FLOAT = 16, /**< Two floats. */
  MLUOP_DTYPE_BFLOAT16 = 17       /**< The upper half of a binary32. */
} mluOpDataType_t;

/** Whether atomic operations may be used. Kept in the handle; no result here depends on it. */
typedef enum {
  MLUOP_ATOMICS_NOT_ALLOWED = 1, /**< They may not. */
  MLUOP_ATOMICS_ALLOWED = 2      /**< They may. */
} mluOpAtomicsMode_t;

/** How quantisation rounds. Kept in the handle; no operator here quantises. */
typedef enum {
  MLUOP_ROUND_HALF_TO_EVEN = 0, /**< To the nearest, halves to even. */
  MLUOP_ROUND_HALF_UP = 1,      /**< To the nearest, halves up. */
  MLUOP_ROUND_HALF_OFF_ZERO = 2 /**< To the nearest, halves away from zero. */
} mluOpQuantizeRoundMode_t;

/** Where a scalar lives. Kept in the descriptor; host and device are the same here. */
typedef enum {
  MLUOP_POINTER_MODE_HOST = 0,  /**< In host memory. */
  MLUOP_POINTER_MODE_DEVICE = 1 /**< In device memory. */
} mluOpPointerMode_t;

/** The context of calls: a queue, threads, modes. */
typedef struct mluOpContext* mluOpHandle_t;

/** A tensor's shape, element type, layout and strides. */
typedef struct mluOpTensorStruct* mluOpTensorDescriptor_t;

/* ---- Library
 * --------------------------------------------------------------------------------------------- */

/**
 * Names a status.
 *
 * Parameters: status: the value.
 * Return: the enumerator's name ("MLUOP_STATUS_BAD_PARAM"), or a text that says that the value is
 *   unknown. Never NULL; do not free it.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: detopsGetLastError says more about the calling thread's last failure.
 * Example: puts(mluOpGetErrorString(MLUOP_STATUS_BAD_PARAM));
 */
const char* mluOpGetErrorString(mluOpStatus_t status);

/**
 * Tells the library's version.
 *
 * Parameters: major, minor, patch [out]: the three numbers; a NULL is skipped.
 * Return: nothing.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: the version is that of detops, not of the accelerator's library.
 * Example: int major, minor, patch; mluOpGetLibVersion(&major, &minor, &patch);
 */
void mluOpGetLibVersion(int* major, int* minor, int* patch);

/**
 * Tells the size of one element.
 *
 * Parameters: data_type: the type; size [out]: its bytes.
 * Return: SUCCESS; BAD_PARAM when size is NULL or the type is unknown or MLUOP_DTYPE_INVALID.
 * Data type: every one but MLUOP_DTYPE_INVALID.
 * Layout: none.
 * Limits: none.
 * Notes: none.
 * Example: size_t size; mluOpGetSizeOfDataType(MLUOP_DTYPE_HALF, &size);
 */
mluOpStatus_t MLUOP_WIN_API mluOpGetSizeOfDataType(mluOpDataType_t data_type, size_t* size);

/* ---- Handle
 * ---------------------------------------------------------------------------------------------- */

/**
 * Creates a handle.
 *
 * Parameters: handle [out]: the handle.
 * Return: SUCCESS; BAD_PARAM when handle is NULL; ALLOC_FAILED.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: it has no queue: operators run before their call returns. It uses as many threads as
 *   there are cores, or DETOPS_NUM_THREADS.
 * Example: mluOpHandle_t handle; mluOpCreate(&handle);
 */
mluOpStatus_t MLUOP_WIN_API mluOpCreate(mluOpHandle_t* handle);

/**
 * Destroys a handle.
 *
 * Parameters: handle: the handle.
 * Return: SUCCESS; BAD_PARAM when handle is NULL.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: waits for the handle's work in flight. The queue is not destroyed, and may have been
 *   before.
 * Example: mluOpDestroy(handle);
 */
mluOpStatus_t MLUOP_WIN_API mluOpDestroy(mluOpHandle_t handle);

/**
 * Reads again what a handle took from its surroundings.
 *
 * Parameters: handle: the handle.
 * Return: SUCCESS; BAD_PARAM when handle is NULL.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: that is the number of threads, unless detopsSetThreads has set it. Waits for the handle's
 *   work in flight.
 * Example: mluOpUpdateContextInformation(handle);
 */
mluOpStatus_t MLUOP_WIN_API mluOpUpdateContextInformation(mluOpHandle_t handle);

/**
 * Gives a handle the queue on which its operators run from now on.
 *
 * Parameters: handle: the handle; queue: the queue, or NULL: operators run before their call
 *   returns.
 * Return: SUCCESS; BAD_PARAM when handle is NULL.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: work that was submitted before stays on its queue.
 * Example: mluOpSetQueue(handle, queue);
 */
mluOpStatus_t MLUOP_WIN_API mluOpSetQueue(mluOpHandle_t handle, cnrtQueue_t queue);

/**
 * Tells the queue of a handle.
 *
 * Parameters: handle: the handle; queue [out]: its queue, NULL when it has none.
 * Return: SUCCESS; BAD_PARAM when an argument is NULL.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: none.
 * Example: cnrtQueue_t queue; mluOpGetQueue(handle, &queue);
 */
mluOpStatus_t MLUOP_WIN_API mluOpGetQueue(mluOpHandle_t handle, cnrtQueue_t* queue);

/**
 * Stores whether atomic operations may be used.
 *
 * Parameters: handle: the handle; atomics_mode: the mode.
 * Return: SUCCESS; BAD_PARAM when handle is NULL or the mode is unknown.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: a new handle has MLUOP_ATOMICS_NOT_ALLOWED. Results do not depend on it.
 * Example: mluOpSetAtomicsMode(handle, MLUOP_ATOMICS_ALLOWED);
 */
mluOpStatus_t MLUOP_WIN_API mluOpSetAtomicsMode(mluOpHandle_t handle,
                                                mluOpAtomicsMode_t atomics_mode);

/**
 * Tells the mode that mluOpSetAtomicsMode stored.
 *
 * Parameters: handle: the handle; atomics_mode [out]: the mode.
 * Return: SUCCESS; BAD_PARAM when an argument is NULL.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: none.
 * Example: mluOpAtomicsMode_t mode; mluOpGetAtomicsMode(handle, &mode);
 */
mluOpStatus_t MLUOP_WIN_API mluOpGetAtomicsMode(mluOpHandle_t handle,
                                                mluOpAtomicsMode_t* atomics_mode);

/**
 * Stores how quantisation rounds.
 *
 * Parameters: handle: the handle; round_mode: the mode.
 * Return: SUCCESS; BAD_PARAM when handle is NULL or the mode is unknown.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: a new handle has MLUOP_ROUND_HALF_TO_EVEN. No operator here quantises.
 * Example: mluOpSetQuantizeRoundMode(handle, MLUOP_ROUND_HALF_UP);
 */
mluOpStatus_t MLUOP_WIN_API mluOpSetQuantizeRoundMode(mluOpHandle_t handle,
                                                      mluOpQuantizeRoundMode_t round_mode);

/**
 * Tells the mode that mluOpSetQuantizeRoundMode stored.
 *
 * Parameters: handle: the handle; round_mode [out]: the mode.
 * Return: SUCCESS; BAD_PARAM when an argument is NULL.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: none.
 * Example: mluOpQuantizeRoundMode_t mode; mluOpGetQuantizeRoundMode(handle, &mode);
 */
mluOpStatus_t MLUOP_WIN_API mluOpGetQuantizeRoundMode(mluOpHandle_t handle,
                                                      mluOpQuantizeRoundMode_t* round_mode);

/* ---- Tensor descriptor
 * ----------------------------------------------------------------------------------- */

/**
 * Creates a tensor descriptor.
 *
 * Parameters: desc [out]: the descriptor.
 * Return: SUCCESS; BAD_PARAM when desc is NULL; ALLOC_FAILED.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: until it is set it has type MLUOP_DTYPE_INVALID and every operator refuses it.
 * Example: mluOpTensorDescriptor_t desc; mluOpCreateTensorDescriptor(&desc);
 */
mluOpStatus_t MLUOP_WIN_API mluOpCreateTensorDescriptor(mluOpTensorDescriptor_t* desc);

/**
 * Destroys a tensor descriptor.
 *
 * Parameters: desc: the descriptor.
 * Return: SUCCESS; BAD_PARAM when desc is NULL.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: may be called as soon as the operator call that used it returned, also when that runs on
 *   a queue.
 * Example: mluOpDestroyTensorDescriptor(desc);
 */
mluOpStatus_t MLUOP_WIN_API mluOpDestroyTensorDescriptor(mluOpTensorDescriptor_t desc);

/**
 * Puts a tensor descriptor back into the state of a new one.
 *
 * Parameters: desc: the descriptor.
 * Return: SUCCESS; BAD_PARAM when desc is NULL.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: none.
 * Example: mluOpResetTensorDescriptor(desc);
 */
mluOpStatus_t MLUOP_WIN_API mluOpResetTensorDescriptor(mluOpTensorDescriptor_t desc);

/**
 * Describes a contiguous tensor.
 *
 * Parameters: desc: the descriptor; layout, dtype: the tensor's; dimNb: its rank; dimSize: its
 *   dimensions, outermost first.
 * Return: SUCCESS; BAD_PARAM when desc is NULL, layout or dtype is unknown, dimNb is not 0 to
 *   MLUOP_DIM_MAX, dimSize is NULL and dimNb not 0, a dimension is negative or their product too
 *   large.
 * Data type: every one but MLUOP_DTYPE_INVALID.
 * Layout: every one; it is not checked against the rank.
 * Limits: at most MLUOP_DIM_MAX dimensions; the product of those that are not 0 is below 2^63.
 * Notes: a dimension may be 0. Rank 0 is a scalar of one element.
 * Example: const int dims[] = {100, 4}; mluOpSetTensorDescriptor(desc, MLUOP_LAYOUT_ARRAY,
 *   MLUOP_DTYPE_FLOAT, 2, dims);
 */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptor(mluOpTensorDescriptor_t desc,
                                                     mluOpTensorLayout_t layout,
                                                     mluOpDataType_t dtype, int dimNb,
                                                     const int dimSize[]);

/**
 * mluOpSetTensorDescriptor with 64-bit dimensions.
 *
 * Parameters: desc: the descriptor; layout, dtype: the tensor's; dimNb: its rank; dimSize: its
 *   dimensions, outermost first.
 * Return: SUCCESS; BAD_PARAM when desc is NULL, layout or dtype is unknown, dimNb is not 0 to
 *   MLUOP_DIM_MAX, dimSize is NULL and dimNb not 0, a dimension is negative or their product too
 *   large.
 * Data type: as mluOpSetTensorDescriptor.
 * Layout: as mluOpSetTensorDescriptor.
 * Limits: at most MLUOP_DIM_MAX dimensions; the product of those that are not 0 is below 2^63.
 * Notes: as mluOpSetTensorDescriptor.
 * Example: const int64_t dims[] = {100, 4}; mluOpSetTensorDescriptor_v2(desc, MLUOP_LAYOUT_ARRAY,
 *   MLUOP_DTYPE_FLOAT, 2, dims);
 */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptor_v2(mluOpTensorDescriptor_t desc,
                                                        mluOpTensorLayout_t layout,
                                                        mluOpDataType_t dtype, int dimNb,
                                                        const int64_t dimSize[]);

/**
 * Describes a tensor with strides.
 *
 * Parameters: desc: the descriptor; layout, dtype: the tensor's; dimNb: its rank; dimSize: its
 *   dimensions, outermost first; dimStride: its strides.
 * Return: SUCCESS; BAD_PARAM when desc is NULL, layout or dtype is unknown, dimNb is not 0 to
 *   MLUOP_DIM_MAX, dimSize is NULL and dimNb not 0, a dimension is negative or their product too
 *   large; or dimStride is NULL and dimNb not 0.
 * Data type: as mluOpSetTensorDescriptor.
 * Layout: as mluOpSetTensorDescriptor.
 * Limits: at most MLUOP_DIM_MAX dimensions; the product of those that are not 0 is below 2^63.
 * Notes: strides are counted in elements and stored as they are. The operators here take
 *   contiguous tensors: the stride of every dimension that is not 1 equals the product of the
 *   later dimensions, or there is no element; they answer NOT_SUPPORTED to others.
 * Example: const int dims[] = {100, 4}, strides[] = {8, 1}; mluOpSetTensorDescriptorEx(desc,
 *   MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 2, dims, strides);
 */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorEx(mluOpTensorDescriptor_t desc,
                                                       mluOpTensorLayout_t layout,
                                                       mluOpDataType_t dtype, int dimNb,
                                                       const int dimSize[], const int dimStride[]);

/**
 * mluOpSetTensorDescriptorEx with 64-bit dimensions and strides.
 *
 * Parameters: desc: the descriptor; layout, dtype: the tensor's; dimNb: its rank; dimSize: its
 *   dimensions, outermost first; dimStride: its strides.
 * Return: SUCCESS; BAD_PARAM when desc is NULL, layout or dtype is unknown, dimNb is not 0 to
 *   MLUOP_DIM_MAX, dimSize is NULL and dimNb not 0, a dimension is negative or their product too
 *   large; or dimStride is NULL and dimNb not 0.
 * Data type: as mluOpSetTensorDescriptor.
 * Layout: as mluOpSetTensorDescriptor.
 * Limits: at most MLUOP_DIM_MAX dimensions; the product of those that are not 0 is below 2^63.
 * Notes: as mluOpSetTensorDescriptorEx.
 * Example: const int64_t dims[] = {100, 4}, strides[] = {8, 1};
 *   mluOpSetTensorDescriptorEx_v2(desc, MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_FLOAT, 2, dims, strides);
 */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorEx_v2(mluOpTensorDescriptor_t desc,
                                                          mluOpTensorLayout_t layout,
                                                          mluOpDataType_t dtype, int dimNb,
                                                          const int64_t dimSize[],
                                                          const int64_t dimStride[]);

/**
 * Gives a descriptor other dimensions; layout and type stay.
 *
 * Parameters: desc: the descriptor; dimNb: the rank; dimSize: the dimensions.
 * Return: SUCCESS; BAD_PARAM when desc is NULL, dimNb is not 0 to MLUOP_DIM_MAX, dimSize is NULL
 *   and dimNb not 0, a dimension is negative or their product too large.
 * Data type: none.
 * Layout: none.
 * Limits: at most MLUOP_DIM_MAX dimensions; the product of those that are not 0 is below 2^63.
 * Notes: the tensor becomes contiguous. A descriptor without a type stays without one.
 * Example: const int dims[] = {50, 4}; mluOpSetTensorDescriptorDim(desc, 2, dims);
 */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorDim(mluOpTensorDescriptor_t desc, int dimNb,
                                                        const int* dimSize);

/**
 * mluOpSetTensorDescriptorDim with 64-bit dimensions.
 *
 * Parameters: as mluOpSetTensorDescriptorDim.
 * Return: as mluOpSetTensorDescriptorDim.
 * Data type: none.
 * Layout: none.
 * Limits: at most MLUOP_DIM_MAX dimensions; the product of those that are not 0 is below 2^63.
 * Notes: as mluOpSetTensorDescriptorDim.
 * Example: const int64_t dims[] = {50, 4}; mluOpSetTensorDescriptorDim_v2(desc, 2, dims);
 */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorDim_v2(mluOpTensorDescriptor_t desc, int dimNb,
                                                           const int64_t* dimSize);

/**
 * Tells what a descriptor describes.
 *
 * Parameters: desc: the descriptor; layout, dtype, dimNb [out]: the tensor's; dimSize [out]: dimNb
 *   dimensions, skipped when NULL.
 * Return: SUCCESS; BAD_PARAM when desc, layout, dtype or dimNb is NULL, or a dimension that is
 *   asked for does not fit an int. Nothing is written unless it succeeds.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: dimSize needs room for MLUOP_DIM_MAX numbers unless the rank is known.
 * Example: int rank, dims[MLUOP_DIM_MAX]; mluOpGetTensorDescriptor(desc, &layout, &dtype, &rank,
 *   dims);
 */
mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptor(const mluOpTensorDescriptor_t desc,
                                                     mluOpTensorLayout_t* layout,
                                                     mluOpDataType_t* dtype, int* dimNb,
                                                     int dimSize[]);

/**
 * mluOpGetTensorDescriptor with 64-bit dimensions.
 *
 * Parameters: desc: the descriptor; layout, dtype, dimNb [out]: the tensor's; dimSize [out]: dimNb
 *   dimensions, skipped when NULL.
 * Return: SUCCESS; BAD_PARAM when desc, layout, dtype or dimNb is NULL.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: as mluOpGetTensorDescriptor.
 * Example: int rank; int64_t dims[MLUOP_DIM_MAX]; mluOpGetTensorDescriptor_v2(desc, &layout,
 *   &dtype, &rank, dims);
 */
mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptor_v2(const mluOpTensorDescriptor_t desc,
                                                        mluOpTensorLayout_t* layout,
                                                        mluOpDataType_t* dtype, int* dimNb,
                                                        int64_t dimSize[]);

/**
 * Tells what a descriptor describes, with strides.
 *
 * Parameters: desc: the descriptor; layout, dtype, dimNb [out]: the tensor's; dimSize [out]: dimNb
 *   dimensions, skipped when NULL; dimStride [out]: dimNb strides, skipped when NULL.
 * Return: SUCCESS; BAD_PARAM when desc, layout, dtype or dimNb is NULL, or a dimension or stride
 *   that is asked for does not fit an int. Nothing is written unless it succeeds.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: as mluOpGetTensorDescriptor.
 * Example: mluOpGetTensorDescriptorEx(desc, &layout, &dtype, &rank, dims, strides);
 */
mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptorEx(const mluOpTensorDescriptor_t desc,
                                                       mluOpTensorLayout_t* layout,
                                                       mluOpDataType_t* dtype, int* dimNb,
                                                       int dimSize[], int dimStride[]);

/**
 * mluOpGetTensorDescriptorEx with 64-bit dimensions and strides.
 *
 * Parameters: desc: the descriptor; layout, dtype, dimNb [out]: the tensor's; dimSize [out]: dimNb
 *   dimensions, skipped when NULL; dimStride [out]: dimNb strides, skipped when NULL.
 * Return: SUCCESS; BAD_PARAM when desc, layout, dtype or dimNb is NULL.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: as mluOpGetTensorDescriptor.
 * Example: mluOpGetTensorDescriptorEx_v2(desc, &layout, &dtype, &rank, dims, strides);
 */
mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptorEx_v2(const mluOpTensorDescriptor_t desc,
                                                          mluOpTensorLayout_t* layout,
                                                          mluOpDataType_t* dtype, int* dimNb,
                                                          int64_t dimSize[], int64_t dimStride[]);

/**
 * Counts a tensor's elements.
 *
 * Parameters: desc: the descriptor.
 * Return: the product of the dimensions, 1 for a scalar; 0 when desc is NULL (which is logged) or
 *   was never set.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: strides do not count.
 * Example: size_t elements = mluOpGetTensorElementNum(desc);
 */
size_t MLUOP_WIN_API mluOpGetTensorElementNum(const mluOpTensorDescriptor_t desc);

/**
 * Stores the type in which the accelerator would compute.
 *
 * Parameters: desc: the descriptor; onchip_dtype: the type.
 * Return: SUCCESS; BAD_PARAM when desc is NULL or the type is unknown.
 * Data type: every one; MLUOP_DTYPE_INVALID, as in a new descriptor, means none.
 * Layout: none.
 * Limits: none.
 * Notes: stored and returned; no result here depends on it.
 * Example: mluOpSetTensorDescriptorOnchipDataType(desc, MLUOP_DTYPE_FLOAT);
 */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorOnchipDataType(mluOpTensorDescriptor_t desc,
                                                                   mluOpDataType_t onchip_dtype);

/**
 * Tells the type that mluOpSetTensorDescriptorOnchipDataType stored.
 *
 * Parameters: desc: the descriptor; onchip_dtype [out]: the type.
 * Return: SUCCESS; BAD_PARAM when an argument is NULL.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: none.
 * Example: mluOpDataType_t onchip; mluOpGetTensorDescriptorOnchipDataType(desc, &onchip);
 */
mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptorOnchipDataType(
    const mluOpTensorDescriptor_t desc, mluOpDataType_t* onchip_dtype);

/**
 * Stores where the tensor's scalar lives.
 *
 * Parameters: desc: the descriptor; pointer_mode: the mode.
 * Return: SUCCESS; BAD_PARAM when desc is NULL or the mode is unknown.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: a new descriptor has MLUOP_POINTER_MODE_DEVICE. Host and device are the same here.
 * Example: mluOpSetTensorDescriptorPointerMode(desc, MLUOP_POINTER_MODE_HOST);
 */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorPointerMode(mluOpTensorDescriptor_t desc,
                                                                mluOpPointerMode_t pointer_mode);

/**
 * Tells the mode that mluOpSetTensorDescriptorPointerMode stored.
 *
 * Parameters: desc: the descriptor; pointer_mode [out]: the mode.
 * Return: SUCCESS; BAD_PARAM when an argument is NULL.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: none.
 * Example: mluOpPointerMode_t mode; mluOpGetTensorDescriptorPointerMode(desc, &mode);
 */
mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptorPointerMode(const mluOpTensorDescriptor_t desc,
                                                                mluOpPointerMode_t* pointer_mode);

/**
 * Stores a fixed-point position.
 *
 * Parameters: desc: the descriptor; position: the value.
 * Return: SUCCESS; BAD_PARAM when desc is NULL.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: fixed-point parameters of the accelerator, stored and returned; no result here depends on
 *   them. A new descriptor has position 0, scale 1, offset 0.
 * Example: mluOpSetTensorDescriptorPosition(desc, -3);
 */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorPosition(mluOpTensorDescriptor_t desc,
                                                             int position);

/**
 * Tells the stored position.
 *
 * Parameters: desc: the descriptor; position [out]: the value.
 * Return: SUCCESS; BAD_PARAM when an argument is NULL.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: none.
 * Example: int position; mluOpGetTensorDescriptorPosition(desc, &position);
 */
mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptorPosition(const mluOpTensorDescriptor_t desc,
                                                             int* position);

/**
 * Stores a fixed-point position and scale.
 *
 * Parameters: desc: the descriptor; position, scale: the values.
 * Return: SUCCESS; BAD_PARAM when desc is NULL.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: as mluOpSetTensorDescriptorPosition.
 * Example: mluOpSetTensorDescriptorPositionAndScale(desc, -3, 1.5f);
 */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorPositionAndScale(mluOpTensorDescriptor_t desc,
                                                                     int position, float scale);

/**
 * Tells the stored position and scale.
 *
 * Parameters: desc: the descriptor; position, scale [out]: the values.
 * Return: SUCCESS; BAD_PARAM when an argument is NULL.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: none.
 * Example: mluOpGetTensorDescriptorPositionAndScale(desc, &position, &scale);
 */
mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptorPositionAndScale(
    const mluOpTensorDescriptor_t desc, int* position, float* scale);

/**
 * Stores a fixed-point position, scale and offset.
 *
 * Parameters: desc: the descriptor; position, scale, offset: the values.
 * Return: SUCCESS; BAD_PARAM when desc is NULL.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: as mluOpSetTensorDescriptorPosition.
 * Example: mluOpSetTensorDescriptorPositionScaleAndOffset(desc, -3, 1.5f, 128);
 */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorPositionScaleAndOffset(
    mluOpTensorDescriptor_t desc, int position, float scale, int offset);

/**
 * Tells the stored position, scale and offset.
 *
 * Parameters: desc: the descriptor; position, scale, offset [out]: the values.
 * Return: SUCCESS; BAD_PARAM when an argument is NULL.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: none.
 * Example: mluOpGetTensorDescriptorPositionScaleAndOffset(desc, &position, &scale, &offset);
 */
mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptorPositionScaleAndOffset(
    const mluOpTensorDescriptor_t desc, int* position, float* scale, int* offset);

/**
 * Creates several tensor descriptors: all or none.
 *
 * Parameters: group_desc: desc_num pointers, each to a descriptor [out]; desc_num: how many.
 * Return: SUCCESS; BAD_PARAM when group_desc or one of its pointers is NULL or desc_num is not
 *   positive; ALLOC_FAILED. Nothing is written unless it succeeds.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: none.
 * Example: mluOpTensorDescriptor_t a, b, *group[] = {&a, &b};
 *   mluOpCreateGroupTensorDescriptors(group, 2);
 */
mluOpStatus_t MLUOP_WIN_API mluOpCreateGroupTensorDescriptors(mluOpTensorDescriptor_t* group_desc[],
                                                              const int desc_num);

/**
 * Destroys several tensor descriptors: all or none.
 *
 * Parameters: group_desc: desc_num pointers, each to a descriptor; desc_num: how many.
 * Return: SUCCESS; BAD_PARAM when group_desc, one of its pointers or a descriptor is NULL or
 *   desc_num is not positive.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: none.
 * Example: mluOpDestroyGroupTensorDescriptors(group, 2);
 */
mluOpStatus_t MLUOP_WIN_API
mluOpDestroyGroupTensorDescriptors(mluOpTensorDescriptor_t* group_desc[], const int desc_num);

/**
 * Describes several contiguous tensors: all or none.
 *
 * Parameters: group_desc: desc_num pointers, each to a descriptor; group_layout, group_dtype,
 *   group_dimNb: desc_num values; group_dimSize: all shapes, one after the other; desc_num: how
 *   many.
 * Return: as mluOpSetTensorDescriptor; the message says which tensor is wrong.
 * Data type: as mluOpSetTensorDescriptor.
 * Layout: as mluOpSetTensorDescriptor.
 * Limits: at most MLUOP_DIM_MAX dimensions; the product of those that are not 0 is below 2^63.
 * Notes: none.
 * Example: const int ranks[] = {2, 1}, dims[] = {100, 4, 100};
 *   mluOpSetGroupTensorDescriptors(group, layouts, dtypes, ranks, dims, 2);
 */
mluOpStatus_t MLUOP_WIN_API mluOpSetGroupTensorDescriptors(mluOpTensorDescriptor_t* group_desc[],
                                                           const mluOpTensorLayout_t group_layout[],
                                                           const mluOpDataType_t group_dtype[],
                                                           const int group_dimNb[],
                                                           const int group_dimSize[],
                                                           const int desc_num);

/* ---- Operators --------------------------------------------------------------------------------
 */

/**
 * Computes how much boxes overlap: intersection over union, or over the area of the first box.
 *
 * Parameters: handle: the handle; mode: 0 for IoU, 1 for IoF; aligned: whether only boxes of the
 *   same index are compared; offset: 0 or 1, added to every width and height; bbox1_desc, bbox1:
 *   M boxes (x1, y1, x2, y2); bbox2_desc, bbox2: N boxes; ious_desc, ious [out]: the overlaps.
 * Return: SUCCESS, also when there is nothing to compute; BAD_PARAM when an argument is NULL (data
 *   may be when there is no element), mode or offset is not 0 or 1, or a rank, type or shape is
 *   wrong; NOT_SUPPORTED for tensors that are not contiguous or have 2^31 elements or more.
 * Data type: float or half, the same for all three tensors. Halves are computed in float.
 * Layout: any; it is not looked at.
 * Limits: bbox1 is [M, 4], bbox2 [N, 4] (the 4 is not looked at when there is no box), ious [M, N],
 *   or when aligned, with M equal to N, [M] or [M, 1].
 * Notes: a box with a NaN coordinate has the overlap NaN (0x7fc00000, half 0x7e00) with every
 * other; otherwise 0 / 0 and infinity - infinity count as 0. The bits do not depend on threads or
 *   instruction set.
 * Example: mluOpBboxOverlaps(handle, 0, false, 0, desc1, boxes1, desc2, boxes2, ious_desc, ious);
 */
mluOpStatus_t MLUOP_WIN_API mluOpBboxOverlaps(mluOpHandle_t handle, const int mode,
                                              const bool aligned, const int offset,
                                              const mluOpTensorDescriptor_t bbox1_desc,
                                              const void* bbox1,
                                              const mluOpTensorDescriptor_t bbox2_desc,
                                              const void* bbox2,
                                              const mluOpTensorDescriptor_t ious_desc, void* ious);

/**
 * Says how much workspace mluOpPolyNms needs.
 *
 * Parameters: handle: the handle; boxes_desc: the boxes; size [out]: bytes.
 * Return: SUCCESS; BAD_PARAM when an argument is NULL or boxes_desc is not what mluOpPolyNms takes;
 *   NOT_SUPPORTED for 2^31 elements or more.
 * Data type: float.
 * Layout: any; it is not looked at.
 * Limits: boxes are [N, 9].
 * Notes: the size is proportional to N, and 0 for no box.
 * Example: mluOpGetPolyNmsWorkspaceSize(handle, boxes_desc, &size);
 */
mluOpStatus_t MLUOP_WIN_API mluOpGetPolyNmsWorkspaceSize(mluOpHandle_t handle,
                                                         const mluOpTensorDescriptor_t boxes_desc,
                                                         size_t* size);

/**
 * Greedy non-maximum suppression of quadrilaterals: from the highest score down, a box is kept
 * unless its IoU with a kept box is above the threshold.
 *
 * Parameters: handle: the handle; boxes_desc, boxes: N boxes (x1, y1, x2, y2, x3, y3, x4, y4,
 *   score), corners in either sense of rotation; iou_threshold: not negative; workspace,
 *   workspace_size: as many bytes as mluOpGetPolyNmsWorkspaceSize says; output_desc, output [out]:
 *   the indices of the kept boxes, ascending; result_num [out]: one int32, how many there are.
 * Return: SUCCESS; BAD_PARAM when an argument is NULL (boxes, output and workspace may be for no
 *   box), iou_threshold is NaN or negative, a rank, type or shape is wrong, or the workspace is too
 *   small; NOT_SUPPORTED for tensors that are not contiguous or have 2^31 elements or more.
 * Data type: boxes float, output and result_num int32.
 * Layout: any; it is not looked at.
 * Limits: boxes are [N, 9], output is [N]. N has no limit but that of the elements.
 * Notes: entries of output behind result_num are left as they were. NaN scores go first, equal
 *   scores by index. A box with a coordinate that is not finite, or without area, is kept and
 *   suppresses nothing. The result does not depend on threads or instruction set.
 * Example: mluOpPolyNms(handle, boxes_desc, boxes, 0.1f, workspace, size, output_desc, output,
 *   count);
 */
mluOpStatus_t MLUOP_WIN_API mluOpPolyNms(mluOpHandle_t handle,
                                         const mluOpTensorDescriptor_t boxes_desc,
                                         const void* boxes, float iou_threshold, void* workspace,
                                         size_t workspace_size,
                                         const mluOpTensorDescriptor_t output_desc, void* output,
                                         void* result_num);

/**
 * Says how much workspace mluOpGenerateProposalsV2 needs, whatever its pre_nms_top_n is.
 *
 * Parameters: handle: the handle; scores_desc: the scores; size [out]: bytes.
 * Return: SUCCESS; BAD_PARAM when an argument is NULL or scores_desc is not what
 *   mluOpGenerateProposalsV2 takes; NOT_SUPPORTED for 2^31 elements or more.
 * Data type: float.
 * Layout: any; it is not looked at.
 * Limits: scores are [N, H, W, A]; H, W and A are not 0.
 * Notes: about 260 bytes for each score and 0.2 MB besides, for each of up to 8 images; 0 for no
 *   image. mluOpGetGenerateProposalsV2WorkspaceSize_v2 asks for less.
 * Example: mluOpGetGenerateProposalsV2WorkspaceSize(handle, scores_desc, &size);
 */
mluOpStatus_t MLUOP_WIN_API mluOpGetGenerateProposalsV2WorkspaceSize(
    mluOpHandle_t handle, const mluOpTensorDescriptor_t scores_desc, size_t* size);

/**
 * Says how much workspace mluOpGenerateProposalsV2 needs with that pre_nms_top_n.
 *
 * Parameters: handle: the handle; scores_desc: the scores; pre_nms_top_n: as in the call that
 *   follows; size [out]: bytes.
 * Return: SUCCESS; BAD_PARAM when an argument is NULL or scores_desc is not what
 *   mluOpGenerateProposalsV2 takes; NOT_SUPPORTED for 2^31 elements or more.
 * Data type: float.
 * Layout: any; it is not looked at.
 * Limits: scores are [N, H, W, A]; H, W and A are not 0.
 * Notes: 16 bytes for each score, about 240 for each of the pre_nms_top_n and 0.2 MB besides, for
 *   each of up to 8 images; 0 for no image.
 * Example: mluOpGetGenerateProposalsV2WorkspaceSize_v2(handle, scores_desc, 6000, &size);
 */
mluOpStatus_t MLUOP_WIN_API mluOpGetGenerateProposalsV2WorkspaceSize_v2(
    mluOpHandle_t handle, const mluOpTensorDescriptor_t scores_desc, const int32_t pre_nms_top_n,
    size_t* size);

/**
 * Regions of interest from the output of a region proposal network: of each image the highest
 * scores are decoded to boxes, clipped to the image, small ones dropped, and of boxes that overlap
 * much the one of the highest score is kept.
 *
 * Parameters: handle: the handle; pre_nms_top_n: scores of each image that are decoded, all when it
 *   is not positive; post_nms_top_n: proposals of each image at most; nms_thresh: above 0, the
 *   largest IoU of proposals that are both kept; min_size: the least width and height, at least 1
 *   counts; eta: at least 1; pixel_offset: whether a box reaches one pixel beyond its last
 *   coordinate; scores_desc, scores: [N, H, W, A]; bbox_deltas_desc, bbox_deltas: [N, H, W, 4A];
 *   im_shape_desc, im_shape: [N, 2], height and width; anchors_desc, anchors: [H, W, A, 4], xmin,
 *   ymin, xmax, ymax; variances_desc, variances: [H, W, A, 4]; workspace, workspace_size: as many
 *   bytes as mluOpGetGenerateProposalsV2WorkspaceSize or its _v2 says; rpn_rois_desc, rpn_rois
 *   [out]: the proposals, one image after the other; rpn_roi_probs_desc, rpn_roi_probs [out]: their
 *   scores; rpn_rois_num_desc, rpn_rois_num [out]: how many each image has; rpn_rois_batch_size
 *   [out]: one int32, the sum of them.
 * Return: SUCCESS; BAD_PARAM when an argument is NULL (only rpn_rois_batch_size is needed for no
 *   image), a parameter is NaN or out of its range, a rank, type or shape is wrong, H, W or A is 0,
 *   or the workspace is too small; NOT_SUPPORTED for tensors that are not contiguous or have 2^31
 *   elements or more.
 * Data type: float; rpn_rois_num and rpn_rois_batch_size int32.
 * Layout: any; it is not looked at.
 * Limits: rpn_rois are [N * post_nms_top_n, 4], rpn_roi_probs [N * post_nms_top_n, 1].
 * Notes: rows behind rpn_rois_batch_size are left as they were. An image without a proposal has one
 *   of (0, 0, 0, 0) and score 0. NaN scores go first, equal scores by index. The result does not
 *   depend on threads or instruction set.
 * Example: mluOpGenerateProposalsV2(handle, 6000, 1000, 0.5f, 0.1f, 1.0f, false, scores_desc,
 * scores, deltas_desc, deltas, im_shape_desc, im_shape, anchors_desc, anchors, variances_desc,
 * variances, workspace, size, rois_desc, rois, probs_desc, probs, num_desc, num, total);
 */
mluOpStatus_t MLUOP_WIN_API mluOpGenerateProposalsV2(
    mluOpHandle_t handle, const int pre_nms_top_n, const int post_nms_top_n, const float nms_thresh,
    const float min_size, const float eta, bool pixel_offset,
    const mluOpTensorDescriptor_t scores_desc, const void* scores,
    const mluOpTensorDescriptor_t bbox_deltas_desc, const void* bbox_deltas,
    const mluOpTensorDescriptor_t im_shape_desc, const void* im_shape,
    const mluOpTensorDescriptor_t anchors_desc, const void* anchors,
    const mluOpTensorDescriptor_t variances_desc, const void* variances, void* workspace,
    size_t workspace_size, const mluOpTensorDescriptor_t rpn_rois_desc, void* rpn_rois,
    const mluOpTensorDescriptor_t rpn_roi_probs_desc, void* rpn_roi_probs,
    const mluOpTensorDescriptor_t rpn_rois_num_desc, void* rpn_rois_num, void* rpn_rois_batch_size);

/**
 * The strongest features along the borders of boxes: each border is sampled bilinearly at
 * pool_size + 1 points, and of each channel the largest sample is kept.
 *
 * Parameters: handle: the handle; input_desc, input: [N, H, W, 4C], the channels of the top, left,
 *   bottom and right border one after the other; boxes_desc, boxes: [N, K, 4], x1, y1, x2, y2;
 *   pool_size: steps along a border, at least 1; output_desc, output [out]: [N, K, 4, C], the
 *   largest samples; argmax_idx_desc, argmax_idx [out]: [N, K, 4, C], the numbers of these samples.
 * Return: SUCCESS; BAD_PARAM when an argument is NULL, a rank, type, layout or shape is wrong, a
 *   tensor has no elements, or pool_size is below 1; NOT_SUPPORTED for tensors that are not
 *   contiguous or have 2^31 elements or more.
 * Data type: input, boxes and output float or half, all the same; argmax_idx int32.
 * Layout: input, output and argmax_idx NHWC.
 * Limits: the last dimension of input is a multiple of 4.
 * Notes: samples further than 1 outside of the map, or at coordinates that are not finite, are 0.
 * Of equal samples the first counts. The result does not depend on threads or instruction set.
 * Example: mluOpBorderAlignForward(handle, input_desc, input, boxes_desc, boxes, 10, output_desc,
 *   output, argmax_idx_desc, argmax_idx);
 */
mluOpStatus_t MLUOP_WIN_API mluOpBorderAlignForward(
    mluOpHandle_t handle, const mluOpTensorDescriptor_t input_desc, const void* input,
    const mluOpTensorDescriptor_t boxes_desc, const void* boxes, const int32_t pool_size,
    const mluOpTensorDescriptor_t output_desc, void* output,
    const mluOpTensorDescriptor_t argmax_idx_desc, void* argmax_idx);

/**
 * Means of the bins of regions of interest, each bin from channels of its own (position-sensitive
 * pooling): a region is cut into group_size x group_size bins, and of bin (ph, pw) output channel d
 * is the mean of input channel (d * group_size + ph) * group_size + pw.
 *
 * Parameters: handle: the handle; pooled_height, pooled_width: both group_size; spatial_scale: from
 *   coordinates of rois to positions in the map, finite and above 0; group_size: bins along an
 *   axis, at least 1; output_dim: channels of the result, at least 1; input_desc, input:
 *   [N, H, W, group_size * group_size * output_dim]; rois_desc, rois: [R, 5], the number of the
 *   image, x1, y1, x2, y2; workspace, workspace_size: not needed, NULL and 0 are fine; output_desc,
 *   output [out]: [R, group_size, group_size, output_dim], the means; mapping_channel_desc,
 *   mapping_channel [out]: of the same shape, the channel of each mean.
 * Return: SUCCESS, also without input (N, H or W is 0), which leaves the results as they were;
 *   BAD_PARAM when an argument but workspace is NULL, a rank, type, layout, shape or parameter is
 *   wrong, there are no rois, or the image of a roi does not exist; NOT_SUPPORTED for tensors that
 *   are not contiguous or have 2^31 elements or more.
 * Data type: input, rois and output float; mapping_channel int32.
 * Layout: input, output and mapping_channel NHWC.
 * Limits: none.
 * Notes: a bin without pixels has the mean 0, and so have all bins of a roi with a coordinate that
 *   is not finite. Images that do not exist are found when the work runs: on a queue the next
 *   synchronisation reports them, and nothing is written. The result does not depend on threads or
 *   instruction set. In C++ there is an overload without workspace and workspace_size.
 * Example: mluOpPsRoiPoolForward(handle, 7, 7, 0.0625f, 7, 21, input_desc, input, rois_desc, rois,
 *   NULL, 0, output_desc, output, mapping_channel_desc, mapping_channel);
 */
mluOpStatus_t MLUOP_WIN_API mluOpPsRoiPoolForward(
    mluOpHandle_t handle, const int pooled_height, const int pooled_width,
    const float spatial_scale, const int group_size, const int output_dim,
    const mluOpTensorDescriptor_t input_desc, const void* input,
    const mluOpTensorDescriptor_t rois_desc, const void* rois, void* workspace,
    const size_t workspace_size, const mluOpTensorDescriptor_t output_desc, void* output,
    const mluOpTensorDescriptor_t mapping_channel_desc, void* mapping_channel);

/* ---- Beyond the accelerator's API
 * ------------------------------------------------------------------------ */

/** How much is logged. */
typedef enum {
  DETOPS_LOG_OFF = 0,   /**< Nothing. */
  DETOPS_LOG_ERROR = 1, /**< One line for each call that failed. The default. */
  DETOPS_LOG_INFO =
      2, /**< And one when the first handle is created: version, instruction set, threads. */
  DETOPS_LOG_DEBUG = 3 /**< And one for each operator call: shapes, types and parameters. */
} detopsLogLevel_t;

/** Receives a log line, without a line end. It must not throw. */
typedef void (*detopsLogSink_t)(detopsLogLevel_t level, const char* line, void* user);

/**
 * Tells why the calling thread's last failed call failed.
 *
 * Parameters: none.
 * Return: the message; empty when no call of this thread has failed. It is valid until the
 *   thread's next failing call; do not free it.
 * Data type: none.
 * Layout: none.
 * Limits: a message is cut after 1023 bytes.
 * Notes: a queue's data error becomes the last error of the thread that gets it reported.
 * Example: if (mluOpCreate(&handle) != MLUOP_STATUS_SUCCESS) puts(detopsGetLastError());
 */
const char* detopsGetLastError(void);

/**
 * Sets how many threads an operator of this handle may use, the calling one included.
 *
 * Parameters: handle: the handle; threads: how many; 0 goes back to the default.
 * Return: SUCCESS; BAD_PARAM when handle is NULL or threads is not 0 to 1024.
 * Data type: none.
 * Layout: none.
 * Limits: no more threads run than there are cores; the results do not depend on it.
 * Notes: the default is the environment variable DETOPS_NUM_THREADS, or the number of cores. Work
 *   of less than about 20 microseconds stays on the calling thread. Waits for the handle's work in
 *   flight.
 * Example: detopsSetThreads(handle, 1);
 */
mluOpStatus_t detopsSetThreads(mluOpHandle_t handle, int threads);

/**
 * Tells how many threads an operator of this handle may use.
 *
 * Parameters: handle: the handle; threads [out]: how many.
 * Return: SUCCESS; BAD_PARAM when an argument is NULL.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: none.
 * Example: int threads; detopsGetThreads(handle, &threads);
 */
mluOpStatus_t detopsGetThreads(mluOpHandle_t handle, int* threads);

/**
 * Forces the instruction set that the operators use.
 *
 * Parameters: name: one of detopsGetSimdTargets, in any case; NULL goes back to the best one.
 * Return: SUCCESS; BAD_PARAM when the name is not one of them.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: for the whole process, and for other users of the Highway library in it. Call it while no
 *   operator runs. The environment variable DETOPS_SIMD_TARGET does the same at start.
 * Example: detopsSetSimdTarget("AVX2");
 */
mluOpStatus_t detopsSetSimdTarget(const char* name);

/**
 * Tells the instruction set that the operators use.
 *
 * Parameters: none.
 * Return: its name. Do not free it.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: none.
 * Example: puts(detopsGetSimdTarget());
 */
const char* detopsGetSimdTarget(void);

/**
 * Lists the instruction sets that this library has and this CPU can run, the best first.
 *
 * Parameters: none.
 * Return: their names, separated by spaces. Do not free it.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: none.
 * Example: puts(detopsGetSimdTargets());
 */
const char* detopsGetSimdTargets(void);

/**
 * Sets how much is logged.
 *
 * Parameters: level: the level.
 * Return: SUCCESS; BAD_PARAM when the level is unknown.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: the environment variable DETOPS_LOG_LEVEL (off, error, info, debug) sets it at start.
 * Example: detopsSetLogLevel(DETOPS_LOG_DEBUG);
 */
mluOpStatus_t detopsSetLogLevel(detopsLogLevel_t level);

/**
 * Sends log lines to a function instead of stderr.
 *
 * Parameters: sink: the function, or NULL for stderr; user: handed to it.
 * Return: SUCCESS.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: calls of the sink do not overlap. It is not called any more when this function has
 *   returned. A line that is logged from inside the sink is dropped. The sink must not wait for
 *   queues, handles or notifiers: what they wait for may be waiting to log.
 * Example: detopsSetLogSink(collect_line, &lines);
 */
mluOpStatus_t detopsSetLogSink(detopsLogSink_t sink, void* user);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#if defined(__cplusplus)
}

/**
 * The function above of the same name, in C++ without the workspace, which it does not need.
 *
 * Parameters: as there, but for workspace and workspace_size.
 * Return: as there.
 * Data type: as there.
 * Layout: as there.
 * Limits: as there.
 * Notes: as there.
 * Example: mluOpPsRoiPoolForward(handle, 7, 7, 0.0625f, 7, 21, input_desc, input, rois_desc, rois,
 *   output_desc, output, mapping_channel_desc, mapping_channel);
 */
inline mluOpStatus_t mluOpPsRoiPoolForward(
    mluOpHandle_t handle, const int pooled_height, const int pooled_width,
    const float spatial_scale, const int group_size, const int output_dim,
    const mluOpTensorDescriptor_t input_desc, const void* input,
    const mluOpTensorDescriptor_t rois_desc, const void* rois,
    const mluOpTensorDescriptor_t output_desc, void* output,
    const mluOpTensorDescriptor_t mapping_channel_desc, void* mapping_channel) {
  return mluOpPsRoiPoolForward(handle, pooled_height, pooled_width, spatial_scale, group_size,
                               output_dim, input_desc, input, rois_desc, rois, nullptr, 0,
                               output_desc, output, mapping_channel_desc, mapping_channel);
}
#endif

#endif /* MLU_OP_H_ */
