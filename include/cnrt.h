/* Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file cnrt.h
 *
 * The host runtime: memory, in-order queues and notifiers of the device, which here is the host
 * CPU.
 *
 * Every function may be called from any thread. A call that fails logs one line (see
 * detopsSetLogLevel in mlu_op.h) and leaves the same text for detopsGetLastError on the calling
 * thread.
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

/** What a runtime call returns. */
typedef enum {
  cnrtSuccess = 0,           /**< Done. */
  cnrtErrorNotReady = 1,     /**< The work asked about has not finished. Nothing is logged. */
  cnrtErrorArgsInvalid = 2,  /**< An argument is wrong, or a queued job found its data wrong. */
  cnrtErrorNoMem = 3,        /**< Memory could not be had. */
  cnrtErrorQueueInvalid = 4, /**< A queue is needed and none was given. */
  cnrtErrorUnknown = 5       /**< Anything else; detopsGetLastError has the text. */
} cnrtRet_t;

/** The direction of a copy. Device memory is host memory here: all four do the same. */
typedef enum {
  cnrtMemcpyHostToHost = 0, /**< Host to host. */
  cnrtMemcpyHostToDev = 1,  /**< Host to device. */
  cnrtMemcpyDevToDev = 2,   /**< Device to device. */
  cnrtMemcpyDevToHost = 3   /**< Device to host. */
} cnrtMemTransDir_t;

/** A queue: runs its jobs in the order of submission, on a thread of its own. */
typedef struct cnrtQueueStruct* cnrtQueue_t;

/** A notifier: a mark in a queue that can be waited for and that remembers when it was reached. */
typedef struct cnrtNotifierStruct* cnrtNotifier_t;

/** Evaluates a runtime call; when it failed, prints where and why and exits with status 1. */
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
 * Names a return value.
 *
 * Parameters: error: the value.
 * Return: the enumerator's name ("cnrtErrorNoMem"), or a text that says that the value is unknown.
 *   Never NULL; do not free it.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: detopsGetLastError says more about the calling thread's last failure.
 * Example: puts(cnrtGetErrorStr(cnrtErrorNoMem));
 */
const char* cnrtGetErrorStr(cnrtRet_t error);

/**
 * Tells which device the calling thread uses.
 *
 * Parameters: ordinal [out]: the device's number.
 * Return: cnrtSuccess; cnrtErrorArgsInvalid when ordinal is NULL.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: there is one device, number 0: the host.
 * Example: int device; CNRT_CHECK(cnrtGetDevice(&device));
 */
cnrtRet_t cnrtGetDevice(int* ordinal);

/**
 * Chooses the device of the calling thread.
 *
 * Parameters: ordinal: the device's number.
 * Return: cnrtSuccess; cnrtErrorArgsInvalid when there is no such device.
 * Data type: none.
 * Layout: none.
 * Limits: ordinal is 0.
 * Notes: none.
 * Example: CNRT_CHECK(cnrtSetDevice(0));
 */
cnrtRet_t cnrtSetDevice(int ordinal);

/**
 * Counts the devices.
 *
 * Parameters: count [out]: how many there are.
 * Return: cnrtSuccess; cnrtErrorArgsInvalid when count is NULL.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: always 1.
 * Example: unsigned int count; CNRT_CHECK(cnrtGetDeviceCount(&count));
 */
cnrtRet_t cnrtGetDeviceCount(unsigned int* count);

/**
 * Waits until every queue has finished what was submitted to it before this call.
 *
 * Parameters: none.
 * Return: cnrtSuccess; otherwise the data error of the first queue that kept one. The errors of
 *   all queues are then reported: detopsGetLastError has the text of each, separated by "; ".
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: a queue that another thread destroys meanwhile is waited for, too.
 * Example: CNRT_CHECK(cnrtSyncDevice());
 */
cnrtRet_t cnrtSyncDevice(void);

/**
 * Allocates device memory.
 *
 * Parameters: pointer [out]: the memory; bytes: how much.
 * Return: cnrtSuccess; cnrtErrorArgsInvalid when pointer is NULL; cnrtErrorNoMem, and *pointer is
 *   unchanged.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: aligned to 64 bytes. 0 bytes succeed and give NULL.
 * Example: void *boxes; CNRT_CHECK(cnrtMalloc(&boxes, 4096)); CNRT_CHECK(cnrtFree(boxes));
 */
