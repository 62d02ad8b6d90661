/* Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file mlu_op.h
 * @brief C API of the operators, source-compatible with Cambricon MLU-OPS.
 *
 * Device memory, queues and notifiers are declared in cnrt.h. Functions with the prefix `detops`
 * are extensions that MLU-OPS does not have.
 *
 * These rules hold for all functions and are not repeated below:
 * - Any thread may call any function. Two threads must not use the same handle or the same
 *   descriptor at the same time.
 * - A function returns MLUOP_STATUS_SUCCESS, MLUOP_STATUS_BAD_PARAM if a pointer is NULL whose
 *   description does not allow NULL, or if a handle, descriptor or queue was destroyed or never
 *   existed, MLUOP_STATUS_ALLOC_FAILED if memory runs out, or what its own description lists.
 * - The functions that return the values of a descriptor skip every result that is NULL.
 * - A call that fails has no effect. It logs one line with the function, the argument, its value
 *   and what is valid, and stores the same text for detopsGetLastError() on the calling thread.
 * - In the child of fork(), handles and descriptors of the parent can be used. Its queues cannot:
 *   an operator on such a queue, and mluOpSetQueue(), return MLUOP_STATUS_EXECUTION_FAILED. Set a
 *   queue that the child has created, or NULL.
 *
 * These rules hold for all operators:
 * - If the handle has a queue, the operator runs asynchronously on it; otherwise it has finished
 *   when the call returns. Arguments are checked during the call in both cases.
 * - Tensors must be contiguous and have fewer than 2^31 elements; otherwise
 *   MLUOP_STATUS_NOT_SUPPORTED is returned. A layout matters only where it is mentioned.
 * - Results are identical, bit for bit, for every number of threads and every instruction set. Only
 *   the sign and payload of a NaN may differ.
 */
#ifndef MLU_OP_H_
#define MLU_OP_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cn_api.h"
#include "cnrt.h"
#include "detops/mlu_op_enums.h"

/**
 * @name Version
 * The version of MLU-OPS whose API this is. `detops info` prints the version of detops.
 * @{
 */
#define MLUOP_MAJOR 1
#define MLUOP_MINOR 11
#define MLUOP_PATCHLEVEL 1
#define MLUOP_VERSION (MLUOP_MAJOR * 1000 + MLUOP_MINOR * 100 + MLUOP_PATCHLEVEL)
/** @} */

/** @brief Part of every MLU-OPS declaration; empty on this platform. */
#ifndef MLUOP_WIN_API
#define MLUOP_WIN_API
#endif

/** @brief Maximum number of tensor dimensions. */
#define MLUOP_DIM_MAX 8

#if defined(__cplusplus)
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* ---- Types ----------------------------------------------------------------------------------- */

/** @brief Status codes. */
typedef enum {
  MLUOP_STATUS_SUCCESS = 0,           /**< The call succeeded. */
  MLUOP_STATUS_NOT_INITIALIZED = 1,   /**< Never returned by detops. */
  MLUOP_STATUS_ALLOC_FAILED = 2,      /**< Out of memory. Nothing was written. */
  MLUOP_STATUS_BAD_PARAM = 3,         /**< An argument is invalid. */
  MLUOP_STATUS_INTERNAL_ERROR = 4,    /**< A bug in the library. */
  MLUOP_STATUS_ARCH_MISMATCH = 5,     /**< Never returned by detops. */
  MLUOP_STATUS_EXECUTION_FAILED = 6,  /**< The thread of a queue cannot be started, or is gone. */
  MLUOP_STATUS_NOT_SUPPORTED = 7,     /**< A tensor has gaps, or 2^31 elements or more. */
  MLUOP_STATUS_NUMERICAL_OVERFLOW = 8 /**< Never returned by detops. */
} mluOpStatus_t;

/** @brief Order of a tensor's dimensions. */
typedef enum {
  MLUOP_LAYOUT_NCHW = 0,  /**< Batch, channel, height, width. */
  MLUOP_LAYOUT_NHWC = 1,  /**< Batch, height, width, channel. */
  MLUOP_LAYOUT_HWCN = 2,  /**< Height, width, channel, batch. */
  MLUOP_LAYOUT_NDHWC = 3, /**< Batch, depth, height, width, channel. */
  MLUOP_LAYOUT_ARRAY = 4, /**< Dimensions without a fixed meaning. */
  MLUOP_LAYOUT_NCDHW = 5, /**< Batch, channel, depth, height, width. */
  MLUOP_LAYOUT_TNC = 6,   /**< Time, batch, channel. */
  MLUOP_LAYOUT_NTC = 7,   /**< Batch, time, channel. */
  MLUOP_LAYOUT_NC = 8,    /**< Batch, channel. */
  MLUOP_LAYOUT_NLC = 9,   /**< Batch, length, channel. */
  MLUOP_LAYOUT_NCL = 10   /**< Batch, channel, length. */
} mluOpTensorLayout_t;

