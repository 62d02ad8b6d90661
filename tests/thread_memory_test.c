/* Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0 */

/* A thread whose first call fails, in a process that has no memory left and has loaded the library
   at run time. The C library ends a process that has no memory for a library's thread-local data;
   the library must not need any. Usage: thread_memory_test LIBRARY. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

#include "cnrt.h"
#include "mlu_op.h"

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

static atomic_bool out_of_memory;

/* Functions of the program take precedence over those of the C library, also for calls from inside
 * its loader. */
void* malloc(size_t size) { return out_of_memory ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) {
  return out_of_memory ? NULL : __libc_calloc(count, size);
}
void* memalign(size_t alignment, size_t size) {
  return out_of_memory ? NULL : __libc_memalign(alignment, size);
}

static mluOpStatus_t (*destroy)(mluOpHandle_t);
static const char* (*last_error)(void);
static cnrtRet_t (*peek)(void);
static mluOpStatus_t (*set_log_level)(detopsLogLevel_t);

static void* call(void* failure) {
  out_of_memory = true;
  const mluOpStatus_t status = destroy(NULL);
  const char* const text = last_error();
  const cnrtRet_t result = peek();
  out_of_memory = false;
  if (status != MLUOP_STATUS_BAD_PARAM && status != MLUOP_STATUS_ALLOC_FAILED) {
    *(const char**)failure = "mluOpDestroy(NULL) succeeded";
  } else if (text == NULL || text[0] == '\0') {
    *(const char**)failure = "there is no text of the last error";
  } else if (result != cnrtSuccess) {
    *(const char**)failure = "a call of an operator changed the runtime's last error";
  }
  return NULL;
}

int main(int argc, char** argv) {
  void* const library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (library == NULL) {
    fprintf(stderr, "thread_memory_test: %s\n",
            argc == 2 ? dlerror() : "usage: thread_memory_test LIBRARY");
    return 2;
  }
  *(void**)&destroy = dlsym(library, "mluOpDestroy");
  *(void**)&last_error = dlsym(library, "detopsGetLastError");
  *(void**)&peek = dlsym(library, "cnrtPeekAtLastError");
  *(void**)&set_log_level = dlsym(library, "detopsSetLogLevel");
  set_log_level(DETOPS_LOG_OFF); /* the logging library has thread-local data of its own */
  const char* failure = NULL;
  pthread_t thread;
  if (pthread_create(&thread, NULL, call, &failure) != 0 || pthread_join(thread, NULL) != 0) {
    failure = "the thread cannot be started";
  }
  if (failure != NULL) {
    fprintf(stderr, "thread_memory_test: %s\n", failure);
  }
  return failure != NULL;
}
