// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Random sequences of API calls with random arguments: core, runtime and operators. A call that
// fails must give a reason and change nothing; what a setter accepts must be returned by the
// getter.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "measure/fuzz_bytes.h"
#include "mlu_op.h"
#include "tests/api_fuzz_checks.h"
#include "tests/api_fuzz_descriptors.h"
#include "tests/api_fuzz_operators.h"

namespace detops {
namespace {

template <class Mode, class Set, class Get>
void UseMode(const char* function, mluOpHandle_t handle, int mode, int first, int last, Set set,
             Get get) {
  auto before = static_cast<Mode>(first);
  auto after = static_cast<Mode>(first);
  Require(get(handle, &before) == MLUOP_STATUS_SUCCESS, "a mode cannot be read");
  const bool is_wrong = mode < first || mode > last;
  Expect(function, set(handle, static_cast<Mode>(mode)), is_wrong);
  Require(get(handle, &after) == MLUOP_STATUS_SUCCESS &&
              after == (is_wrong ? before : static_cast<Mode>(mode)),
          "the getter does not return the mode");
}

void UseHandle(FuzzBytes& bytes, mluOpHandle_t handle) {
  const int threads =
      bytes.TakeInRange(0, 1) != 0 ? bytes.TakeInRange(0, 8) : bytes.Take<int16_t>();
  const bool is_wrong = threads < 0 || threads > 1024;
  int got = 0;
  Expect("detopsSetThreads", detopsSetThreads(handle, threads), is_wrong);
  Expect("detopsGetThreads", detopsGetThreads(handle, &got), false);
  Require(is_wrong || threads == 0 || got == threads,
          "the getter does not return the number of threads");
  UseMode<mluOpQuantizeRoundMode_t>("mluOpSetQuantizeRoundMode", handle, bytes.TakeInRange(-1, 4),
                                    MLUOP_ROUND_HALF_TO_EVEN, MLUOP_ROUND_HALF_OFF_ZERO,
                                    mluOpSetQuantizeRoundMode, mluOpGetQuantizeRoundMode);
  UseMode<mluOpAtomicsMode_t>("mluOpSetAtomicsMode", handle, bytes.TakeInRange(-1, 4),
                              MLUOP_ATOMICS_NOT_ALLOWED, MLUOP_ATOMICS_ALLOWED, mluOpSetAtomicsMode,
                              mluOpGetAtomicsMode);
  Expect("mluOpUpdateContextInformation", mluOpUpdateContextInformation(handle), false);
}

// Passes NULL instead of an object, which every function must reject.
void UseNothing(FuzzBytes& bytes) {
  float duration = 0;
  int number = 0;
  switch (bytes.TakeInRange(0, 24)) {
    case 0:
      return Expect("mluOpCreate", mluOpCreate(nullptr), true);
    case 1:
      return Expect("mluOpDestroy", mluOpDestroy(nullptr), true);
    case 2:
      return Expect("mluOpSetQueue", mluOpSetQueue(nullptr, nullptr), true);
    case 3:
      return Expect("mluOpGetQueue", mluOpGetQueue(nullptr, nullptr), true);
    case 4:
      return Expect("mluOpUpdateContextInformation", mluOpUpdateContextInformation(nullptr), true);
    case 5:
      return Expect("mluOpCreateTensorDescriptor", mluOpCreateTensorDescriptor(nullptr), true);
    case 6:
      return Expect("mluOpDestroyTensorDescriptor", mluOpDestroyTensorDescriptor(nullptr), true);
    case 7:
      return Expect("mluOpResetTensorDescriptor", mluOpResetTensorDescriptor(nullptr), true);
    case 8:
      return Require(mluOpGetTensorElementNum(nullptr) == 0, "NULL has elements");
    case 9:
      return Expect("cnrtQueueCreate", cnrtQueueCreate(nullptr), true);
    case 10:
      return Expect("cnrtQueueDestroy", cnrtQueueDestroy(nullptr), true, cnrtErrorQueueInvalid);
    case 11:
      return Expect("cnrtNotifierCreate", cnrtNotifierCreate(nullptr), true);
    case 12:
      return Expect("cnrtNotifierDestroy", cnrtNotifierDestroy(nullptr), true);
    case 13:
      return Expect("cnrtPlaceNotifier", cnrtPlaceNotifier(nullptr, nullptr), true);
    case 14:
      return Expect("cnrtWaitNotifier", cnrtWaitNotifier(nullptr), true);
    case 15:
      return Expect("cnrtQueryNotifier", cnrtQueryNotifier(nullptr), true);
    case 16:
      return Expect("cnrtNotifierDuration", cnrtNotifierDuration(nullptr, nullptr, &duration),
                    true);
    case 17:
      return Expect("detopsSetThreads", detopsSetThreads(nullptr, 1), true);
    case 18:
      return Expect("detopsGetThreads", detopsGetThreads(nullptr, &number), true);
    case 19:
      return Expect("cnrtNotifierElapsedTime", cnrtNotifierElapsedTime(nullptr, nullptr, &duration),
                    true);
    case 20:
      return Expect("cnrtNotifierCreateWithFlags", cnrtNotifierCreateWithFlags(nullptr, 0), true);
    case 21:
      return Expect("cnrtQueueWaitNotifier", cnrtQueueWaitNotifier(nullptr, nullptr, 0), true);
    case 22:
      return Expect("cnrtInvokeHostFunc", cnrtInvokeHostFunc(nullptr, nullptr, nullptr), true);
    case 23:
      return Expect("cnrtMemGetInfo", cnrtMemGetInfo(nullptr, nullptr), true);
    default:
      return Expect("mluOpGetSizeOfDataType", mluOpGetSizeOfDataType(MLUOP_DTYPE_HALF, nullptr),
                    true);
  }
}

// Calls are recorded from now on: printed to the log, which is discarded, or written to a folder
// that cannot exist.
void UseRecording(FuzzBytes& bytes) {
  mluOpSetGenCaseMode(bytes.TakeInRange(-1, 4));
  const bool is_null = bytes.TakeInRange(0, 1) != 0;
  Expect("mluOpSetGenCaseDirectory",
         mluOpSetGenCaseDirectory(is_null ? nullptr : "/dev/null/cases"), is_null);
  char buffer[32];
  const auto size = static_cast<size_t>(bytes.TakeInRange(0, sizeof(buffer)));
  size_t length = 0;
  mluOpStatus_t status = MLUOP_STATUS_SUCCESS;
  const char* const path = mluOpGetGenCaseDirectory(buffer, size, OrNull(bytes, &length), &status);
  Expect("mluOpGetGenCaseDirectory", status, path == nullptr);
  Require(path == nullptr || (path == buffer && std::strlen(path) < size), "a path is too long");
}

void UseLibrary(FuzzBytes& bytes) {
  int major = -1;
  int minor = -1;
  mluOpGetLibVersion(OrNull(bytes, &major), OrNull(bytes, &minor), nullptr);
  Require(*mluOpGetErrorString(static_cast<mluOpStatus_t>(bytes.Take<int8_t>())) != '\0' &&
              *cnrtGetErrorStr(static_cast<cnrtRet_t>(bytes.Take<int8_t>())) != '\0' &&
              *cnrtGetErrorName(static_cast<cnrtRet_t>(bytes.Take<int>())) != '\0',
          "a status has no name");
  int device = -1;
  unsigned int devices = 0;
  Expect("cnrtGetDeviceCount", cnrtGetDeviceCount(&devices), false);
  Expect("cnrtGetDevice", cnrtGetDevice(&device), false);
  Require(devices == 1 && device == 0, "there must be one device");
  const int ordinal = bytes.TakeInRange(-1, 2);
  cnrtGetLastError();
  Expect("cnrtSetDevice", cnrtSetDevice(ordinal), ordinal != 0);
  Require(cnrtPeekAtLastError() == (ordinal != 0 ? cnrtErrorArgsInvalid : cnrtSuccess) &&
              cnrtGetLastError() == (ordinal != 0 ? cnrtErrorArgsInvalid : cnrtSuccess) &&
              cnrtGetLastError() == cnrtSuccess,
          "the last error is wrong");
  const int level = bytes.TakeInRange(-1, 4);
  Expect("detopsSetLogLevel", detopsSetLogLevel(static_cast<detopsLogLevel_t>(level)),
         level < DETOPS_LOG_OFF || level > DETOPS_LOG_DEBUG);
  UseRecording(bytes);
}

void UseMemory(FuzzBytes& bytes) {
  constexpr size_t kSizes[] = {0, 1, 63, 64, 4097, SIZE_MAX / 2 + 1, SIZE_MAX - 62, SIZE_MAX};
  const size_t size = kSizes[bytes.TakeInRange(0, 7)];
  const bool is_host = bytes.TakeInRange(0, 1) != 0;
  char untouched = 0;
  void* memory = &untouched;
  const cnrtRet_t result = is_host ? cnrtHostMalloc(&memory, size) : cnrtMalloc(&memory, size);
  const bool is_huge = size > SIZE_MAX / 2;
  Expect(is_host ? "cnrtHostMalloc" : "cnrtMalloc", result, is_huge, cnrtErrorNoMem);
  if (is_huge) {
    Require(memory == &untouched, "a failed allocation returned memory");
    return;
  }
  Require((memory == nullptr) == (size == 0) && reinterpret_cast<uintptr_t>(memory) % 64 == 0,
          "memory is null or not aligned");
  Expect("cnrtMemset", cnrtMemset(memory, bytes.Take<int>(), size), false);
  Expect("cnrtMemset", cnrtMemset(nullptr, 0, size), size != 0);
  Expect("cnrtMemsetAsync", cnrtMemsetAsync(nullptr, 0, size, nullptr), size != 0);
  size_t free = 0;
  size_t total = 0;
  Expect("cnrtMemGetInfo", cnrtMemGetInfo(&free, &total), false);
  Require(free <= total && total != 0, "the size of the memory is wrong");
  const int direction = bytes.TakeInRange(-1, 6);
  std::vector<char> copy(size);
  Expect("cnrtMemcpy",
         cnrtMemcpy(copy.data(), memory, size, static_cast<cnrtMemTransDir_t>(direction)),
         direction < cnrtMemcpyHostToDev || direction > cnrtMemcpyNoDirection);
  Expect("cnrtMemcpy", cnrtMemcpy(copy.data(), nullptr, size, cnrtMemcpyHostToHost), size != 0);
  Expect(is_host ? "cnrtFreeHost" : "cnrtFree", is_host ? cnrtFreeHost(memory) : cnrtFree(memory),
         false);
}

// A few handles, queues and notifiers that are created and destroyed while jobs are pending.
class Session {
 public:
  explicit Session(FuzzBytes& bytes) : bytes_(bytes) {
    // Discards the log at any level.
    detopsSetLogSink([](detopsLogLevel_t, const char*, void*) {}, nullptr);
    // The default is a folder that can be written.
    Expect("mluOpSetGenCaseDirectory", mluOpSetGenCaseDirectory("/dev/null/cases"), false);
    for (auto& handle : handles_) {
      Expect("mluOpCreate", mluOpCreate(&handle), false);
    }
    for (auto& notifier : notifiers_) {
      Expect("cnrtNotifierCreate", cnrtNotifierCreate(&notifier), false);
    }
    Expect("mluOpCreateTensorDescriptor", mluOpCreateTensorDescriptor(&desc_), false);
  }