/** @brief Type of a tensor's elements. */
typedef enum {
  MLUOP_DTYPE_INVALID = 0,        /**< The type of a descriptor that has not been set. */
  MLUOP_DTYPE_HALF = 1,           /**< IEEE 754 binary16. */
  MLUOP_DTYPE_FLOAT = 2,          /**< IEEE 754 binary32. */
  MLUOP_DTYPE_INT8 = 3,           /**< 8-bit signed integer. */
  MLUOP_DTYPE_INT16 = 4,          /**< 16-bit signed integer. */
  MLUOP_DTYPE_INT31 = 5,          /**< 31-bit fixed point of Cambricon MLUs, in 4 bytes. */
  MLUOP_DTYPE_INT32 = 6,          /**< 32-bit signed integer. */
  MLUOP_DTYPE_UINT8 = 7,          /**< 8-bit unsigned integer. */
  MLUOP_DTYPE_BOOL = 8,           /**< One byte, 0 or 1. */
  MLUOP_DTYPE_INT64 = 9,          /**< 64-bit signed integer. */
  MLUOP_DTYPE_UINT32 = 11,        /**< 32-bit unsigned integer. */
  MLUOP_DTYPE_UINT64 = 12,        /**< 64-bit unsigned integer. */
  MLUOP_DTYPE_UINT16 = 13,        /**< 16-bit unsigned integer. */
  MLUOP_DTYPE_DOUBLE = 14,        /**< IEEE 754 binary64. */
  MLUOP_DTYPE_COMPLEX_HALF = 15,  /**< Two binary16 numbers. */
  MLUOP_DTYPE_COMPLEX_FLOAT = 16, /**< Two binary32 numbers. */
  MLUOP_DTYPE_BFLOAT16 = 17       /**< The upper 16 bits of a binary32. */
} mluOpDataType_t;

/** @brief Whether operators may use atomic operations. Has no effect on results. */
typedef enum {
  MLUOP_ATOMICS_NOT_ALLOWED = 1, /**< Atomic operations are not allowed. The default. */
  MLUOP_ATOMICS_ALLOWED = 2      /**< Atomic operations are allowed. */
} mluOpAtomicsMode_t;

/** @brief Rounding mode of quantization. Has no effect: no operator quantizes. */
typedef enum {
  MLUOP_ROUND_HALF_TO_EVEN = 0, /**< To nearest, ties to even. The default. */
  MLUOP_ROUND_HALF_UP = 1,      /**< To nearest, ties up. */
  MLUOP_ROUND_HALF_OFF_ZERO = 2 /**< To nearest, ties away from zero. */
} mluOpQuantizeRoundMode_t;

/** @brief Where a scalar is stored. Has no effect: device memory is host memory. */
typedef enum {
  MLUOP_POINTER_MODE_HOST = 0,  /**< In host memory. */
  MLUOP_POINTER_MODE_DEVICE = 1 /**< In device memory. The default. */
} mluOpPointerMode_t;

/** @brief Context of operator calls: queue, threads and modes. */
typedef struct mluOpContext* mluOpHandle_t;

/** @brief Shape, element type, layout and strides of a tensor. */
typedef struct mluOpTensorStruct* mluOpTensorDescriptor_t;

/* ---- Library --------------------------------------------------------------------------------- */

/**
 * @brief Returns the name of a status code.
 * @param[in] status Status code.
 * @return Name of the enumerator, or a text that states that the value is unknown. Never NULL.
 * @note detopsGetLastError() describes the last failure in detail.
 */
const char* mluOpGetErrorString(mluOpStatus_t status);

/** @brief Returns MLUOP_MAJOR, MLUOP_MINOR and MLUOP_PATCHLEVEL. Each pointer may be NULL. */
void mluOpGetLibVersion(int* major, int* minor, int* patch);

/**
 * @brief Returns the size of one element of a data type.
 * @param[in] data_type Data type.
 * @param[out] size Size in bytes.
 * @return MLUOP_STATUS_SUCCESS, or MLUOP_STATUS_BAD_PARAM if data_type is not a valid type.
 */
mluOpStatus_t MLUOP_WIN_API mluOpGetSizeOfDataType(mluOpDataType_t data_type, size_t* size);

/* ---- Recording of calls ---------------------------------------------------------------------- */

/**
 * @brief Records operator calls as case files, which `detops run` replays. For all threads.
 *
 * With mode 1 or 2, each call whose arguments are valid writes one file,
 * `<directory>/<operator>/<operator>_<time>_tid<thread>_device0_<number>.prototxt`, before the
 * operator runs. On a queue the file is written when the operator's turn comes, with the inputs of
 * that moment.
 *
 * @param[in] mode 0: off. 1: shapes, types, layouts and parameters; a replay draws random inputs.
 *   2: the input data as well, bit for bit; tensors of more than 1024 elements are in files of
 * their own next to the case file. 3: as 1, but one line in the log instead of a file, at every log
 *   level except DETOPS_LOG_OFF. Other values: off.
 * @note The environment variable MLUOP_GEN_CASE sets the initial mode. MLUOP_GEN_CASE_DUMP_DATA has
 *   no effect: mode 2 records all input data.
 * @note A call succeeds and has the same results whether or not it can be recorded. The reason why
 *   calls are not recorded is logged once. It may be that the directory cannot be written, that the
 *   call has options which case files lack (channels first, groups, several images, ...), or that
 *   the process has written 10,000 files or 1 GiB. Programs that run with setuid or setgid record
 *   nothing.
 * @note Files contain the caller's data. Only the user of the process can read them (mode 0600).
 */
void MLUOP_WIN_API mluOpSetGenCaseMode(int mode);

/**
 * @brief Sets the directory of recorded calls, for all threads. See mluOpSetGenCaseMode().
 * @param[in] path Directory, absolute or relative to the working directory at the time of a call.
 *   It is created with mode 0700 when the first call is recorded.
 * @return MLUOP_STATUS_SUCCESS, or MLUOP_STATUS_BAD_PARAM if path is empty or too long.
 * @note The default is `gen_case` in the working directory, or in the directory that the
 * environment variable MLUOP_GEN_CASE_DIR names.
 */
