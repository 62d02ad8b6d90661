// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Random sequences of calls of the core, runtime and operator API with random arguments. A call
// that is refused must say why and change nothing; what is accepted must come back from the
// getters.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "measure/fuzz_bytes.h"
#include "mlu_op.h"
#include "tests/api_fuzz_operators.h"

namespace {

using detops::FuzzBytes;
using detops::Require;

// Rarely null.
template <class Pointer>
Pointer OrNull(FuzzBytes& bytes, Pointer pointer) {
  return bytes.TakeInRange(0, 31) == 1 ? nullptr : pointer;
}

// Checks a call that fails only for `is_wrong`, and says why.
void Expect(const char* function, mluOpStatus_t status, bool is_wrong) {
  Require(status == (is_wrong ? MLUOP_STATUS_BAD_PARAM : MLUOP_STATUS_SUCCESS), function);
  if (is_wrong) {
    detops::RequireReason(function);
  }
}

void Expect(const char* function, cnrtRet_t result, bool is_wrong,
            cnrtRet_t error = cnrtErrorArgsInvalid) {
  Require(result == (is_wrong ? error : cnrtSuccess), function);
  if (is_wrong) {
    detops::RequireReason(function);
  }
}

// ---- Descriptors --------------------------------------------------------------------------------

struct Shape {
  mluOpTensorLayout_t layout;
  mluOpDataType_t dtype;
  int rank;
  int64_t dims[MLUOP_DIM_MAX];
  int64_t strides[MLUOP_DIM_MAX];
};

bool operator==(const Shape& a, const Shape& b) {
  return a.layout == b.layout && a.dtype == b.dtype && a.rank == b.rank &&
         std::equal(a.dims, a.dims + a.rank, b.dims) &&
         std::equal(a.strides, a.strides + a.rank, b.strides);
}

Shape Read(mluOpTensorDescriptor_t desc) {
  Shape shape{};
  Require(mluOpGetTensorDescriptorEx_v2(desc, &shape.layout, &shape.dtype, &shape.rank, shape.dims,
                                        shape.strides) == MLUOP_STATUS_SUCCESS,
          "a descriptor cannot be read");
  return shape;
}

// Dimensions are small, huge or negative, so that every kind of outcome is near.
int64_t TakeDimension(FuzzBytes& bytes) {
  const auto value = bytes.Take<int64_t>();
  switch (bytes.TakeInRange(0, 3)) {
    case 0:
      return value;
    case 1:
      return value & 0x7FFFFFFF;
    default:
      return value & 0xF;
  }
}

struct Arguments {
  mluOpTensorLayout_t layout;
  mluOpDataType_t dtype;
  int rank;
  int64_t dims[MLUOP_DIM_MAX + 1];
  int64_t strides[MLUOP_DIM_MAX + 1];
  int narrow_dims[MLUOP_DIM_MAX + 1];
  int narrow_strides[MLUOP_DIM_MAX + 1];
};

Arguments TakeArguments(FuzzBytes& bytes, bool narrow) {
  Arguments given{};
  given.layout = static_cast<mluOpTensorLayout_t>(bytes.TakeInRange(-1, 12));
  given.dtype = static_cast<mluOpDataType_t>(bytes.TakeInRange(-1, 19));
  given.rank = bytes.TakeInRange(-1, MLUOP_DIM_MAX + 1);
  for (int i = 0; i < given.rank; ++i) {
    given.narrow_dims[i] = static_cast<int>(TakeDimension(bytes));
    given.narrow_strides[i] = bytes.Take<int>();
    given.dims[i] = narrow ? given.narrow_dims[i] : TakeDimension(bytes);
    given.strides[i] = narrow ? given.narrow_strides[i] : bytes.Take<int64_t>();
  }
  return given;
}

enum class Setter { kPlain, kStrides, kDimensions };

std::pair<const char*, mluOpStatus_t> Set(mluOpTensorDescriptor_t desc, Setter setter, bool narrow,
                                          const Arguments& given) {
  const auto [layout, dtype, rank] = std::tuple(given.layout, given.dtype, given.rank);
  switch (setter) {
    case Setter::kPlain:
      return narrow
                 ? std::pair("mluOpSetTensorDescriptor",
                             mluOpSetTensorDescriptor(desc, layout, dtype, rank, given.narrow_dims))
                 : std::pair("mluOpSetTensorDescriptor_v2",
                             mluOpSetTensorDescriptor_v2(desc, layout, dtype, rank, given.dims));
    case Setter::kStrides:
      return narrow ? std::pair("mluOpSetTensorDescriptorEx",
                                mluOpSetTensorDescriptorEx(desc, layout, dtype, rank,
                                                           given.narrow_dims, given.narrow_strides))
                    : std::pair("mluOpSetTensorDescriptorEx_v2",
                                mluOpSetTensorDescriptorEx_v2(desc, layout, dtype, rank, given.dims,
                                                              given.strides));
    default:
      return narrow ? std::pair("mluOpSetTensorDescriptorDim",
                                mluOpSetTensorDescriptorDim(desc, rank, given.narrow_dims))
                    : std::pair("mluOpSetTensorDescriptorDim_v2",
                                mluOpSetTensorDescriptorDim_v2(desc, rank, given.dims));
  }
}

// The getters with numbers of 32 bits give the same, or nothing at all.
void CompareNarrowGetters(mluOpTensorDescriptor_t desc, const Shape& shape) {
  const auto fits = [&](const int64_t* numbers) {
    return std::all_of(numbers, numbers + shape.rank,
                       [](int64_t number) { return static_cast<int>(number) == number; });
  };
  Shape narrow{};
  int dims[MLUOP_DIM_MAX];
  int strides[MLUOP_DIM_MAX];
  const auto same = [&] {
    return narrow.layout == shape.layout && narrow.dtype == shape.dtype &&
           narrow.rank == shape.rank && std::equal(dims, dims + shape.rank, shape.dims);
  };
  const mluOpStatus_t status =
      mluOpGetTensorDescriptor(desc, &narrow.layout, &narrow.dtype, &narrow.rank, dims);
  Expect("mluOpGetTensorDescriptor", status, !fits(shape.dims));
  Require(status != MLUOP_STATUS_SUCCESS || same(), "a dimension was cut");
  const mluOpStatus_t status_ex =
      mluOpGetTensorDescriptorEx(desc, &narrow.layout, &narrow.dtype, &narrow.rank, dims, strides);
  Expect("mluOpGetTensorDescriptorEx", status_ex, !fits(shape.dims) || !fits(shape.strides));
  Require(status_ex != MLUOP_STATUS_SUCCESS ||
              (same() && std::equal(strides, strides + shape.rank, shape.strides)),
          "a stride was cut");
}

void SetDescriptor(FuzzBytes& bytes, mluOpTensorDescriptor_t desc) {
  const Shape before = Read(desc);
  const bool narrow = bytes.TakeInRange(0, 1) != 0;
  const auto setter = static_cast<Setter>(bytes.TakeInRange(0, 2));
  const Arguments given = TakeArguments(bytes, narrow);
  const auto [function, status] = Set(desc, setter, narrow, given);
  const Shape after = Read(desc);
  if (status != MLUOP_STATUS_SUCCESS) {
    Expect(function, status, true);
    Require(before == after, "a refusal changed the descriptor");
    return;
  }
  Shape expected = before;
  expected.rank = given.rank;
  std::copy_n(given.dims, given.rank, expected.dims);
  std::copy_n(setter == Setter::kStrides ? given.strides : after.strides, given.rank,
              expected.strides);
  if (setter != Setter::kDimensions) {
    expected.layout = given.layout;
    expected.dtype = given.dtype;
  }
  Require(after == expected, "what was set did not come back");
  CompareNarrowGetters(desc, after);
}

void UseFixedPoint(FuzzBytes& bytes, mluOpTensorDescriptor_t desc) {
  const int position = bytes.Take<int>();
  const float scale = bytes.TakeFloat();
  const int offset = bytes.Take<int>();
  int got_position = 0;
  float got_scale = 0;
  int got_offset = 0;
  Expect("mluOpSetTensorDescriptorPosition", mluOpSetTensorDescriptorPosition(desc, ~position),
         false);
  Expect("mluOpGetTensorDescriptorPosition", mluOpGetTensorDescriptorPosition(desc, &got_position),
         false);
  Require(got_position == ~position, "the position did not come back");
  if (bytes.TakeInRange(0, 1) != 0) {
    Expect("mluOpSetTensorDescriptorPositionAndScale",
           mluOpSetTensorDescriptorPositionAndScale(desc, position, scale), false);
    Expect("mluOpGetTensorDescriptorPositionAndScale",
           mluOpGetTensorDescriptorPositionAndScale(desc, &got_position, &got_scale), false);
  } else {
    Expect("mluOpSetTensorDescriptorPositionScaleAndOffset",
           mluOpSetTensorDescriptorPositionScaleAndOffset(desc, position, scale, offset), false);
    Expect("mluOpGetTensorDescriptorPositionScaleAndOffset",
           mluOpGetTensorDescriptorPositionScaleAndOffset(desc, &got_position, &got_scale,
                                                          &got_offset),
           false);
    Require(got_offset == offset, "the offset did not come back");
  }
  Require(got_position == position &&
              (got_scale == scale || (std::isnan(got_scale) && std::isnan(scale))),
          "position or scale did not come back");
  Expect("mluOpGetTensorDescriptorPosition", mluOpGetTensorDescriptorPosition(desc, nullptr), true);
}

void UseDescriptorModes(FuzzBytes& bytes, mluOpTensorDescriptor_t desc) {
  const auto dtype = static_cast<mluOpDataType_t>(bytes.TakeInRange(-1, 19));
  mluOpDataType_t got_dtype{};
  size_t size = 0;
  const bool has_type = mluOpGetSizeOfDataType(dtype, &size) == MLUOP_STATUS_SUCCESS;
  Require(has_type == (size != 0), "a size of an unknown type");
  const bool is_known = has_type || dtype == MLUOP_DTYPE_INVALID;
  Expect("mluOpSetTensorDescriptorOnchipDataType",
         mluOpSetTensorDescriptorOnchipDataType(desc, dtype), !is_known);
  Expect("mluOpGetTensorDescriptorOnchipDataType",
         mluOpGetTensorDescriptorOnchipDataType(desc, &got_dtype), false);
  Require(!is_known || got_dtype == dtype, "the type did not come back");
  const int mode = bytes.TakeInRange(-1, 2);
  const bool is_wrong = mode < MLUOP_POINTER_MODE_HOST || mode > MLUOP_POINTER_MODE_DEVICE;
  mluOpPointerMode_t got_mode{};
  Expect("mluOpSetTensorDescriptorPointerMode",
         mluOpSetTensorDescriptorPointerMode(desc, static_cast<mluOpPointerMode_t>(mode)),
         is_wrong);
  Expect("mluOpGetTensorDescriptorPointerMode",
         mluOpGetTensorDescriptorPointerMode(desc, &got_mode), false);
  Require(is_wrong || got_mode == mode, "the mode did not come back");
}

// All or none.
void UseGroup(FuzzBytes& bytes) {
  constexpr int kMost = 4;
  mluOpTensorDescriptor_t descs[kMost] = {};
  mluOpTensorDescriptor_t* group[kMost] = {};
  mluOpTensorLayout_t layouts[kMost];
  mluOpDataType_t dtypes[kMost];
  int ranks[kMost];
  int dims[kMost][2];
  const int count = bytes.TakeInRange(-1, kMost);
  bool is_wrong = count <= 0;
  for (int i = 0; i < kMost; ++i) {
    group[i] = OrNull(bytes, &descs[i]);
    is_wrong = is_wrong || (i < count && group[i] == nullptr);
    layouts[i] = MLUOP_LAYOUT_ARRAY;
    dtypes[i] = static_cast<mluOpDataType_t>(bytes.TakeInRange(1, 2));
    ranks[i] = 2;
    dims[i][0] = bytes.TakeInRange(0, 9);
    dims[i][1] = bytes.TakeInRange(-1, 250);
  }
  Expect("mluOpCreateGroupTensorDescriptors", mluOpCreateGroupTensorDescriptors(group, count),
         is_wrong);
  if (is_wrong) {
    Require(std::all_of(descs, descs + kMost, [](auto* desc) { return desc == nullptr; }),
            "a part of a group was created");
    return;
  }
  const bool is_negative =
      std::any_of(dims, dims + count, [](const auto& shape) { return shape[1] < 0; });
  Expect("mluOpSetGroupTensorDescriptors",
         mluOpSetGroupTensorDescriptors(group, layouts, dtypes, ranks, dims[0], count),
         is_negative);
  for (int i = 0; i < count; ++i) {
    const auto elements = is_negative ? 0 : static_cast<size_t>(dims[i][0] * dims[i][1]);
    Require(mluOpGetTensorElementNum(descs[i]) == elements, "a group is not set as a whole");
  }
  Expect("mluOpDestroyGroupTensorDescriptors", mluOpDestroyGroupTensorDescriptors(group, count),
         false);
}

// ---- Handles and the runtime --------------------------------------------------------------------

template <class Mode, class Set, class Get>
void UseMode(const char* function, mluOpHandle_t handle, int mode, int first, int last, Set set,
             Get get) {
  Mode before{};
  Mode after{};
  Require(get(handle, &before) == MLUOP_STATUS_SUCCESS, "a mode cannot be read");
  const bool is_wrong = mode < first || mode > last;
  Expect(function, set(handle, static_cast<Mode>(mode)), is_wrong);
  Require(get(handle, &after) == MLUOP_STATUS_SUCCESS &&
              after == (is_wrong ? before : static_cast<Mode>(mode)),
          "a mode did not come back");
}

void UseHandle(FuzzBytes& bytes, mluOpHandle_t handle) {
  const int threads =
      bytes.TakeInRange(0, 1) != 0 ? bytes.TakeInRange(0, 8) : bytes.Take<int16_t>();
  const bool is_wrong = threads < 0 || threads > 1024;
  int got = 0;
  Expect("detopsSetThreads", detopsSetThreads(handle, threads), is_wrong);
  Expect("detopsGetThreads", detopsGetThreads(handle, &got), false);
  Require(is_wrong || threads == 0 || got == threads, "threads did not come back");
  UseMode<mluOpQuantizeRoundMode_t>("mluOpSetQuantizeRoundMode", handle, bytes.TakeInRange(-1, 4),
                                    MLUOP_ROUND_HALF_TO_EVEN, MLUOP_ROUND_HALF_OFF_ZERO,
                                    mluOpSetQuantizeRoundMode, mluOpGetQuantizeRoundMode);
  UseMode<mluOpAtomicsMode_t>("mluOpSetAtomicsMode", handle, bytes.TakeInRange(-1, 4),
                              MLUOP_ATOMICS_NOT_ALLOWED, MLUOP_ATOMICS_ALLOWED, mluOpSetAtomicsMode,
                              mluOpGetAtomicsMode);
  Expect("mluOpUpdateContextInformation", mluOpUpdateContextInformation(handle), false);
}

// What is wrong with everything: no object.
void UseNothing(FuzzBytes& bytes) {
  float duration = 0;
  int number = 0;
  switch (bytes.TakeInRange(0, 19)) {
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
      return Require(mluOpGetTensorElementNum(nullptr) == 0, "elements of no descriptor");
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
    default:
      return Expect("mluOpGetSizeOfDataType", mluOpGetSizeOfDataType(MLUOP_DTYPE_HALF, nullptr),
                    true);
  }
}

void UseLibrary(FuzzBytes& bytes) {
  int major = -1;
  int minor = -1;
  mluOpGetLibVersion(OrNull(bytes, &major), OrNull(bytes, &minor), nullptr);
  Require(*mluOpGetErrorString(static_cast<mluOpStatus_t>(bytes.Take<int8_t>())) != '\0' &&
              *cnrtGetErrorStr(static_cast<cnrtRet_t>(bytes.Take<int8_t>())) != '\0',
          "a status without a name");
  int device = -1;
  unsigned int devices = 0;
  Expect("cnrtGetDeviceCount", cnrtGetDeviceCount(&devices), false);
  Expect("cnrtGetDevice", cnrtGetDevice(&device), false);
  Require(devices == 1 && device == 0, "there is one device");
  const int ordinal = bytes.TakeInRange(-1, 2);
  Expect("cnrtSetDevice", cnrtSetDevice(ordinal), ordinal != 0);
  const int level = bytes.TakeInRange(-1, 4);
  Expect("detopsSetLogLevel", detopsSetLogLevel(static_cast<detopsLogLevel_t>(level)),
         level < DETOPS_LOG_OFF || level > DETOPS_LOG_DEBUG);
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
    Require(memory == &untouched, "memory that there is not");
    return;
  }
  Require((memory == nullptr) == (size == 0) && reinterpret_cast<uintptr_t>(memory) % 64 == 0,
          "memory is not aligned");
  Expect("cnrtMemset", cnrtMemset(memory, bytes.Take<int>(), size), false);
  Expect("cnrtMemset", cnrtMemset(nullptr, 0, size), size != 0);
  const int direction = bytes.TakeInRange(-1, 4);
  std::vector<char> copy(size);
  Expect("cnrtMemcpy",
         cnrtMemcpy(copy.data(), memory, size, static_cast<cnrtMemTransDir_t>(direction)),
         direction < cnrtMemcpyHostToHost || direction > cnrtMemcpyDevToHost);
  Expect("cnrtMemcpy", cnrtMemcpy(copy.data(), nullptr, size, cnrtMemcpyHostToHost), size != 0);
  Expect(is_host ? "cnrtFreeHost" : "cnrtFree", is_host ? cnrtFreeHost(memory) : cnrtFree(memory),
         false);
}