  ~Session() {
    for (auto*& queue : queues_) {
      DestroyQueue(queue);
    }
    for (auto& handle : handles_) {
      Expect("mluOpDestroy", mluOpDestroy(handle), false);
    }
    for (auto& notifier : notifiers_) {
      Expect("cnrtNotifierDestroy", cnrtNotifierDestroy(notifier), false);
    }
    Expect("mluOpDestroyTensorDescriptor", mluOpDestroyTensorDescriptor(desc_), false);
    mluOpSetGenCaseMode(0);
    detopsSetLogSink(nullptr, nullptr);
    detopsSetLogLevel(DETOPS_LOG_OFF);
    detopsSetSimdTarget(nullptr);
  }

  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void Step() {
    switch (bytes_.TakeInRange(0, 23)) {
      case 0:
        return UseQueue();
      case 1:
        return UseHandle(bytes_, Any(handles_));
      case 2:
        return Expect("mluOpResetTensorDescriptor", mluOpResetTensorDescriptor(desc_), false);
      case 3:
        return UseFixedPoint(bytes_, desc_);
      case 4:
        return UseDescriptorModes(bytes_, desc_);
      case 5:
        return UseGroup(bytes_);
      case 6:
        return UseNothing(bytes_);
      case 7:
        return UseLibrary(bytes_);
      case 8:
        return UseMemory(bytes_);
      case 9:
        return UseNotifiers();
      case 10:
        return ReplaceHandle();
      case 11:
        return ReplaceQueue();
      case 12:
        return ChooseTarget();
      case 13:
        return ChooseQueue();
      case 14:
        return Synchronize();
      case 15:
      case 16:
      case 17:
      case 18:
      case 19:
        return CallOperator();
      case 20:
        return PassForgedObjects();
      default:
        return SetDescriptor(bytes_, desc_);
    }
  }