mluOpStatus_t MLUOP_WIN_API mluOpSetGenCaseDirectory(const char* path);

/**
 * @brief Returns the directory of recorded calls. See mluOpSetGenCaseDirectory().
 * @param[out] buffer Receives the path and a terminating zero. If NULL, memory is allocated with
 *   malloc(), which the caller frees.
 * @param[in] bufferSize Size of buffer in bytes; ignored if buffer is NULL.
 * @param[out] pathLen Length of the path without the terminating zero, also if buffer is too small.
 *   May be NULL.
 * @param[out] status MLUOP_STATUS_SUCCESS; MLUOP_STATUS_BAD_PARAM if buffer is too small;
 *   MLUOP_STATUS_ALLOC_FAILED. May be NULL.
 * @return The path, in buffer or in new memory; NULL on failure.
 */
const char* MLUOP_WIN_API mluOpGetGenCaseDirectory(char* buffer, size_t bufferSize, size_t* pathLen,
                                                   mluOpStatus_t* status);

/* ---- Handle ---------------------------------------------------------------------------------- */

/**
 * @brief Creates a handle without a queue.
 * @param[out] handle New handle.
 * @note The number of threads is DETOPS_NUM_THREADS if this environment variable is set, otherwise
 *   the number of cores. See detopsSetThreads().
 */
mluOpStatus_t MLUOP_WIN_API mluOpCreate(mluOpHandle_t* handle);

/**
 * @brief Waits for the operators that were submitted with a handle, then destroys it.
 * @param[in] handle Library handle.
 * @note The handle's queue is not destroyed. It may have been destroyed before the handle.
 */
mluOpStatus_t MLUOP_WIN_API mluOpDestroy(mluOpHandle_t handle);

/**
 * @brief Updates the default number of threads from the environment and the available cores.
 * @param[in] handle Library handle.
 * @note Does nothing if detopsSetThreads() has set the number of threads. Otherwise waits for the
 *   operators that were submitted with the handle.
 */
mluOpStatus_t MLUOP_WIN_API mluOpUpdateContextInformation(mluOpHandle_t handle);

/**
 * @brief Sets the queue that later operator calls run on.
 * @param[in] handle Library handle.
 * @param[in] queue Queue, or NULL to run operators before their call returns.
 * @note Operators that are already submitted stay on their queue.
 */
mluOpStatus_t MLUOP_WIN_API mluOpSetQueue(mluOpHandle_t handle, cnrtQueue_t queue);

/** @brief Returns the queue of a handle, NULL if it has none. See mluOpSetQueue(). */
mluOpStatus_t MLUOP_WIN_API mluOpGetQueue(mluOpHandle_t handle, cnrtQueue_t* queue);

/**
 * @name Modes
 * These modes are stored for compatibility and have no effect on results. The setters return
 * MLUOP_STATUS_BAD_PARAM if the mode is unknown.
 * @{
 */
/** @brief Stores whether operators may use atomic operations. */
mluOpStatus_t MLUOP_WIN_API mluOpSetAtomicsMode(mluOpHandle_t handle,
                                                mluOpAtomicsMode_t atomics_mode);

/** @brief Returns whether operators may use atomic operations. */
mluOpStatus_t MLUOP_WIN_API mluOpGetAtomicsMode(mluOpHandle_t handle,
                                                mluOpAtomicsMode_t* atomics_mode);

/** @brief Stores the rounding mode of quantization. */
mluOpStatus_t MLUOP_WIN_API mluOpSetQuantizeRoundMode(mluOpHandle_t handle,
                                                      mluOpQuantizeRoundMode_t round_mode);

/** @brief Returns the rounding mode of quantization. */
mluOpStatus_t MLUOP_WIN_API mluOpGetQuantizeRoundMode(mluOpHandle_t handle,
                                                      mluOpQuantizeRoundMode_t* round_mode);
/** @} */

/* ---- Tensor descriptors ---------------------------------------------------------------------- */

/** @brief Creates a tensor descriptor, of type MLUOP_DTYPE_INVALID until its shape is set. */
mluOpStatus_t MLUOP_WIN_API mluOpCreateTensorDescriptor(mluOpTensorDescriptor_t* desc);

/**
 * @brief Destroys a tensor descriptor.
 * @param[in] desc Tensor descriptor.
 * @note It may be destroyed while an operator that was called with it still runs on a queue.
 */
mluOpStatus_t MLUOP_WIN_API mluOpDestroyTensorDescriptor(mluOpTensorDescriptor_t desc);

/** @brief Resets a tensor descriptor to the state of a new one. */
mluOpStatus_t MLUOP_WIN_API mluOpResetTensorDescriptor(mluOpTensorDescriptor_t desc);

/**
 * @brief Describes a contiguous tensor.
 * @param[in] desc Tensor descriptor.
 * @param[in] layout Layout. It is not checked against the number of dimensions.
 * @param[in] dtype Data type of the elements; not MLUOP_DTYPE_INVALID.
 * @param[in] dimNb Number of dimensions, 0 (a scalar) to MLUOP_DIM_MAX.
 * @param[in] dimSize Dimensions, outermost first, at least 0. May be NULL if dimNb is 0.
 * @return MLUOP_STATUS_SUCCESS, or MLUOP_STATUS_BAD_PARAM if an argument is out of range or the
 *   product of the nonzero dimensions is 2^63 or more.
 */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptor(mluOpTensorDescriptor_t desc,
                                                     mluOpTensorLayout_t layout,
                                                     mluOpDataType_t dtype, int dimNb,
                                                     const int dimSize[]);

