// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "cnrt.h"
#include "testing/log_capture.h"

namespace detops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Memory, IsAlignedAndUsable) {
  for (const size_t bytes : {size_t{1}, size_t{63}, size_t{64}, size_t{4097}, size_t{1} << 20}) {
    void* device = nullptr;
    void* host = nullptr;
    ASSERT_EQ(cnrtMalloc(&device, bytes), cnrtSuccess);
    ASSERT_EQ(cnrtHostMalloc(&host, bytes), cnrtSuccess);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(device) % 64, 0u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(host) % 64, 0u);
    ASSERT_EQ(cnrtMemset(device, 0x1A5, bytes), cnrtSuccess);
    ASSERT_EQ(cnrtMemcpy(host, device, bytes, cnrtMemcpyDevToHost), cnrtSuccess);
    const std::vector<unsigned char> expected(bytes, 0xA5);
    EXPECT_EQ(std::memcmp(host, expected.data(), bytes), 0);
    EXPECT_EQ(cnrtFree(device), cnrtSuccess);
    EXPECT_EQ(cnrtFreeHost(host), cnrtSuccess);
  }
}

TEST(Memory, ZeroBytesAndNullSucceed) {
  int marker = 0;
  void* pointer = &marker;
  EXPECT_EQ(cnrtMalloc(&pointer, 0), cnrtSuccess);
  EXPECT_EQ(pointer, nullptr);
  EXPECT_EQ(cnrtFree(nullptr), cnrtSuccess);
  EXPECT_EQ(cnrtFreeHost(nullptr), cnrtSuccess);
  EXPECT_EQ(cnrtMemset(nullptr, 0, 0), cnrtSuccess);
  EXPECT_EQ(cnrtMemcpy(nullptr, nullptr, 0, cnrtMemcpyHostToDev), cnrtSuccess);
  EXPECT_EQ(cnrtMemcpyAsync(nullptr, nullptr, 0, nullptr, cnrtMemcpyHostToDev), cnrtSuccess);
}

TEST(Memory, TooLargeAllocationFailsAndWritesNothing) {
  LogCapture log;
  int marker = 0;
  void* pointer = &marker;
  EXPECT_EQ(cnrtMalloc(&pointer, SIZE_MAX / 2), cnrtErrorNoMem);
  EXPECT_EQ(cnrtHostMalloc(&pointer, SIZE_MAX - 8), cnrtErrorNoMem);
  EXPECT_EQ(pointer, &marker);
  EXPECT_THAT(log.Take(),
              ElementsAre("cnrtMalloc: out of memory: cannot allocate 9223372036854775807 bytes",
                          HasSubstr("cnrtHostMalloc: out of memory: cannot allocate")));
}

TEST(Memory, CopiesOverlappingRangesInEveryDirection) {
  for (const auto direction : {cnrtMemcpyHostToDev, cnrtMemcpyDevToDev, cnrtMemcpyDevToHost,
                               cnrtMemcpyHostToHost, cnrtMemcpyPeerToPeer, cnrtMemcpyNoDirection}) {
    std::string text = "abcdef";
    EXPECT_EQ(cnrtMemcpy(text.data() + 1, text.data(), 5, direction), cnrtSuccess);
    EXPECT_EQ(text, "aabcde");
    EXPECT_EQ(cnrtMemcpyAsync(text.data(), text.data() + 2, 4, nullptr, direction), cnrtSuccess);
    EXPECT_EQ(text, "bcdede");
  }
}

TEST(Memory, AsyncCopiesRunInQueueOrder) {
  cnrtQueue_t queue;
  ASSERT_EQ(cnrtQueueCreate(&queue), cnrtSuccess);
  int a = 1;
  int b = 2;
  int c = 3;
  EXPECT_EQ(cnrtMemcpyAsync(&b, &a, sizeof(int), queue, cnrtMemcpyHostToDev), cnrtSuccess);
  EXPECT_EQ(cnrtMemcpyAsync(&c, &b, sizeof(int), queue, cnrtMemcpyDevToHost), cnrtSuccess);
  EXPECT_EQ(cnrtQueueSync(queue), cnrtSuccess);
  EXPECT_EQ(c, 1);
  EXPECT_EQ(cnrtQueueDestroy(queue), cnrtSuccess);
}