 private:
  template <class Objects>
  typename Objects::value_type& Any(Objects& objects) {
    return objects[static_cast<size_t>(
        bytes_.TakeInRange(0, static_cast<int>(objects.size()) - 1))];
  }

  void CallOperator() {
    constexpr size_t kMaxBuffers = 200;
    if (memory_.size() > kMaxBuffers) {
      FinishWork();
    }
    detops::CallOperator(bytes_, OrNull(bytes_, Any(handles_)), memory_);
  }

  // Any of the waiting functions may report errors that jobs found in their data.
  static void ExpectDone(cnrtRet_t result) {
    Require(result == cnrtSuccess || result == cnrtErrorArgsInvalid, "a queue failed");
  }

  void FinishWork() {
    ExpectDone(cnrtSyncDevice());
    Expect("cnrtSyncDevice", cnrtSyncDevice(), false);
    memory_.clear();
  }

  void DestroyQueue(cnrtQueue_t& queue) {
    if (queue == nullptr) {
      return;
    }
    ExpectDone(cnrtQueueDestroy(queue));
    Expect("cnrtQueueDestroy", cnrtQueueDestroy(queue), true);
    Expect("cnrtQueueSync", cnrtQueueSync(queue), true);
    // Operators refuse handles that have it.
    for (auto& handle : handles_) {
      cnrtQueue_t used = nullptr;
      Expect("mluOpGetQueue", mluOpGetQueue(handle, &used), false);
      if (used == queue) {
        Expect("mluOpSetQueue", mluOpSetQueue(handle, nullptr), false);
      }
    }
    queue = nullptr;
  }