/** @brief Same as mluOpSetTensorDescriptor(), with 64-bit dimensions. */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptor_v2(mluOpTensorDescriptor_t desc,
                                                        mluOpTensorLayout_t layout,
                                                        mluOpDataType_t dtype, int dimNb,
                                                        const int64_t dimSize[]);

/**
 * @brief Describes a tensor with strides. See mluOpSetTensorDescriptor() for the other parameters.
 * @param[in] dimStride Strides in elements. They are not checked. May be NULL if dimNb is 0.
 * @return As mluOpSetTensorDescriptor().
 * @note Operators accept only contiguous tensors: those without elements, and those in which the
 *   stride of every dimension other than 1 is the product of the dimensions after it.
 */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorEx(mluOpTensorDescriptor_t desc,
                                                       mluOpTensorLayout_t layout,
                                                       mluOpDataType_t dtype, int dimNb,
                                                       const int dimSize[], const int dimStride[]);

/** @brief Same as mluOpSetTensorDescriptorEx(), with 64-bit dimensions and strides. */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorEx_v2(mluOpTensorDescriptor_t desc,
                                                          mluOpTensorLayout_t layout,
                                                          mluOpDataType_t dtype, int dimNb,
                                                          const int64_t dimSize[],
                                                          const int64_t dimStride[]);

/** @brief Same as mluOpSetTensorDescriptor(), but keeps layout and type. */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorDim(mluOpTensorDescriptor_t desc, int dimNb,
                                                        const int* dimSize);

/** @brief Same as mluOpSetTensorDescriptorDim(), with 64-bit dimensions. */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorDim_v2(mluOpTensorDescriptor_t desc, int dimNb,
                                                           const int64_t* dimSize);

/**
 * @brief Returns layout, type and dimensions of a descriptor.
 * @param[in] desc Tensor descriptor.
 * @param[out] layout Layout.
 * @param[out] dtype Data type of the elements.
 * @param[out] dimNb Number of dimensions.
 * @param[out] dimSize Dimensions, outermost first; room for MLUOP_DIM_MAX is enough.
 * @return MLUOP_STATUS_SUCCESS, or MLUOP_STATUS_BAD_PARAM if a dimension does not fit into an int.
 */
mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptor(const mluOpTensorDescriptor_t desc,
                                                     mluOpTensorLayout_t* layout,
                                                     mluOpDataType_t* dtype, int* dimNb,
                                                     int dimSize[]);

/** @brief Same as mluOpGetTensorDescriptor(), with 64-bit dimensions. */
mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptor_v2(const mluOpTensorDescriptor_t desc,
                                                        mluOpTensorLayout_t* layout,
                                                        mluOpDataType_t* dtype, int* dimNb,
                                                        int64_t dimSize[]);

/**
 * @brief Same as mluOpGetTensorDescriptor(), and returns the strides.
 * @param[out] dimStride Strides in elements.
 * @return MLUOP_STATUS_SUCCESS, or MLUOP_STATUS_BAD_PARAM if a value does not fit into an int.
 */
mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptorEx(const mluOpTensorDescriptor_t desc,
                                                       mluOpTensorLayout_t* layout,
                                                       mluOpDataType_t* dtype, int* dimNb,
                                                       int dimSize[], int dimStride[]);

/** @brief Same as mluOpGetTensorDescriptorEx(), with 64-bit dimensions and strides. */
mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptorEx_v2(const mluOpTensorDescriptor_t desc,
                                                          mluOpTensorLayout_t* layout,
                                                          mluOpDataType_t* dtype, int* dimNb,
                                                          int64_t dimSize[], int64_t dimStride[]);

/**
 * @brief Returns the number of elements of a tensor: the product of its dimensions.
 * @param[in] desc Tensor descriptor.
 * @return Number of elements; 1 for a scalar, 0 if desc is not valid or its shape has not been set.
 */
size_t MLUOP_WIN_API mluOpGetTensorElementNum(const mluOpTensorDescriptor_t desc);

/**
 * @name Attributes of tensor descriptors
 * These attributes are stored for compatibility and have no effect on results: the on-chip data
 * type in which a Cambricon MLU would compute (initially MLUOP_DTYPE_INVALID), where a scalar is
 * stored, and the position, scale and offset of fixed-point data (initially 0, 1 and 0). The
 * setters return MLUOP_STATUS_BAD_PARAM if a type or mode is unknown.
 * @{
 */
/** @brief Stores the on-chip data type. */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorOnchipDataType(mluOpTensorDescriptor_t desc,
                                                                   mluOpDataType_t onchip_dtype);

/** @brief Returns the on-chip data type. */
mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptorOnchipDataType(
    const mluOpTensorDescriptor_t desc, mluOpDataType_t* onchip_dtype);

/** @brief Stores the pointer mode. */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorPointerMode(mluOpTensorDescriptor_t desc,
                                                                mluOpPointerMode_t pointer_mode);

/** @brief Returns the pointer mode. */
mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptorPointerMode(const mluOpTensorDescriptor_t desc,
                                                                mluOpPointerMode_t* pointer_mode);

/** @brief Stores the position. */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorPosition(mluOpTensorDescriptor_t desc,
                                                             int position);

/** @brief Returns the position. */
mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptorPosition(const mluOpTensorDescriptor_t desc,
                                                             int* position);

/** @brief Stores position and scale. */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorPositionAndScale(mluOpTensorDescriptor_t desc,
                                                                     int position, float scale);

/** @brief Returns the position and scale. */
mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptorPositionAndScale(
    const mluOpTensorDescriptor_t desc, int* position, float* scale);