TEST(Memory, RejectsBadInput) {
  LogCapture log;
  int a = 1;
  int b = 2;
  const auto unknown = static_cast<cnrtMemTransDir_t>(6);
  EXPECT_EQ(cnrtMalloc(nullptr, 1), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtHostMalloc(nullptr, 1), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtMemset(nullptr, 0, 1), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtMemcpy(nullptr, &a, 4, cnrtMemcpyHostToDev), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtMemcpy(&b, nullptr, 4, cnrtMemcpyHostToDev), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtMemcpy(&b, &a, 4, unknown), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtMemcpyAsync(nullptr, &a, 4, nullptr, cnrtMemcpyHostToDev), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtMemcpyAsync(&b, nullptr, 4, nullptr, cnrtMemcpyHostToDev), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtMemcpyAsync(&b, &a, 4, nullptr, unknown), cnrtErrorArgsInvalid);
  EXPECT_EQ(b, 2);
  EXPECT_THAT(log.Take(), ElementsAre(HasSubstr("cnrtMalloc: pointer is NULL"),
                                      HasSubstr("cnrtHostMalloc: pointer is NULL"),
                                      HasSubstr("cnrtMemset: pointer is NULL"),
                                      HasSubstr("cnrtMemcpy: dst is NULL"),
                                      HasSubstr("cnrtMemcpy: src is NULL"),
                                      HasSubstr("cnrtMemcpy: direction is 6; it must be 0 to 5"),
                                      HasSubstr("cnrtMemcpyAsync: dst is NULL"),
                                      HasSubstr("cnrtMemcpyAsync: src is NULL"),
                                      HasSubstr("cnrtMemcpyAsync: direction is 6")));
}

TEST(MemsetAsync, FillsInQueueOrder) {
  cnrtQueue_t queue;
  ASSERT_EQ(cnrtQueueCreate(&queue), cnrtSuccess);
  std::vector<unsigned char> bytes(6, 1);
  std::vector<unsigned char> copy(6);
  EXPECT_EQ(cnrtMemsetAsync(bytes.data() + 1, 0x1FF, 3, queue), cnrtSuccess);
  EXPECT_EQ(cnrtMemcpyAsync(copy.data(), bytes.data(), 6, queue, cnrtMemcpyDevToHost), cnrtSuccess);
  EXPECT_EQ(cnrtMemsetAsync(bytes.data(), 2, 6, queue), cnrtSuccess);
  EXPECT_EQ(cnrtQueueSync(queue), cnrtSuccess);
  EXPECT_THAT(copy, ElementsAre(1, 0xFF, 0xFF, 0xFF, 1, 1));
  EXPECT_THAT(bytes, testing::Each(2));
  EXPECT_EQ(cnrtMemsetAsync(bytes.data(), 3, 6, nullptr), cnrtSuccess);
  EXPECT_THAT(bytes, testing::Each(3));
  EXPECT_EQ(cnrtMemsetAsync(nullptr, 0, 0, queue), cnrtSuccess);
  LogCapture log;
  EXPECT_EQ(cnrtMemsetAsync(nullptr, 0, 1, queue), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtMemsetAsync(nullptr, 0, 1, nullptr), cnrtErrorArgsInvalid);
  EXPECT_THAT(log.Take(), ElementsAre(HasSubstr("cnrtMemsetAsync: pointer is NULL"),
                                      HasSubstr("cnrtMemsetAsync: pointer is NULL")));
  EXPECT_EQ(cnrtQueueDestroy(queue), cnrtSuccess);
}

TEST(MemGetInfo, ReturnsTheMemoryOfTheMachine) {
  size_t free = 0;
  size_t total = 0;
  ASSERT_EQ(cnrtMemGetInfo(&free, &total), cnrtSuccess);
  EXPECT_GT(free, size_t{1} << 20);
  EXPECT_GT(total, free);
  const auto pages = static_cast<size_t>(sysconf(_SC_PHYS_PAGES));
  EXPECT_EQ(total, pages * static_cast<size_t>(sysconf(_SC_PAGESIZE)));
  LogCapture log;
  EXPECT_EQ(cnrtMemGetInfo(nullptr, &total), cnrtErrorArgsInvalid);
  EXPECT_EQ(cnrtMemGetInfo(&free, nullptr), cnrtErrorArgsInvalid);
  EXPECT_THAT(log.Take(), ElementsAre(HasSubstr("cnrtMemGetInfo: free is NULL"),
                                      HasSubstr("cnrtMemGetInfo: total is NULL")));
}

}  // namespace
}  // namespace detops
