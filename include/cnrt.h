/* Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file cnrt.h
 * @brief Runtime API, source-compatible with Cambricon CNRT: memory, queues and notifiers.
 *
 * The device is the host CPU, and device memory is host memory.
 *
 * These rules hold for all functions and are not repeated below:
 * - Any thread may call any function.
 * - A function returns cnrtSuccess, cnrtErrorArgsInvalid if a pointer, queue or notifier is NULL
 *   whose description does not allow NULL, or if a queue or notifier was destroyed or never
 *   existed, cnrtErrorNoMem if memory runs out, or what its own description lists.
 * - A call that fails writes nothing. It logs one line (see detopsSetLogLevel() in mlu_op.h) and
 *   stores the same text for detopsGetLastError() on the calling thread, and its return value for
 *   cnrtGetLastError(). cnrtErrorNotReady is not a failure.
 * - In the child of fork(), queues and notifiers of the parent are refused (cnrtErrorArgsInvalid),
 *   because the threads that serve them are the parent's. Destroying them succeeds and waits for
 *   nothing. The child creates its own.
 *
 * A job on a queue can fail after it was submitted, for example because the data that it reads is
 * invalid. The queue keeps the first such error until cnrtQueueSync(), cnrtQueueQuery(),
 * cnrtQueueDestroy() or cnrtSyncDevice() returns it. Below it is called the queue's deferred error.
 */
#ifndef CNRT_H_
#define CNRT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__cplusplus)
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* ---- Types ----------------------------------------------------------------------------------- */

/** @brief Return values. */
typedef enum {
  cnrtSuccess = 0,               /**< The call succeeded. */
  cnrtErrorNotReady = 1,         /**< The work has not finished yet. Nothing is logged. */
  cnrtErrorQueueInvalid = 4,     /**< A queue is required but NULL was passed. */
  cnrtErrorArgsInvalid = 100006, /**< An argument, or the data of a queued job, is invalid. */
  cnrtErrorNoMem = 100100,       /**< Out of memory. */
  cnrtErrorUnknown = 999991      /**< Any other error; detopsGetLastError() describes it. */
} cnrtRet_t;

/** @brief Older name of cnrtSuccess. */
#define CNRT_RET_SUCCESS cnrtSuccess

/** @brief Direction of a copy. All directions do the same: device memory is host memory. */
typedef enum {
  cnrtMemcpyHostToDev = 0,  /**< Host to device. */
  cnrtMemcpyDevToDev = 1,   /**< Device to device. */
  cnrtMemcpyDevToHost = 2,  /**< Device to host. */
  cnrtMemcpyHostToHost = 3, /**< Host to host. */
  cnrtMemcpyPeerToPeer = 4, /**< Between two devices. */
  cnrtMemcpyNoDirection = 5 /**< Not stated. */
} cnrtMemTransDir_t;

/** @brief Queue: runs jobs in the order of submission, on a thread of its own. */
typedef struct CNqueue_st* cnrtQueue_t;

/** @brief Notifier: a marker in a queue that can be waited for and records when it is reached. */
typedef struct cnrtNotifierStruct* cnrtNotifier_t;

/** @brief Flags of cnrtNotifierCreateWithFlags(). */
typedef enum {
  CNRT_NOTIFIER_DEFAULT = 0,           /**< Records when it is reached. */
  CNRT_NOTIFIER_DISABLE_TIMING = 2,    /**< Not for cnrtNotifierElapsedTime(). */
  CNRT_NOTIFIER_DISABLE_TIMING_SW = 2, /**< Same as CNRT_NOTIFIER_DISABLE_TIMING. */
  CNRT_NOTIFIER_DISABLE_TIMING_ALL = 4 /**< Not for cnrtNotifierDuration() either. */
} cnrtNotifierFlags_t;

/** @brief Flags of cnrtQueueWaitNotifier(). */
typedef enum {
  CNRT_NOTIFIER_WAIT_DEFAULT = 0 /**< The only valid value. */
} cnrtNotifierWaitFlags_t;