/** @brief Stores position, scale and offset. */
mluOpStatus_t MLUOP_WIN_API mluOpSetTensorDescriptorPositionScaleAndOffset(
    mluOpTensorDescriptor_t desc, int position, float scale, int offset);

/** @brief Returns the position, scale and offset. */
mluOpStatus_t MLUOP_WIN_API mluOpGetTensorDescriptorPositionScaleAndOffset(
    const mluOpTensorDescriptor_t desc, int* position, float* scale, int* offset);
/** @} */

/* ---- Groups of tensor descriptors ------------------------------------------------------------ */

/**
 * @brief Creates several tensor descriptors: all of them or, on failure, none.
 * @param[out] group_desc desc_num pointers; *group_desc[i] receives a new descriptor.
 * @param[in] desc_num Number of descriptors, at least 1.
 * @return MLUOP_STATUS_SUCCESS, or MLUOP_STATUS_BAD_PARAM if desc_num is less than 1.
 */
mluOpStatus_t MLUOP_WIN_API mluOpCreateGroupTensorDescriptors(mluOpTensorDescriptor_t* group_desc[],
                                                              const int desc_num);

/**
 * @brief Destroys several tensor descriptors. See mluOpCreateGroupTensorDescriptors().
 * @return MLUOP_STATUS_SUCCESS, or MLUOP_STATUS_BAD_PARAM. If a descriptor is in the group twice,
 *   all are destroyed; for every other reason, none is.
 */
mluOpStatus_t MLUOP_WIN_API
mluOpDestroyGroupTensorDescriptors(mluOpTensorDescriptor_t* group_desc[], const int desc_num);

/**
 * @brief Describes several contiguous tensors: all of them or, on failure, none.
 * @param[in] group_desc desc_num pointers to descriptors.
 * @param[in] group_layout Layout of each tensor.
 * @param[in] group_dtype Data type of each tensor.
 * @param[in] group_dimNb Number of dimensions of each tensor.
 * @param[in] group_dimSize The dimensions of all tensors, one tensor after the other.
 * @param[in] desc_num Number of descriptors, at least 1.
 * @return As mluOpSetTensorDescriptor(). The error message names the tensor.
 */
mluOpStatus_t MLUOP_WIN_API mluOpSetGroupTensorDescriptors(mluOpTensorDescriptor_t* group_desc[],
                                                           const mluOpTensorLayout_t group_layout[],
                                                           const mluOpDataType_t group_dtype[],
                                                           const int group_dimNb[],
                                                           const int group_dimSize[],
                                                           const int desc_num);

/* ---- Operator: bounding box overlaps --------------------------------------------------------- */

/**
 * @brief Bounding box overlaps: IoU or IoF (bbox_overlaps).
 *
 * Boxes are (x1, y1, x2, y2). IoU is intersection over union; IoF is intersection over foreground,
 * the area of the box from bbox1. All tensors are float, or all are half (computed in float).
 *
 * @param[in] handle Library handle.
 * @param[in] mode 0 for IoU, 1 for IoF.
 * @param[in] aligned Whether to compare only boxes with the same index, instead of all pairs.
 * @param[in] offset 0 or 1; added to every width and height.
 * @param[in] bbox1_desc Descriptor of bbox1: [M, 4].
 * @param[in] bbox1 First boxes.
 * @param[in] bbox2_desc Descriptor of bbox2: [N, 4].
 * @param[in] bbox2 Second boxes.
 * @param[in] ious_desc Descriptor of ious: [M, N]; if aligned (M equals N), [M] or [M, 1].
 * @param[out] ious Overlaps.
 * @return MLUOP_STATUS_SUCCESS; MLUOP_STATUS_BAD_PARAM if mode, offset, a rank, type or shape is
 *   invalid; MLUOP_STATUS_NOT_SUPPORTED.
 * @note If M or N is 0, nothing is written and the data pointers may be NULL.
 * @note The overlap of a box with a NaN coordinate is NaN (0x7fc00000, half 0x7e00). In all other
 *   cases, a result of 0 / 0 or infinity - infinity is replaced by 0.
 */
mluOpStatus_t MLUOP_WIN_API mluOpBboxOverlaps(mluOpHandle_t handle, const int mode,
                                              const bool aligned, const int offset,
                                              const mluOpTensorDescriptor_t bbox1_desc,
                                              const void* bbox1,
                                              const mluOpTensorDescriptor_t bbox2_desc,
                                              const void* bbox2,
                                              const mluOpTensorDescriptor_t ious_desc, void* ious);

/* ---- Operator: quadrilateral NMS ------------------------------------------------------------- */

/**
 * @brief Returns the workspace size that mluOpPolyNms() requires.
 * @param[in] handle Library handle.
 * @param[in] boxes_desc Descriptor of the boxes: float [N, 9].
 * @param[out] size Size in bytes: proportional to N, and 0 if N is 0.
 * @return MLUOP_STATUS_SUCCESS, MLUOP_STATUS_BAD_PARAM or MLUOP_STATUS_NOT_SUPPORTED.
 */
mluOpStatus_t MLUOP_WIN_API mluOpGetPolyNmsWorkspaceSize(mluOpHandle_t handle,
                                                         const mluOpTensorDescriptor_t boxes_desc,
                                                         size_t* size);

