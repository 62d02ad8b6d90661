// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "core/live_objects.h"

#include <limits>
#include <new>

namespace detops {
namespace {

const char* NameOf(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::kHandle:
      return "handle";
    case ObjectKind::kTensorDescriptor:
      return "tensor descriptor";
    case ObjectKind::kQueue:
      return "queue";
    case ObjectKind::kNotifier:
      return "notifier";
  }
  return "object";
}

constexpr uint64_t kIndexMask = std::numeric_limits<uint32_t>::max();

}  // namespace

// Initialized at compile time: objects may be created before other static objects are.
constinit LiveObjects LiveObjects::process_;

uint64_t LiveObjects::Add(ObjectKind kind, void* object) {
  const uint32_t index = TakeSlot();
  Slot& slot = ExistingSlot(index);
  slot.object = object;
  slot.fork_count = ForkCount::Get();
  ++slot.generation;
  const uint64_t value = MakeValue(kind, slot.generation, index);
  slot.value.store(value, std::memory_order_release);
  return value;
}

void* LiveObjects::Remove(ObjectKind kind, uint64_t value) {
  Slot* const slot = value >> 56 == MarkedKind(kind) ? SlotOf(value) : nullptr;
  uint64_t expected = value;
  if (slot == nullptr ||
      !slot->value.compare_exchange_strong(expected, 0, std::memory_order_acq_rel)) {
    return nullptr;
  }
  void* const object = slot->object;
  if (slot->generation < kMaxGeneration) {
    PushFree(IndexOf(value));
  }
  return object;
}

uint32_t LiveObjects::TakeSlot() {
  uint64_t head = free_.load(std::memory_order_acquire);
  while ((head & kIndexMask) != 0) {
    const auto index = static_cast<uint32_t>((head & kIndexMask) - 1);
    const uint64_t next = ExistingSlot(index).next_free.load(std::memory_order_relaxed);
    const uint64_t changes = (head >> 32) + 1;
    if (free_.compare_exchange_weak(head, changes << 32 | next, std::memory_order_acq_rel,
                                    std::memory_order_acquire)) {
      return index;
    }
  }
  return TakeNewSlot();
}

uint32_t LiveObjects::TakeNewSlot() {
  uint32_t count = slot_count_.load(std::memory_order_relaxed);
  do {
    if (count == kMaxSlots) {
      throw std::bad_alloc();
    }
    std::atomic<Slot*>& chunk = chunks_[count / kChunkSlots];
    if (chunk.load(std::memory_order_acquire) == nullptr) {
      std::unique_ptr<Slot[]> slots(new Slot[kChunkSlots]);
      Slot* none = nullptr;
      if (chunk.compare_exchange_strong(none, slots.get(), std::memory_order_acq_rel)) {
        (void)slots.release();
      }
    }
  } while (!slot_count_.compare_exchange_weak(count, count + 1, std::memory_order_relaxed));
  return count;
}

void LiveObjects::PushFree(uint32_t index) {
  Slot& slot = ExistingSlot(index);
  uint64_t head = free_.load(std::memory_order_relaxed);
  uint64_t changed = 0;
  do {
    slot.next_free.store(static_cast<uint32_t>(head & kIndexMask), std::memory_order_relaxed);
    changed = ((head >> 32) + 1) << 32 | (uint64_t{index} + 1);
  } while (!free_.compare_exchange_weak(head, changed, std::memory_order_acq_rel,
                                        std::memory_order_relaxed));
}

Status NotLiveError(const char* argument, ObjectKind kind, const void* opaque) {
  if (opaque == nullptr) {
    return BadParam("{} is NULL; it must be a valid pointer", argument);
  }
  return BadParam("{} does not name a {}; it was destroyed or never was one", argument,
                  NameOf(kind));
}

Status InheritedError(const char* argument, ObjectKind kind, mluOpStatus_t code) {
  return {code, fmt::format("{} was created before this process was forked; a child of fork() must "
                            "create a {} of its own",
                            argument, NameOf(kind))};
}

}  // namespace detops