cnrtRet_t cnrtMalloc(void** pointer, size_t bytes);

/**
 * Frees device memory.
 *
 * Parameters: pointer: what cnrtMalloc gave, or NULL.
 * Return: cnrtSuccess.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: does not wait for queues that still use the memory: synchronise first.
 * Example: CNRT_CHECK(cnrtFree(boxes));
 */
cnrtRet_t cnrtFree(void* pointer);

/**
 * Allocates host memory.
 *
 * Parameters: pointer [out]: the memory; bytes: how much.
 * Return: as cnrtMalloc.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: as cnrtMalloc.
 * Example: void *staging; CNRT_CHECK(cnrtHostMalloc(&staging, 4096));
 *   CNRT_CHECK(cnrtFreeHost(staging));
 */
cnrtRet_t cnrtHostMalloc(void** pointer, size_t bytes);

/**
 * Frees host memory.
 *
 * Parameters: pointer: what cnrtHostMalloc gave, or NULL.
 * Return: cnrtSuccess.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: as cnrtFree.
 * Example: CNRT_CHECK(cnrtFreeHost(staging));
 */
cnrtRet_t cnrtFreeHost(void* pointer);

/**
 * Fills memory with a byte, before the call returns.
 *
 * Parameters: pointer: the memory; value: its lowest 8 bits are the byte; bytes: how many.
 * Return: cnrtSuccess; cnrtErrorArgsInvalid when pointer is NULL and bytes is not 0.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: does not wait for queues.
 * Example: CNRT_CHECK(cnrtMemset(boxes, 0, 4096));
 */
cnrtRet_t cnrtMemset(void* pointer, int value, size_t bytes);

/**
 * Copies memory, before the call returns.
 *
 * Parameters: dst: where to; src: where from; bytes: how many; direction: see cnrtMemTransDir_t.
 * Return: cnrtSuccess; cnrtErrorArgsInvalid when dst or src is NULL and bytes is not 0, or when
 *   the direction is unknown.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: the two ranges may overlap. Does not wait for queues.
 * Example: CNRT_CHECK(cnrtMemcpy(device_boxes, boxes, bytes, cnrtMemcpyHostToDev));
 */
cnrtRet_t cnrtMemcpy(void* dst, const void* src, size_t bytes, cnrtMemTransDir_t direction);

/**
 * Copies memory as a job of a queue.
 *
 * Parameters: dst, src, bytes, direction: as for cnrtMemcpy; queue: the queue, or NULL to copy
 *   before the call returns.
 * Return: as cnrtMemcpy; cnrtErrorNoMem or cnrtErrorUnknown when the job could not be queued.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: both ranges must stay valid until the queue has come past the job.
 * Example: CNRT_CHECK(cnrtMemcpyAsync(ious, device_ious, bytes, queue, cnrtMemcpyDevToHost));
 */
cnrtRet_t cnrtMemcpyAsync(void* dst, const void* src, size_t bytes, cnrtQueue_t queue,
                          cnrtMemTransDir_t direction);

/**
 * Creates a queue.
 *
 * Parameters: queue [out]: the queue.
 * Return: cnrtSuccess; cnrtErrorArgsInvalid when queue is NULL; cnrtErrorNoMem.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: its thread starts with the first job and sleeps while there is none.
 * Example: cnrtQueue_t queue; CNRT_CHECK(cnrtQueueCreate(&queue));
 */
cnrtRet_t cnrtQueueCreate(cnrtQueue_t* queue);

/**
 * Finishes a queue's work and destroys it.
 *
 * Parameters: queue: the queue.
 * Return: cnrtSuccess; cnrtErrorQueueInvalid when queue is NULL; the queue's data error when it
 *   kept one (it is destroyed nevertheless).
 * Data type: none.
 * Layout: none.
 * Limits: no thread may submit to the queue any more.
 * Notes: a handle whose queue this was must be given another before its next operator; destroying
 *   that handle is fine.
 * Example: CNRT_CHECK(cnrtQueueDestroy(queue));
 */