/** @brief Function that a queue calls, with the argument of cnrtInvokeHostFunc(). */
typedef void (*cnrtHostFn_t)(void*);

/** @brief Evaluates a runtime call. If it fails, prints where and why and exits with status 1. */
#define CNRT_CHECK(expr)                                                    \
  do {                                                                      \
    const cnrtRet_t cnrt_check_result = (expr);                             \
    if (cnrt_check_result != cnrtSuccess) {                                 \
      fprintf(stderr, "%s:%d: %s returned %s\n", __FILE__, __LINE__, #expr, \
              cnrtGetErrorStr(cnrt_check_result));                          \
      exit(1);                                                              \
    }                                                                       \
  } while (0)

/**
 * @brief Returns the name of a return value.
 * @param[in] error Return value.
 * @return Name of the enumerator, or a text that states that the value is unknown. Never NULL.
 */
const char* cnrtGetErrorStr(cnrtRet_t error);

/** @brief Same as cnrtGetErrorStr(). */
const char* cnrtGetErrorName(cnrtRet_t error);

/**
 * @brief Returns the error of the calling thread's last failed runtime call and clears it.
 * @return The error, or cnrtSuccess if no call has failed since the last call of this function.
 */
cnrtRet_t cnrtGetLastError(void);

/** @brief Same as cnrtGetLastError(), but does not clear the error. */
cnrtRet_t cnrtPeekAtLastError(void);

/* ---- Device ---------------------------------------------------------------------------------- */

/** @brief Returns the device of the calling thread, which is always 0. */
cnrtRet_t cnrtGetDevice(int* ordinal);

/**
 * @brief Selects the device of the calling thread.
 * @param[in] ordinal Device number; must be 0.
 * @return cnrtSuccess, or cnrtErrorArgsInvalid if there is no such device.
 */
cnrtRet_t cnrtSetDevice(int ordinal);

/** @brief Returns the number of devices, which is always 1. */
cnrtRet_t cnrtGetDeviceCount(unsigned int* count);

/**
 * @brief Waits until all queues have finished the jobs that were submitted before this call.
 * @return cnrtSuccess, or the first of the queues' deferred errors, all of which are cleared.
 *   detopsGetLastError() then returns the messages of all of them, separated by "; ".
 */
cnrtRet_t cnrtSyncDevice(void);

/**
 * @brief Waits for all queues, as cnrtSyncDevice() does.
 * @return As cnrtSyncDevice().
 * @note Memory, queues, notifiers and handles stay valid and must still be freed and destroyed: the
 *   host has no device state that could be reset.
 */
cnrtRet_t cnrtDeviceReset(void);

/* ---- Memory ---------------------------------------------------------------------------------- */

/**
 * @brief Allocates device memory, aligned to 64 bytes.
 * @param[out] pointer Allocated memory; NULL if bytes is 0.
 * @param[in] bytes Size in bytes.
 * @return cnrtSuccess, or cnrtErrorNoMem if the memory cannot be allocated.
 */
cnrtRet_t cnrtMalloc(void** pointer, size_t bytes);

/**
 * @brief Frees device memory.
 * @param[in] pointer Memory from cnrtMalloc(), or NULL.
 * @return cnrtSuccess.
 * @note Does not wait for queues. Synchronize first if a queue may still use the memory.
 */
cnrtRet_t cnrtFree(void* pointer);

/** @brief Allocates host memory. Otherwise the same as cnrtMalloc(). */
cnrtRet_t cnrtHostMalloc(void** pointer, size_t bytes);

/** @brief Frees memory from cnrtHostMalloc(). Otherwise the same as cnrtFree(). */
cnrtRet_t cnrtFreeHost(void* pointer);

/**
 * @brief Returns how much memory the machine has. Limits of containers are not considered.
 * @param[out] free Bytes that can be allocated without swapping; an estimate of the system.
 * @param[out] total Bytes of main memory.
 * @return cnrtSuccess, or cnrtErrorUnknown if the system does not provide the numbers.
 */
cnrtRet_t cnrtMemGetInfo(size_t* free, size_t* total);