  void ReplaceQueue() {
    cnrtQueue_t& queue = Any(queues_);
    DestroyQueue(queue);
    Expect("cnrtQueueCreate", cnrtQueueCreate(&queue), false);
  }

  // Jobs of the handle may be pending.
  void ReplaceHandle() {
    mluOpHandle_t& handle = Any(handles_);
    Expect("mluOpDestroy", mluOpDestroy(handle), false);
    Expect("mluOpDestroy", mluOpDestroy(handle), true);
    Expect("mluOpCreate", mluOpCreate(&handle), false);
  }

  // Values that no function returned. A marked value is the most similar to a real one.
  void PassForgedObjects() {
    const auto bits = bytes_.Take<uint64_t>();
    const bool is_marked = bytes_.TakeInRange(0, 1) != 0;
    const uint64_t mark = uint64_t{0xD} << 60;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): no function may dereference it.
    void* const forged = reinterpret_cast<void*>(is_marked ? bits | mark : bits & ~mark);
    // Almost every marked value is forged, too; those of live objects are left alone.
    const auto is_known = [&](const void* object) { return object == forged; };
    if (forged == nullptr || std::any_of(handles_.begin(), handles_.end(), is_known) ||
        std::any_of(queues_.begin(), queues_.end(), is_known) || is_known(desc_)) {
      return;
    }
    Expect("mluOpDestroy", mluOpDestroy(static_cast<mluOpHandle_t>(forged)), true);
    Expect("mluOpSetQueue", mluOpSetQueue(handles_[0], static_cast<cnrtQueue_t>(forged)), true);
    Expect("mluOpResetTensorDescriptor",
           mluOpResetTensorDescriptor(static_cast<mluOpTensorDescriptor_t>(forged)), true);
  }