// A few handles, queues and notifiers, which come and go while work is on its way.
class Session {
 public:
  explicit Session(FuzzBytes& bytes) : bytes_(bytes) {
    // Lines go nowhere, whatever the level.
    detopsSetLogSink([](detopsLogLevel_t, const char*, void*) {}, nullptr);
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
    constexpr size_t kMostBuffers = 200;
    if (memory_.size() > kMostBuffers) {
      FinishWork();
    }
    detops::CallOperator(bytes_, OrNull(bytes_, Any(handles_)), memory_);
  }

  // What jobs on queues found wrong with their data is right to be reported, by any of these.
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
    // No handle may submit to it any more.
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

  // With work in flight.
  void ReplaceHandle() {
    mluOpHandle_t& handle = Any(handles_);
    Expect("mluOpDestroy", mluOpDestroy(handle), false);
    Expect("mluOpCreate", mluOpCreate(&handle), false);
  }

  void ChooseQueue() {
    mluOpHandle_t handle = Any(handles_);
    cnrtQueue_t queue = Any(queues_);
    cnrtQueue_t used = nullptr;
    Expect("mluOpSetQueue", mluOpSetQueue(handle, queue), false);
    Expect("mluOpGetQueue", mluOpGetQueue(handle, &used), false);
    Require(used == queue, "the queue did not come back");
  }

