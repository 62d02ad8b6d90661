// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The objects that the C API names by opaque values: handles, tensor descriptors, queues and
// notifiers. They are known while they live, so a call can refuse an object that was destroyed,
// that never existed, or that is of another kind.
//
// An opaque value is not an address. It holds the object's kind, a slot and the slot's generation,
// which changes each time the slot is used again. A slot stores the value of the object that lives
// in it: finding an object is a comparison with that value, without a lock. Slots are never freed.
// A destroy that races with a use in another thread stays undefined: the use may have found the
// object before.

#ifndef DETOPS_CORE_LIVE_OBJECTS_H_
#define DETOPS_CORE_LIVE_OBJECTS_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "core/fork.h"
#include "core/status.h"

namespace detops {

enum class ObjectKind : uint8_t { kHandle = 1, kTensorDescriptor, kQueue, kNotifier };

class LiveObjects {
 public:
  // 16 million uses per slot. A slot that has had all of them is not used again: no value repeats.
  static constexpr uint32_t kMaxGeneration = (uint32_t{1} << 24) - 1;

  // The objects of the process.
  static LiveObjects& Get() { return process_; }

  // Slots are not freed with it, so an instance must be static.
  constexpr LiveObjects() = default;
  LiveObjects(const LiveObjects&) = delete;
  LiveObjects& operator=(const LiveObjects&) = delete;

  // Adds an object and returns its value, which is never 0. Throws std::bad_alloc.
  uint64_t Add(ObjectKind kind, void* object);

  // Returns the object, or null when `value` does not name a live object of this kind.
  void* Find(ObjectKind kind, uint64_t value) const {
    if (value >> 56 == MarkedKind(kind)) [[likely]] {
      const Slot* const slot = SlotOf(value);
      if (slot != nullptr && slot->value.load(std::memory_order_acquire) == value) [[likely]] {
        return slot->object;
      }
    }
    return nullptr;
  }

  // Returns whether a live object was created before this process was forked.
  bool IsInherited(uint64_t value) const { return SlotOf(value)->fork_count != ForkCount::Get(); }

  // Removes an object and returns it, or returns null as Find does. When several threads remove the
  // same object, one of them gets it.
  void* Remove(ObjectKind kind, uint64_t value);

 private:
  // A power of two in size, so that finding one takes no multiplication.
  struct alignas(32) Slot {
    std::atomic<uint64_t> value{0};  // of the object that lives here; 0 for none
    void* object = nullptr;
    uint32_t generation = 0;
    std::atomic<uint32_t> next_free{0};  // index + 1 of the next free slot; 0 for none
    uint32_t fork_count = 0;             // when the object was created
  };

  // A value, from its highest bits: a mark and the kind (4 bits each), the generation (24 bits), a
  // zero, and the index of the slot (26 bits), which ends in five zeros: its low bits are an offset
  // in bytes. Because of the mark, no value is an address that a program can have.
  static constexpr uint32_t kMaxSlots = uint32_t{1} << 26;
  static constexpr uint64_t MarkedKind(ObjectKind kind) {
    return 0xD0 | static_cast<uint64_t>(kind);
  }
  static constexpr uint64_t MakeValue(ObjectKind kind, uint32_t generation, uint32_t index) {
    return MarkedKind(kind) << 56 | uint64_t{generation} << 32 | uint64_t{index} * sizeof(Slot);
  }
  static constexpr uint32_t IndexOf(uint64_t value) {
    return static_cast<uint32_t>(value / sizeof(Slot)) % kMaxSlots;
  }

  // Slots are allocated in chunks. A chunk of 32 KiB is allocated when the ones before it are full.
  static constexpr uint32_t kChunkSlots = 1024;
  static constexpr uint32_t kMaxChunks = kMaxSlots / kChunkSlots;