/**
 * @brief Quadrilateral NMS: greedy non-maximum suppression of quadrilaterals (poly_nms).
 *
 * Boxes are visited in order of descending score. A box is kept unless its IoU with a box that has
 * already been kept is greater than the threshold.
 *
 * @param[in] handle Library handle.
 * @param[in] boxes_desc Descriptor of boxes: float [N, 9].
 * @param[in] boxes Boxes (x1, y1, x2, y2, x3, y3, x4, y4, score), clockwise or counterclockwise.
 * @param[in] iou_threshold IoU threshold, at least 0.
 * @param[in] workspace Workspace.
 * @param[in] workspace_size Size from mluOpGetPolyNmsWorkspaceSize().
 * @param[in] output_desc Descriptor of output: int32 [N].
 * @param[out] output Indices of the kept boxes, in ascending order. The rest is not written.
 * @param[out] result_num Number of kept boxes; one int32.
 * @return MLUOP_STATUS_SUCCESS; MLUOP_STATUS_BAD_PARAM if iou_threshold, a rank, type or shape is
 *   invalid or the workspace is too small; MLUOP_STATUS_NOT_SUPPORTED.
 * @note If N is 0, boxes, workspace and output may be NULL.
 * @note NaN scores come first. Boxes with equal scores are visited in order of their indices.
 * @note A box with zero area or a coordinate that is not finite is kept and suppresses nothing.
 */
mluOpStatus_t MLUOP_WIN_API mluOpPolyNms(mluOpHandle_t handle,
                                         const mluOpTensorDescriptor_t boxes_desc,
                                         const void* boxes, float iou_threshold, void* workspace,
                                         size_t workspace_size,
                                         const mluOpTensorDescriptor_t output_desc, void* output,
                                         void* result_num);

/* ---- Operator: RPN proposal generation ------------------------------------------------------- */

/**
 * @brief Returns the workspace size that mluOpGenerateProposalsV2() requires for any pre_nms_top_n.
 * @param[in] handle Library handle.
 * @param[in] scores_desc Descriptor of the scores: float [N, H, W, A]; H, W and A at least 1.
 * @param[out] size Size in bytes.
 * @return MLUOP_STATUS_SUCCESS, MLUOP_STATUS_BAD_PARAM or MLUOP_STATUS_NOT_SUPPORTED.
 * @note For each of min(N, 8) images: 0.2 MB + about 260 bytes per score.
 */
mluOpStatus_t MLUOP_WIN_API mluOpGetGenerateProposalsV2WorkspaceSize(
    mluOpHandle_t handle, const mluOpTensorDescriptor_t scores_desc, size_t* size);

/**
 * @brief Returns the workspace size that mluOpGenerateProposalsV2() requires for one pre_nms_top_n.
 * @param[in] handle Library handle.
 * @param[in] scores_desc Descriptor of the scores: float [N, H, W, A]; H, W and A at least 1.
 * @param[in] pre_nms_top_n As in the call of mluOpGenerateProposalsV2().
 * @param[out] size Size in bytes.
 * @return As mluOpGetGenerateProposalsV2WorkspaceSize().
 * @note For each of min(N, 8) images: 0.2 MB + 16 bytes per score + 240 bytes per selected score.
 */
mluOpStatus_t MLUOP_WIN_API mluOpGetGenerateProposalsV2WorkspaceSize_v2(
    mluOpHandle_t handle, const mluOpTensorDescriptor_t scores_desc, const int32_t pre_nms_top_n,
    size_t* size);

/**
 * @brief RPN proposal generation (generate_proposals_v2).
 *
 * For each image: selects the pre_nms_top_n highest scores, decodes their anchors and deltas to
 * boxes, clips the boxes to the image, drops small ones, and applies greedy NMS until
 * post_nms_top_n proposals are kept.
 *
 * @param[in] handle Library handle.
 * @param[in] pre_nms_top_n Number of scores selected per image; all if it is 0 or negative.
 * @param[in] post_nms_top_n Maximum number of proposals per image, at least 1.
 * @param[in] nms_thresh IoU threshold of the NMS, greater than 0.
 * @param[in] min_size Minimum width and height of a proposal; values below 1 count as 1.
 * @param[in] eta At least 1. Adaptive NMS thresholds (eta below 1) are not supported.
 * @param[in] pixel_offset Whether the size of a box is x2 - x1 + 1 instead of x2 - x1.
 * @param[in] scores_desc Descriptor of scores: float [N, H, W, A]; H, W and A at least 1.
 * @param[in] scores Objectness score of each anchor.
 * @param[in] bbox_deltas_desc Descriptor of bbox_deltas: float [N, H, W, 4A].
 * @param[in] bbox_deltas Deltas (dx, dy, dw, dh) of each anchor.
 * @param[in] im_shape_desc Descriptor of im_shape: float [N, 2].
 * @param[in] im_shape Height and width of each image.
 * @param[in] anchors_desc Descriptor of anchors: float [H, W, A, 4].
 * @param[in] anchors Anchors (xmin, ymin, xmax, ymax).
 * @param[in] variances_desc Descriptor of variances: float [H, W, A, 4].
 * @param[in] variances Factors that the deltas are multiplied by.
 * @param[in] workspace Workspace.
 * @param[in] workspace_size Size from mluOpGetGenerateProposalsV2WorkspaceSize() or its _v2.
 * @param[in] rpn_rois_desc Descriptor of rpn_rois: float [N * post_nms_top_n, 4].
 * @param[out] rpn_rois Proposals (x1, y1, x2, y2), one image after the other without gaps.
 * @param[in] rpn_roi_probs_desc Descriptor of rpn_roi_probs: float [N * post_nms_top_n, 1].
 * @param[out] rpn_roi_probs Score of each proposal.
 * @param[in] rpn_rois_num_desc Descriptor of rpn_rois_num: int32 [N].
 * @param[out] rpn_rois_num Number of proposals of each image.
 * @param[out] rpn_rois_batch_size Number of proposals of all images; one int32.
 * @return MLUOP_STATUS_SUCCESS; MLUOP_STATUS_BAD_PARAM if a parameter, rank, type or shape is
 *   invalid or the workspace is too small; MLUOP_STATUS_NOT_SUPPORTED.
 * @note Rows of rpn_rois and rpn_roi_probs after the last proposal are not written.
 * @note An image without any proposal gets one: (0, 0, 0, 0) with score 0.
 * @note If N is 0, all data pointers except rpn_rois_batch_size may be NULL.
 * @note NaN scores come first. Equal scores are ordered by index.
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

/* ---- Operator: BorderAlign ------------------------------------------------------------------- */