/**
 * @brief Fills memory with a byte before the call returns. Does not wait for queues.
 * @param[in] pointer Memory. May be NULL if bytes is 0.
 * @param[in] value Byte; only the lowest 8 bits are used.
 * @param[in] bytes Size in bytes.
 */
cnrtRet_t cnrtMemset(void* pointer, int value, size_t bytes);

/**
 * @brief Fills memory with a byte as a job of a queue. See cnrtMemset() for the other parameters.
 * @param[in] queue Queue, or NULL to fill the memory before the call returns.
 * @return cnrtSuccess, or cnrtErrorUnknown if the thread of the queue cannot be started.
 * @note The memory must stay valid until the job has finished.
 */
cnrtRet_t cnrtMemsetAsync(void* pointer, int value, size_t bytes, cnrtQueue_t queue);

/**
 * @brief Copies memory before the call returns. Does not wait for queues.
 * @param[in] dst Destination. May be NULL if bytes is 0; may overlap the source.
 * @param[in] src Source. May be NULL if bytes is 0.
 * @param[in] bytes Size in bytes.
 * @param[in] direction Direction of the copy.
 * @return cnrtSuccess, or cnrtErrorArgsInvalid if the direction is unknown.
 */
cnrtRet_t cnrtMemcpy(void* dst, const void* src, size_t bytes, cnrtMemTransDir_t direction);

/**
 * @brief Copies memory as a job of a queue. See cnrtMemcpy() for the other parameters.
 * @param[in] queue Queue, or NULL to copy before the call returns.
 * @return As cnrtMemcpy(), or cnrtErrorUnknown if the thread of the queue cannot be started.
 * @note Source and destination must stay valid until the job has finished.
 */
cnrtRet_t cnrtMemcpyAsync(void* dst, const void* src, size_t bytes, cnrtQueue_t queue,
                          cnrtMemTransDir_t direction);

/* ---- Queues ---------------------------------------------------------------------------------- */

/**
 * @brief Creates a queue.
 * @param[out] queue New queue.
 * @return cnrtSuccess or cnrtErrorNoMem.
 * @note The thread of the queue starts with its first job and sleeps while there are no jobs.
 */
cnrtRet_t cnrtQueueCreate(cnrtQueue_t* queue);

/**
 * @brief Waits for the jobs of a queue, then destroys it.
 * @param[in] queue Queue. No other thread may submit jobs to it any more.
 * @return cnrtSuccess; cnrtErrorQueueInvalid if queue is NULL; or the queue's deferred error, in
 *   which case the queue is destroyed, too.
 * @note A handle that uses the queue must get another one before its next operator call, which is
 *   refused otherwise. The handle may also be destroyed.
 */
cnrtRet_t cnrtQueueDestroy(cnrtQueue_t queue);

/**
 * @brief Waits until a queue has finished the jobs that were submitted before this call.
 * @param[in] queue Queue, or NULL, for which the call returns at once.
 * @return cnrtSuccess, or the queue's deferred error, which is cleared.
 * @note Instead of waiting, the calling thread may run jobs that have not started yet, in order.
 */
cnrtRet_t cnrtQueueSync(cnrtQueue_t queue);

/**
 * @brief Checks whether a queue has finished all its jobs, without waiting.
 * @param[in] queue Queue, or NULL, which counts as finished.
 * @return cnrtErrorNotReady while there are jobs; then cnrtSuccess or the queue's deferred error,
 *   which is cleared.
 */
cnrtRet_t cnrtQueueQuery(cnrtQueue_t queue);

/**
 * @brief Makes the jobs that are submitted to a queue from now on wait for a notifier.
 * @param[in] notifier Notifier. Its placement at the time of the call counts, whatever happens to
 *   it later. If it was never placed, there is nothing to wait for.
 * @param[in] queue Queue. The call itself does not wait, except if the queue is NULL: work without
 *   a queue runs inside its call, so this call returns when the notifier is reached.
 * @param[in] flags Must be CNRT_NOTIFIER_WAIT_DEFAULT.
 * @return cnrtSuccess; cnrtErrorArgsInvalid if flags is not 0; or cnrtErrorUnknown if the thread of
 *   the queue cannot be started.
 * @note Only the order matters: the queue goes on even if a job before the notifier has failed.
 */