  void ChooseTarget() {
    FinishWork();  // the target may not change while an operator runs
    const std::string names = detopsGetSimdTargets();
    const size_t begin = bytes_.Take<uint8_t>() % names.size();
    const std::string name = names.substr(begin, names.find(' ', begin) - begin);
    const bool is_whole = !name.empty() && (begin == 0 || names[begin - 1] == ' ');
    // A part of a name may be another name.
    const mluOpStatus_t status = detopsSetSimdTarget(name.c_str());
    Require(!is_whole || (status == MLUOP_STATUS_SUCCESS && detopsGetSimdTarget() == name),
            "a target cannot be chosen");
    Expect("detopsSetSimdTarget", status, status != MLUOP_STATUS_SUCCESS);
  }

  void Synchronize() {
    cnrtQueue_t queue = Any(queues_);
    if (bytes_.TakeInRange(0, 1) != 0) {
      const cnrtRet_t result = cnrtQueueQuery(queue);
      Require(
          result == cnrtErrorNotReady || result == cnrtSuccess || result == cnrtErrorArgsInvalid,
          "a queue cannot be asked");
      return;
    }
    ExpectDone(cnrtQueueSync(queue));
    Expect("cnrtQueueSync", cnrtQueueSync(queue), false);
    Expect("cnrtQueueQuery", cnrtQueueQuery(queue), false);
    if (bytes_.TakeInRange(0, 1) != 0) {
      FinishWork();
    }
  }