/**
 * @brief BorderAlign of BorderDet: max pooling along the borders of boxes (border_align_forward).
 *
 * Each border is sampled bilinearly at pool_size + 1 points. The result is the largest sample per
 * channel. input, boxes and output are float, or all three are half (computed in float).
 *
 * @param[in] handle Library handle.
 * @param[in] input_desc Descriptor of input: [N, H, W, 4C], layout NHWC.
 * @param[in] input Feature maps: C channels each for the top, left, bottom and right border.
 * @param[in] boxes_desc Descriptor of boxes: [N, K, 4].
 * @param[in] boxes Boxes (x1, y1, x2, y2) of each image.
 * @param[in] pool_size Number of steps along a border, at least 1.
 * @param[in] output_desc Descriptor of output: [N, K, 4, C], layout NHWC.
 * @param[out] output Largest sample of each border and channel.
 * @param[in] argmax_idx_desc Descriptor of argmax_idx: int32 [N, K, 4, C], layout NHWC.
 * @param[out] argmax_idx Index of that sample, 0 to pool_size; the lowest if several are equal.
 * @return MLUOP_STATUS_SUCCESS; MLUOP_STATUS_BAD_PARAM if pool_size, a rank, type, layout or shape
 *   is invalid or a tensor has no elements; MLUOP_STATUS_NOT_SUPPORTED.
 * @note Samples more than one pixel outside the feature map or at non-finite positions are 0.
 */
mluOpStatus_t MLUOP_WIN_API mluOpBorderAlignForward(
    mluOpHandle_t handle, const mluOpTensorDescriptor_t input_desc, const void* input,
    const mluOpTensorDescriptor_t boxes_desc, const void* boxes, const int32_t pool_size,
    const mluOpTensorDescriptor_t output_desc, void* output,
    const mluOpTensorDescriptor_t argmax_idx_desc, void* argmax_idx);

/* ---- Operator: position-sensitive RoI average pooling ---------------------------------------- */

/**
 * @brief Position-sensitive RoI average pooling of R-FCN (psroipool_forward).
 *
 * Each RoI is divided into G x G bins, where G is group_size. Channel d of bin (ph, pw) is the mean
 * of input channel (d * G + ph) * G + pw over the pixels of the bin.
 *
 * @param[in] handle Library handle.
 * @param[in] pooled_height Height of the output; must equal group_size.
 * @param[in] pooled_width Width of the output; must equal group_size.
 * @param[in] spatial_scale Factor from RoI coordinates to feature map positions; finite, above 0.
 * @param[in] group_size Number of bins per axis, G; at least 1.
 * @param[in] output_dim Number of output channels, at least 1.
 * @param[in] input_desc Descriptor of input: float [N, H, W, G * G * output_dim], layout NHWC.
 * @param[in] input Feature maps.
 * @param[in] rois_desc Descriptor of rois: float [R, 5]; R at least 1.
 * @param[in] rois RoIs (batch index, x1, y1, x2, y2).
 * @param[in] output_desc Descriptor of output: float [R, G, G, output_dim], layout NHWC.
 * @param[out] output Mean of each bin; 0 if the bin is empty or an RoI coordinate is not finite.
 * @param[in] mapping_channel_desc Descriptor of mapping_channel: int32, shape and layout as output.
 * @param[out] mapping_channel Input channel of each mean.
 * @return MLUOP_STATUS_SUCCESS; MLUOP_STATUS_BAD_PARAM if a parameter, rank, type, layout, shape or
 *   batch index is invalid; MLUOP_STATUS_NOT_SUPPORTED.
 * @note If N, H or W is 0, nothing is written and the data pointers may be NULL.
 * @note Batch indices are checked when the operator runs. On a queue, an invalid one is reported by
 *   the next synchronization (see cnrtQueueSync()), and nothing is written.
 * @note Calls may also pass a workspace and its size after rois, as the design document of MLU-OPS
 *   does. See the macro of the same name below.
 */
mluOpStatus_t MLUOP_WIN_API
mluOpPsRoiPoolForward(mluOpHandle_t handle, const int pooled_height, const int pooled_width,
                      const float spatial_scale, const int group_size, const int output_dim,
                      const mluOpTensorDescriptor_t input_desc, const void* input,
                      const mluOpTensorDescriptor_t rois_desc, const void* rois,
                      const mluOpTensorDescriptor_t output_desc, void* output,
                      const mluOpTensorDescriptor_t mapping_channel_desc, void* mapping_channel);

/**
 * @brief Same as mluOpPsRoiPoolForward(), with a workspace. Errors name mluOpPsRoiPoolForward.
 * @param[in] workspace Not used; may be NULL.
 * @param[in] workspace_size Not used; may be 0.
 */