cnrtRet_t cnrtQueueWaitNotifier(cnrtNotifier_t notifier, cnrtQueue_t queue, unsigned int flags);

/**
 * @brief Calls a function as a job of a queue.
 * @param[in] queue Queue, or NULL to call the function before this call returns.
 * @param[in] function Function. It runs on the thread of the queue or on a thread that waits for
 *   the queue. If it throws a C++ exception, the job fails.
 * @param[in] argument Argument of the function. May be NULL.
 * @return cnrtSuccess, or cnrtErrorUnknown if the thread of the queue cannot be started.
 * @note The function must not wait for a queue, a notifier or a handle: what it waits for may in
 *   turn be waiting for the function. It may submit jobs.
 */
cnrtRet_t cnrtInvokeHostFunc(cnrtQueue_t queue, cnrtHostFn_t function, void* argument);

/* ---- Notifiers ------------------------------------------------------------------------------- */

/**
 * @brief Creates a notifier.
 * @param[out] notifier New notifier.
 * @return cnrtSuccess or cnrtErrorNoMem.
 */
cnrtRet_t cnrtNotifierCreate(cnrtNotifier_t* notifier);

/**
 * @brief Creates a notifier with flags.
 * @param[out] notifier New notifier.
 * @param[in] flags Flags of cnrtNotifierFlags_t, combined with `|`.
 * @return cnrtSuccess; cnrtErrorArgsInvalid if flags contains an unknown flag; or cnrtErrorNoMem.
 */
cnrtRet_t cnrtNotifierCreateWithFlags(cnrtNotifier_t* notifier, unsigned int flags);

/**
 * @brief Destroys a notifier. Waits until it is reached everywhere it was placed and no queue waits
 *   for it any more.
 */
cnrtRet_t cnrtNotifierDestroy(cnrtNotifier_t notifier);

/**
 * @brief Places a notifier after the jobs that a queue has now.
 * @param[in] notifier Notifier. If it was placed before, only the new place counts.
 * @param[in] queue Queue, or NULL: the notifier is reached before the call returns.
 * @return cnrtSuccess, or cnrtErrorUnknown if the thread of the queue cannot be started.
 */
cnrtRet_t cnrtPlaceNotifier(cnrtNotifier_t notifier, cnrtQueue_t queue);

/** @brief Waits until a notifier is reached. Returns at once if it was never placed. */
cnrtRet_t cnrtWaitNotifier(cnrtNotifier_t notifier);

/**
 * @brief Checks whether a notifier is reached, without waiting.
 * @param[in] notifier Notifier.
 * @return cnrtErrorNotReady, or cnrtSuccess if it is reached or was never placed.
 */
cnrtRet_t cnrtQueryNotifier(cnrtNotifier_t notifier);

/**
 * @brief Returns the time between two notifiers.
 * @param[in] start Notifier at the start.
 * @param[in] end Notifier at the end.
 * @param[out] us Microseconds from start to end; negative if end was reached first.
 * @return cnrtSuccess; cnrtErrorNotReady if a notifier is not reached yet; cnrtErrorArgsInvalid if
 *   a notifier was never placed or has the flag CNRT_NOTIFIER_DISABLE_TIMING_ALL.
 * @note The resolution is that of the clock: nanoseconds.
 */
cnrtRet_t cnrtNotifierDuration(cnrtNotifier_t start, cnrtNotifier_t end, float* us);

/**
 * @brief Same as cnrtNotifierDuration(), in milliseconds.
 * @param[out] ms Milliseconds from start to end; negative if end was reached first.
 * @return As cnrtNotifierDuration(); also cnrtErrorArgsInvalid if a notifier has the flag
 *   CNRT_NOTIFIER_DISABLE_TIMING.
 */
cnrtRet_t cnrtNotifierElapsedTime(cnrtNotifier_t start, cnrtNotifier_t end, float* ms);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#if defined(__cplusplus)
}
#endif

#endif /* CNRT_H_ */