  // Returns the slot that a value names; null if it does not exist.
  Slot* SlotOf(uint64_t value) const {
    constexpr uint64_t kChunkBytes = kChunkSlots * sizeof(Slot);
    Slot* const slots = chunks_[value / kChunkBytes % kMaxChunks].load(std::memory_order_acquire);
    return slots != nullptr ? slots + value % kChunkBytes / sizeof(Slot) : nullptr;
  }
  Slot& ExistingSlot(uint32_t index) const {
    return chunks_[index / kChunkSlots].load(std::memory_order_acquire)[index % kChunkSlots];
  }

  uint32_t TakeSlot();
  uint32_t TakeNewSlot();
  void PushFree(uint32_t index);

  std::array<std::atomic<Slot*>, kMaxChunks> chunks_{};
  std::atomic<uint32_t> slot_count_{0};
  // The free slots are a stack: index + 1 of the first one below a count of changes, which keeps a
  // slot that was taken and put back meanwhile from being mistaken for an unchanged stack.
  std::atomic<uint64_t> free_{0};

  static LiveObjects process_;
};

// An object type names itself: `using Opaque = mluOpHandle_t` and `kKind`.

// Makes an object live and returns the opaque value that the C API passes around.
template <class Object>
typename Object::Opaque Register(std::unique_ptr<Object> object) {
  const uint64_t value = LiveObjects::Get().Add(Object::kKind, object.get());
  (void)object.release();
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an opaque value; nothing dereferences it.
  return reinterpret_cast<typename Object::Opaque>(value);
}

// Returns the object, or null.
template <class Object>
Object* Find(typename Object::Opaque opaque) {
  return static_cast<Object*>(
      LiveObjects::Get().Find(Object::kKind, reinterpret_cast<uint64_t>(opaque)));
}

// The error of a value that names no live object of this kind. `argument` is its name.
Status NotLiveError(const char* argument, ObjectKind kind, const void* opaque);

// For callers that do not know the type of the object.
inline bool IsLive(ObjectKind kind, const void* opaque) {
  return LiveObjects::Get().Find(kind, reinterpret_cast<uint64_t>(opaque)) != nullptr;
}

// Finds the object that an argument names.
template <class Object>
Status FindLive(const char* argument, typename Object::Opaque opaque, Object*& object) {
  object = Find<Object>(opaque);
  return object != nullptr ? Status() : NotLiveError(argument, Object::kKind, opaque);
}

// Returns whether a live object was created before this process was forked.
inline bool IsInherited(const void* opaque) {
  return LiveObjects::Get().IsInherited(reinterpret_cast<uint64_t>(opaque));
}

// The error of a queue or notifier that this process has inherited from its parent. `code` is the
// status that the caller's function returns for it.
Status InheritedError(const char* argument, ObjectKind kind, mluOpStatus_t code);

// Ends the life of the object that an argument names and hands it over. From now on every call
// refuses it.
template <class Object>
Status Unregister(const char* argument, typename Object::Opaque opaque,
                  std::unique_ptr<Object>& object) {
  object.reset(static_cast<Object*>(
      LiveObjects::Get().Remove(Object::kKind, reinterpret_cast<uint64_t>(opaque))));
  return object != nullptr ? Status() : NotLiveError(argument, Object::kKind, opaque);
}

// The same for objects with threads or locks. One that was inherited from the parent process cannot
// be destroyed: other threads of the parent may hold its locks. Its life ends, but it is not handed
// over (`object` stays null). The child never writes its memory, so it stays shared with the
// parent.
template <class Object>
Status UnregisterOwn(const char* argument, typename Object::Opaque opaque,
                     std::unique_ptr<Object>& object) {
  const bool is_inherited = Find<Object>(opaque) != nullptr && IsInherited(opaque);
  DETOPS_RETURN_IF_ERROR(Unregister(argument, opaque, object));
  if (is_inherited) {
    (void)object.release();
  }
  return {};
}

}  // namespace detops

#endif  // DETOPS_CORE_LIVE_OBJECTS_H_