mluOpStatus_t MLUOP_WIN_API mluOpPsRoiPoolForwardWithWorkspace(
    mluOpHandle_t handle, const int pooled_height, const int pooled_width,
    const float spatial_scale, const int group_size, const int output_dim,
    const mluOpTensorDescriptor_t input_desc, const void* input,
    const mluOpTensorDescriptor_t rois_desc, const void* rois, void* workspace,
    const size_t workspace_size, const mluOpTensorDescriptor_t output_desc, void* output,
    const mluOpTensorDescriptor_t mapping_channel_desc, void* mapping_channel);

/**
 * @brief Sends calls of mluOpPsRoiPoolForward with 16 arguments to the function with a workspace,
 *   and all others to the function with 14 arguments.
 * @note Released versions of MLU-OPS declare 14 arguments, the design document 16. The macro only
 *   replaces calls: `&mluOpPsRoiPoolForward` is the function with 14 arguments.
 * @note In C++, an argument that contains a comma outside parentheses counts as two. Put it in
 *   parentheses: `(Find<int, float>())`.
 */
#define mluOpPsRoiPoolForward(...)                                                            \
  DETOPS_SELECT_17TH_(__VA_ARGS__, mluOpPsRoiPoolForwardWithWorkspace, mluOpPsRoiPoolForward, \
                      mluOpPsRoiPoolForward, mluOpPsRoiPoolForward, mluOpPsRoiPoolForward,    \
                      mluOpPsRoiPoolForward, mluOpPsRoiPoolForward, mluOpPsRoiPoolForward,    \
                      mluOpPsRoiPoolForward, mluOpPsRoiPoolForward, mluOpPsRoiPoolForward,    \
                      mluOpPsRoiPoolForward, mluOpPsRoiPoolForward, mluOpPsRoiPoolForward,    \
                      mluOpPsRoiPoolForward, mluOpPsRoiPoolForward, 0)                        \
  (__VA_ARGS__)
#define DETOPS_SELECT_17TH_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, \
                            a17, ...)                                                              \
  a17

/* ---- Extensions of detops: errors, threads, instruction set, log ----------------------------- */

/** @brief Log levels. Each level includes the ones before it. */
typedef enum {
  DETOPS_LOG_OFF = 0,   /**< Nothing is logged. */
  DETOPS_LOG_ERROR = 1, /**< One line per failed call. The default. */
  DETOPS_LOG_INFO = 2,  /**< Version, instruction set and threads, with the first handle. */
  DETOPS_LOG_DEBUG = 3  /**< One line per operator call: shapes, types and parameters. */
} detopsLogLevel_t;

/** @brief Receives a log line, without a line break, and the `user` of detopsSetLogSink(). */
typedef void (*detopsLogSink_t)(detopsLogLevel_t level, const char* line, void* user);

/**
 * @brief Returns the message of the calling thread's last failed call.
 * @return Message of at most 1023 bytes, valid until the thread's next failure; empty if none.
 * @note The error of a queued operator is stored for the thread that synchronizes with the queue.
 */
const char* detopsGetLastError(void);

/**
 * @brief Sets how many threads an operator may use, including the calling thread.
 * @param[in] handle Library handle.
 * @param[in] threads Number of threads, up to 1024; 0 restores the default (see mluOpCreate()).
 * @return MLUOP_STATUS_SUCCESS, or MLUOP_STATUS_BAD_PARAM if threads is out of range.
 * @note Waits for the operators that were submitted with the handle.
 * @note No more threads run than there are cores. Work of less than about 20 microseconds stays on
 *   the calling thread.
 */
mluOpStatus_t detopsSetThreads(mluOpHandle_t handle, int threads);

/** @brief Returns how many threads an operator may use. See detopsSetThreads(). */
mluOpStatus_t detopsGetThreads(mluOpHandle_t handle, int* threads);

/**
 * @brief Sets the instruction set that operators use, for the whole process.
 * @param[in] name Name from detopsGetSimdTargets(), in any case; NULL selects the best one.
 * @return MLUOP_STATUS_SUCCESS, or MLUOP_STATUS_BAD_PARAM if the name is not available.
 * @note Must not be called while an operator runs. It also affects other users of the Highway
 *   library in the process. The environment variable DETOPS_SIMD_TARGET sets the initial value.
 */
mluOpStatus_t detopsSetSimdTarget(const char* name);

/** @brief Returns the name of the instruction set in use. */
const char* detopsGetSimdTarget(void);

/** @brief Returns the names of the available instruction sets, best first, separated by spaces. */
const char* detopsGetSimdTargets(void);

/**
 * @brief Sets the log level.
 * @param[in] level Log level.
 * @return MLUOP_STATUS_SUCCESS, or MLUOP_STATUS_BAD_PARAM if the level is unknown.
 * @note The environment variable DETOPS_LOG_LEVEL (off, error, info, debug) sets the initial value.
 */
mluOpStatus_t detopsSetLogLevel(detopsLogLevel_t level);

/**
 * @brief Sends log lines to a function instead of stderr.
 * @param[in] sink Function, or NULL for stderr. It must not throw.
 * @param[in] user Pointer that is passed to the function.
 * @note Calls of the sink never overlap, and the old sink is not called after this function has
 *   returned. Lines that are logged from inside the sink are dropped.
 * @note The sink must not wait for queues, handles or notifiers. They may in turn be waiting to
 *   log, which would be a deadlock.
 */
mluOpStatus_t detopsSetLogSink(detopsLogSink_t sink, void* user);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#if defined(__cplusplus)
}
#endif

#endif /* MLU_OP_H_ */