cnrtRet_t cnrtQueueDestroy(cnrtQueue_t queue);

/**
 * Waits until a queue has finished what was submitted to it before this call.
 *
 * Parameters: queue: the queue, or NULL, which never has unfinished work.
 * Return: cnrtSuccess; the queue's data error when it kept one, which is thereby reported and
 *   forgotten.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: jobs that have not started may run on the calling thread, in order, instead of letting it
 *   wait for another.
 * Example: CNRT_CHECK(cnrtQueueSync(queue));
 */
cnrtRet_t cnrtQueueSync(cnrtQueue_t queue);

/**
 * Asks whether a queue has finished, without waiting.
 *
 * Parameters: queue: the queue, or NULL, which never has unfinished work.
 * Return: cnrtSuccess; cnrtErrorNotReady while there is work; the data error of an idle queue that
 *   kept one.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: none.
 * Example: while (cnrtQueueQuery(queue) == cnrtErrorNotReady) do_something_else();
 */
cnrtRet_t cnrtQueueQuery(cnrtQueue_t queue);

/**
 * Creates a notifier.
 *
 * Parameters: notifier [out]: the notifier.
 * Return: cnrtSuccess; cnrtErrorArgsInvalid when notifier is NULL; cnrtErrorNoMem.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: none.
 * Example: cnrtNotifier_t start; CNRT_CHECK(cnrtNotifierCreate(&start));
 */
cnrtRet_t cnrtNotifierCreate(cnrtNotifier_t* notifier);

/**
 * Destroys a notifier.
 *
 * Parameters: notifier: the notifier.
 * Return: cnrtSuccess; cnrtErrorArgsInvalid when notifier is NULL.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: waits until the queues have reached every place where it was put.
 * Example: CNRT_CHECK(cnrtNotifierDestroy(start));
 */
cnrtRet_t cnrtNotifierDestroy(cnrtNotifier_t notifier);

/**
 * Puts a notifier behind the work that a queue has now.
 *
 * Parameters: notifier: the notifier; queue: the queue, or NULL: it is reached before the call
 *   returns.
 * Return: cnrtSuccess; cnrtErrorArgsInvalid when notifier is NULL; cnrtErrorNoMem or
 *   cnrtErrorUnknown when the job could not be queued.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: may be placed again; what counts is the latest place.
 * Example: CNRT_CHECK(cnrtPlaceNotifier(start, queue));
 */
cnrtRet_t cnrtPlaceNotifier(cnrtNotifier_t notifier, cnrtQueue_t queue);

/**
 * Waits until a notifier is reached.
 *
 * Parameters: notifier: the notifier.
 * Return: cnrtSuccess; cnrtErrorArgsInvalid when notifier is NULL.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: returns at once when it was never placed.
 * Example: CNRT_CHECK(cnrtWaitNotifier(end));
 */
cnrtRet_t cnrtWaitNotifier(cnrtNotifier_t notifier);

/**
 * Asks whether a notifier is reached, without waiting.
 *
 * Parameters: notifier: the notifier.
 * Return: cnrtSuccess when it is reached or was never placed; cnrtErrorNotReady;
 *   cnrtErrorArgsInvalid when notifier is NULL.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: none.
 * Example: bool done = cnrtQueryNotifier(end) == cnrtSuccess;
 */
cnrtRet_t cnrtQueryNotifier(cnrtNotifier_t notifier);

/**
 * Tells the time between two notifiers.
 *
 * Parameters: start, end: two notifiers that were reached; us [out]: from start to end in
 *   microseconds, with the resolution of the clock (nanoseconds); negative when end was reached
 *   first.
 * Return: cnrtSuccess; cnrtErrorArgsInvalid when an argument is NULL or a notifier was never
 *   placed; cnrtErrorNotReady when one is not reached yet. Nothing is written unless it succeeds.
 * Data type: none.
 * Layout: none.
 * Limits: none.
 * Notes: none.
 * Example: float us; CNRT_CHECK(cnrtNotifierDuration(start, end, &us));
 */
cnrtRet_t cnrtNotifierDuration(cnrtNotifier_t start, cnrtNotifier_t end, float* us);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#if defined(__cplusplus)
}
#endif

#endif /* CNRT_H_ */