  // Copies that depend on each other, on a queue that may be destroyed before they ran.
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
                             static_cast<cnrtMemTransDir_t>(i % 4)),
             false);
    }
    Expect("cnrtMemcpyAsync",
           cnrtMemcpyAsync(nullptr, values.data(), sizeof(uint64_t), queue, cnrtMemcpyHostToHost),
           true);
    cnrtNotifier_t notifier = Any(notifiers_);
    Expect("cnrtPlaceNotifier", cnrtPlaceNotifier(notifier, queue), false);
    if (queue != nullptr) {
      Expect("cnrtQueueDestroy", cnrtQueueDestroy(queue), false);
    }
    Require(values[copies] == values[0], "a copy was lost");
    Expect("cnrtQueryNotifier", cnrtQueryNotifier(notifier), false);
  }

  void UseNotifiers() {
    cnrtNotifier_t start = Any(notifiers_);
    cnrtNotifier_t end = Any(notifiers_);
    if (bytes_.TakeInRange(0, 3) != 0) {
      Expect("cnrtPlaceNotifier", cnrtPlaceNotifier(start, Any(queues_)), false);
    }
    const cnrtRet_t asked = cnrtQueryNotifier(start);
    Require(asked == cnrtSuccess || asked == cnrtErrorNotReady, "a notifier cannot be asked");
    if (bytes_.TakeInRange(0, 1) != 0) {
      Expect("cnrtWaitNotifier", cnrtWaitNotifier(start), false);
      Expect("cnrtQueryNotifier", cnrtQueryNotifier(start), false);
    }
    float duration = -7;
    const cnrtRet_t result = cnrtNotifierDuration(start, end, &duration);
    Require(result == cnrtSuccess || duration == -7, "a duration of nothing");
    Require(result != cnrtSuccess || start != end || duration == 0, "no time lasts");
    if (bytes_.TakeInRange(0, 3) == 0) {
      cnrtNotifier_t& replaced = Any(notifiers_);
      Expect("cnrtNotifierDestroy", cnrtNotifierDestroy(replaced), false);
      Expect("cnrtNotifierCreate", cnrtNotifierCreate(&replaced), false);
    }
  }

  FuzzBytes& bytes_;
  std::array<mluOpHandle_t, 2> handles_{};
  std::array<cnrtQueue_t, 3> queues_{};  // null until created, which is a queue, too
  std::array<cnrtNotifier_t, 2> notifiers_{};
  mluOpTensorDescriptor_t desc_ = nullptr;
  detops::CallMemory memory_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzBytes bytes(data, size);
  Session session(bytes);
  while (!bytes.empty()) {
    session.Step();
  }
  return 0;
}