  void ChooseQueue() {
    mluOpHandle_t handle = Any(handles_);
    cnrtQueue_t queue = Any(queues_);
    cnrtQueue_t used = nullptr;
    Expect("mluOpSetQueue", mluOpSetQueue(handle, queue), false);
    Expect("mluOpGetQueue", mluOpGetQueue(handle, &used), false);
    Require(used == queue, "the getter does not return the queue");
  }

  void ChooseTarget() {
    FinishWork();  // the target must not change while an operator runs
    const std::string names = detopsGetSimdTargets();
    const size_t begin = bytes_.Take<uint8_t>() % names.size();
    const std::string name = names.substr(begin, names.find(' ', begin) - begin);
    const bool is_whole = !name.empty() && (begin == 0 || names[begin - 1] == ' ');
    // A part of a name may be the name of another target.
    const mluOpStatus_t status = detopsSetSimdTarget(name.c_str());
    Require(!is_whole || (status == MLUOP_STATUS_SUCCESS && detopsGetSimdTarget() == name),
            "a target cannot be set");
    Expect("detopsSetSimdTarget", status, status != MLUOP_STATUS_SUCCESS);
  }

  void Synchronize() {
    cnrtQueue_t queue = Any(queues_);
    if (bytes_.TakeInRange(0, 1) != 0) {
      const cnrtRet_t result = cnrtQueueQuery(queue);
      Require(
          result == cnrtErrorNotReady || result == cnrtSuccess || result == cnrtErrorArgsInvalid,
          "a queue cannot be queried");
      return;
    }
    ExpectDone(cnrtQueueSync(queue));
    Expect("cnrtQueueSync", cnrtQueueSync(queue), false);
    Expect("cnrtQueueQuery", cnrtQueueQuery(queue), false);
    if (bytes_.TakeInRange(0, 1) != 0) {
      FinishWork();
    }
  }

  // Submits copies that depend on each other to a queue that may be destroyed before they ran.
  void UseQueue() {
    cnrtQueue_t queue = nullptr;
    if (bytes_.TakeInRange(0, 3) != 0) {
      Expect("cnrtQueueCreate", cnrtQueueCreate(&queue), false);
    }
    std::array<uint64_t, 8> values{bytes_.Take<uint64_t>()};
    const auto copies = static_cast<size_t>(bytes_.TakeInRange(0, 7));
    for (size_t i = 0; i < copies; ++i) {
      Expect("cnrtMemcpyAsync",
             cnrtMemcpyAsync(&values[i + 1], &values[i], sizeof(uint64_t), queue,
                             static_cast<cnrtMemTransDir_t>(i % 6)),
             false);
    }
    Expect("cnrtMemcpyAsync",
           cnrtMemcpyAsync(nullptr, values.data(), sizeof(uint64_t), queue, cnrtMemcpyHostToHost),
           true);
    int calls = 0;
    const cnrtHostFn_t count = [](void* calls_so_far) { ++*static_cast<int*>(calls_so_far); };
    Expect("cnrtInvokeHostFunc", cnrtInvokeHostFunc(queue, count, &calls), false);
    std::array<unsigned char, 3> filled{};
    Expect("cnrtMemsetAsync", cnrtMemsetAsync(filled.data(), 7, filled.size(), queue), false);
    cnrtNotifier_t notifier = Any(notifiers_);
    Expect("cnrtPlaceNotifier", cnrtPlaceNotifier(notifier, queue), false);
    if (queue != nullptr) {
      Expect("cnrtQueueDestroy", cnrtQueueDestroy(queue), false);
    }
    Require(values[copies] == values[0], "a copy is missing");
    Require(calls == 1 && filled == std::array<unsigned char, 3>{7, 7, 7}, "a job is missing");
    Expect("cnrtQueryNotifier", cnrtQueryNotifier(notifier), false);
  }

  void UseNotifiers() {
    cnrtNotifier_t start = Any(notifiers_);
    cnrtNotifier_t end = Any(notifiers_);
    if (bytes_.TakeInRange(0, 3) != 0) {
      Expect("cnrtPlaceNotifier", cnrtPlaceNotifier(start, Any(queues_)), false);
    }
    const auto flags = static_cast<unsigned int>(bytes_.TakeInRange(0, 3) / 3);
    Expect("cnrtQueueWaitNotifier", cnrtQueueWaitNotifier(end, Any(queues_), flags), flags != 0);
    const cnrtRet_t asked = cnrtQueryNotifier(start);
    Require(asked == cnrtSuccess || asked == cnrtErrorNotReady, "a notifier cannot be queried");
    if (bytes_.TakeInRange(0, 1) != 0) {
      Expect("cnrtWaitNotifier", cnrtWaitNotifier(start), false);
      Expect("cnrtQueryNotifier", cnrtQueryNotifier(start), false);
    }
    float duration = -7;
    const cnrtRet_t result = cnrtNotifierDuration(start, end, &duration);
    Require(result == cnrtSuccess || duration == -7, "a failed call wrote the duration");
    Require(result != cnrtSuccess || start != end || duration == 0,
            "the duration between a notifier and itself is not 0");
    const cnrtRet_t elapsed = cnrtNotifierElapsedTime(start, end, &duration);
    Require(
        elapsed == cnrtSuccess || elapsed == cnrtErrorNotReady || elapsed == cnrtErrorArgsInvalid,
        "the time between notifiers cannot be asked for");
    if (bytes_.TakeInRange(0, 3) == 0) {
      ReplaceNotifier();
    }
  }

  void ReplaceNotifier() {
    cnrtNotifier_t& notifier = Any(notifiers_);
    Expect("cnrtNotifierDestroy", cnrtNotifierDestroy(notifier), false);
    const auto flags = static_cast<unsigned int>(bytes_.TakeInRange(0, 9));
    cnrtNotifier_t created = nullptr;
    const bool is_known = (flags & ~6u) == 0;
    Expect("cnrtNotifierCreateWithFlags", cnrtNotifierCreateWithFlags(&created, flags), !is_known);
    if (!is_known) {
      Expect("cnrtNotifierCreate", cnrtNotifierCreate(&created), false);
    }
    notifier = created;
  }

  FuzzBytes& bytes_;
  std::array<mluOpHandle_t, 2> handles_{};
  std::array<cnrtQueue_t, 3> queues_{};  // NULL until created, which stands for no queue
  std::array<cnrtNotifier_t, 2> notifiers_{};
  mluOpTensorDescriptor_t desc_ = nullptr;
  CallMemory memory_;
};

}  // namespace
}  // namespace detops

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  detops::FuzzBytes bytes(data, size);
  detops::Session session(bytes);
  while (!bytes.empty()) {
    session.Step();
  }
  return 0;
}
