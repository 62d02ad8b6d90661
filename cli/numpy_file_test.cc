// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

#include "cli/numpy_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zip.h>

#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "cli/case.h"
#include "cli/test_folder.h"
#include "cli/test_numbers.h"
#include "core/half.h"

namespace detops::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Returns a .npy file of that version with this header.
std::string FileWith(const std::string& header, const std::string& data, char version = 1) {
  std::string file = "\x93NUMPY";
  file += version;
  file += '\0';
  for (size_t i = 0; i < (version == 1 ? 2u : 4u); ++i) {
    file += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  }
  return file + header + data;
}

std::string Header(const std::string& type, const std::string& shape,
                   const std::string& order = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

template <class T>
std::string BytesOf(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

const std::string kSixFloats = BytesOf<float>({1, 2, 3, 4, 5, 6});

std::string ReadError(const std::string& content) {
  const TestFolder folder;
  const std::string path = folder.Write("a.npy", content);
  const std::string error = UserErrorOf([&] { ReadArrays(path); });
  EXPECT_THAT(error, testing::StartsWith(path + ": "));
  return error.substr(std::min(path.size() + 2, error.size()));
}

Tensor ReadOne(const std::string& content) {
  const TestFolder folder;
  std::vector<Tensor> tensors = ReadArrays(folder.Write("a.npy", content));
  EXPECT_EQ(tensors.size(), 1u);
  return std::move(tensors.at(0));
}

TEST(ReadArrays, ReadsEveryVersionAndType) {
  for (const char version : {1, 2, 3}) {
    const Tensor floats = ReadOne(FileWith(Header("<f4", "(2, 3)"), kSixFloats, version));
    EXPECT_EQ(floats.id, "a");
    EXPECT_EQ(floats.dtype, MLUOP_DTYPE_FLOAT);
    EXPECT_EQ(floats.layout, MLUOP_LAYOUT_ARRAY);
    EXPECT_THAT(floats.dims, ElementsAre(2, 3));
    EXPECT_THAT(NumbersOf(floats, 6), ElementsAre(1, 2, 3, 4, 5, 6));
  }
  const Tensor halves =
      ReadOne(FileWith(Header("<f2", "(2,)"), BytesOf<uint16_t>({0x3C00, 0xC000})));
  EXPECT_EQ(halves.dtype, MLUOP_DTYPE_HALF);
  EXPECT_THAT(NumbersOf(halves, 2), ElementsAre(1, -2));
  const Tensor integers = ReadOne(FileWith(Header("<i4", "(1, 2)"), BytesOf<int32_t>({7, -8})));
  EXPECT_EQ(integers.dtype, MLUOP_DTYPE_INT32);
  EXPECT_THAT(NumbersOf(integers, 2), ElementsAre(7, -8));
}

TEST(ReadArrays, ReadsEveryValidHeader) {
  for (const char* type : {"=f4", "|f4", "f4"}) {
    EXPECT_EQ(ReadOne(FileWith(Header(type, "(6,)"), kSixFloats)).dtype, MLUOP_DTYPE_FLOAT);
  }
  EXPECT_THAT(
      ReadOne(FileWith(R"({"shape":(2,3),"fortran_order":False,"descr":"<f4"})", kSixFloats)).dims,
      ElementsAre(2, 3));
  EXPECT_THAT(ReadOne(FileWith(Header("<f4", "(2L, 3L)"), kSixFloats)).dims, ElementsAre(2, 3));
  const Tensor scalar = ReadOne(FileWith(Header("<f4", "()"), BytesOf<float>({5})));
  EXPECT_TRUE(scalar.dims.empty());
  EXPECT_THAT(NumbersOf(scalar, 1), ElementsAre(5));
  EXPECT_THAT(ReadOne(FileWith(Header("<f4", "(0, 4)"), "")).dims, ElementsAre(0, 4));
}

TEST(ReadArrays, FortranOrderOfOneLongDimensionIsCOrder) {
  EXPECT_THAT(ReadOne(FileWith(Header("<f4", "(1, 6)", "True"), kSixFloats)).dims,
              ElementsAre(1, 6));
  EXPECT_THAT(ReadError(FileWith(Header("<f4", "(2, 3)", "True"), kSixFloats)),
              "is in Fortran order; it must be in C order (convert with np.ascontiguousarray)");
}

TEST(ReadArrays, OtherTypesAreRefusedByName) {
  const auto error = [](const char* type) {
    return ReadError(FileWith(Header(type, "(1,)"), std::string(64, '\0')));
  };
  const std::string expected = "; it must be float32, float16 or int32 (convert with .astype(np.";
  EXPECT_EQ(error("<f8"), "has type float64" + expected + "float32))");
  EXPECT_EQ(error(">f4"), "has type big-endian float32" + expected + "float32))");
  EXPECT_EQ(error("<i8"), "has type int64" + expected + "int32))");
  EXPECT_EQ(error("|u1"), "has type uint8" + expected + "int32))");
  EXPECT_EQ(error("|b1"), "has type bool" + expected + "int32))");
  EXPECT_EQ(error("<c8"), "has type complex64" + expected + "float32))");
  EXPECT_EQ(error("<U5"), "has type 'U5'" + expected + "float32))");
  EXPECT_EQ(error("|O"), "has type 'O'" + expected + "float32))");
  EXPECT_EQ(error(""), "has type ''" + expected + "float32))");
  EXPECT_EQ(ReadError(FileWith("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }",
                               "1234")),
            "has a structured type; it must be float32, float16 or int32");
}

TEST(ReadArrays, SizesMustBeExact) {
  EXPECT_EQ(ReadError(FileWith(Header("<f4", "(7,)"), kSixFloats)),
            "is truncated: it has 24 of the 28 bytes of its data");
  EXPECT_EQ(ReadError(FileWith(Header("<f4", "(5,)"), kSixFloats)),
            "has data after the 20 bytes of float[5]");
  EXPECT_EQ(ReadError(FileWith(Header("<f4", "(1000, 1000)"), kSixFloats)),
            "is truncated: float[1000,1000] needs 4000000 bytes");
  const std::string whole = FileWith(Header("<f4", "(2, 3)"), kSixFloats);
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
    EXPECT_NE(ReadError(whole.substr(0, bytes)), "nothing was thrown") << bytes;
  }
}

TEST(ReadArrays, InvalidHeadersAreRefused) {
  const std::string invalid =
      "has an invalid header; it must be a dictionary of descr, fortran_order and shape, as NumPy "
      "writes it";
  for (const char* header :
       {"", "{}", "[]", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (6,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-6,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6, }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), 'shape': (6,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), 'more': 1, }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), } more",
        "{'descr': '<f4, 'fortran_order': False, 'shape': (6,), }"}) {
    EXPECT_EQ(ReadError(FileWith(header, kSixFloats)), invalid) << header;
  }
  EXPECT_EQ(ReadError(FileWith(Header("<f4", "(6,)"), kSixFloats, 4)),
            "has format version 4.0; it must be 1.0, 2.0 or 3.0");
  EXPECT_EQ(ReadError(FileWith(std::string(10'001, ' '), "")),
            "has a header of 10001 bytes; the limit is 10000");
  EXPECT_EQ(ReadError(std::string("\x93NUMPY\x02\0\xff\xff\xff\xff{", 13)),
            "has a header of 4294967295 bytes; the limit is 10000");
  EXPECT_EQ(ReadError("not an array at all"),
            "is not a NumPy array: it does not begin with \\x93NUMPY");
}

TEST(ReadArrays, ShapesThatTheLibraryRefusesAreRefused) {
  EXPECT_EQ(ReadError(FileWith(Header("<f4", "(1,1,1,1,1,1,1,1,6)"), kSixFloats)),
            "has 9 dimensions; at most 8 are supported");
  EXPECT_EQ(ReadError(FileWith(Header("<f4", "(2147483648,)"), kSixFloats)),
            "has 2147483648 elements; it must have fewer than 2^31");
  EXPECT_THAT(ReadError(FileWith(Header("<f4", "(4294967296, 4294967296)"), kSixFloats)),
              HasSubstr("is larger than any memory"));
}

TEST(ReadArrays, ReportsWhatCannotBeRead) {
  const TestFolder folder;
  EXPECT_EQ(UserErrorOf([&] { ReadArrays(folder / "a.npy"); }),
            folder / "a.npy: cannot be read: No such file or directory");
  EXPECT_EQ(UserErrorOf([&] { ReadArrays(folder.path()); }),
            folder.path() + ": cannot be read: Is a directory");
  EXPECT_EQ(UserErrorOf([&] { ReadArrays(folder / "a.npz:x"); }),
            folder / "a.npz: cannot be read: No such file or directory");
  folder.Write("b.npz", "not an archive");
  EXPECT_EQ(
      UserErrorOf([&] { ReadArrays(folder / "b.npz:x"); }),
      folder / "b.npz: is not an archive, so it has no array 'x'; omit ':x' or give a .npz file");
  folder.Write("c.npz", "PK\x03\x04 and then nothing of that kind");
  EXPECT_THAT(UserErrorOf([&] { ReadArrays(folder / "c.npz"); }),
              HasSubstr("c.npz: is not a readable .npz archive: "));
}

// ---- Archives -----------------------------------------------------------------------------------

struct Member {
  std::string name;
  std::string content;
  int method = ZIP_CM_STORE;
};

std::string MakeArchive(const TestFolder& folder, const std::vector<Member>& members) {
  std::string path = folder / "made.npz";
  zip_t* const archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  for (const Member& member : members) {
    zip_source_t* const source =
        zip_source_buffer(archive, member.content.data(), member.content.size(), 0);
    const zip_int64_t index = zip_file_add(archive, member.name.c_str(), source, 0);
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), member.method, 0);
  }
  EXPECT_EQ(zip_close(archive), 0);
  return path;
}

TEST(ReadArrays, ReadsArchives) {
  const TestFolder folder;
  const std::string path = MakeArchive(
      folder, {{"b.npy", FileWith(Header("<f4", "(6,)"), kSixFloats)},
               {"notes.txt", "skipped"},
               {"a.npy", FileWith(Header("<i4", "(1,)"), BytesOf<int32_t>({9})), ZIP_CM_DEFLATE}});
  const std::vector<Tensor> all = ReadArrays(path);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].id, "b");
  EXPECT_THAT(NumbersOf(all[0], 6), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(all[1].id, "a");
  for (const char* name : {":a", ":a.npy"}) {
    const std::vector<Tensor> one = ReadArrays(path + name);
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one[0].id, "a");
    EXPECT_THAT(NumbersOf(one[0], 1), ElementsAre(9));
  }
  EXPECT_EQ(UserErrorOf([&] { ReadArrays(path + ":c"); }),
            path + ": has no array 'c'; it has b, a");
}

TEST(ReadArrays, AColonMayBePartOfAName) {
  const TestFolder folder;
  folder.Write("a.npz:b", FileWith(Header("<f4", "(6,)"), kSixFloats));
  EXPECT_EQ(ReadArrays(folder / "a.npz:b").size(), 1u);
}

TEST(ReadArrays, MembersAreChecked) {
  const TestFolder folder;
  const std::string more = FileWith(Header("<f4", "(6,)"), std::string(1'000'000, '\0'));
  std::string path = MakeArchive(folder, {{"big.npy", more, ZIP_CM_DEFLATE}});
  EXPECT_EQ(UserErrorOf([&] { ReadArrays(path); }),
            path + ": array 'big' has data after the 24 bytes of float[6]");
  path = MakeArchive(folder, {{"lie.npy", FileWith(Header("<f4", "(2000000000,)"), kSixFloats)}});
  EXPECT_EQ(UserErrorOf([&] { ReadArrays(path); }),
            path + ": array 'lie' is truncated: float[2000000000] needs 8000000000 bytes");
  path = MakeArchive(folder, {{"a\nb.npy", "x"}});
  EXPECT_EQ(UserErrorOf([&] { ReadArrays(path); }),
            path + ": array 'a?b' is not a NumPy array: it does not begin with \\x93NUMPY");
  path = MakeArchive(folder, {{"a.txt", "x"}});
  EXPECT_EQ(UserErrorOf([&] { ReadArrays(path); }),
            path + ": has no arrays: no member ends in .npy");
}

TEST(ReadArrays, DamageInArchivesIsFound) {
  const TestFolder folder;
  const std::string path =
      MakeArchive(folder, {{"a.npy", FileWith(Header("<f4", "(6,)"), kSixFloats)}});
  std::string bytes = folder.Read("made.npz");
  const size_t at = bytes.find(kSixFloats);
  ASSERT_NE(at, std::string::npos);
  bytes[at] ^= 1;
  folder.Write("made.npz", bytes);
  EXPECT_EQ(UserErrorOf([&] { ReadArrays(path); }), path + ": array 'a' cannot be read: CRC error");
}

// ---- Writing ------------------------------------------------------------------------------------

TEST(WriteArrays, WritesTheBytesOfNumPy) {
  const TestFolder folder;
  const Tensor tensor = TensorOf(MLUOP_DTYPE_FLOAT, {2, 3}, {1, 2, 3, 4, 5, 6});
  WriteArrays(folder / "a.npy", {&tensor});
  const std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  std::string expected("\x93NUMPY\x01\0\x76\0", 10);
  expected += text + std::string(0x76 - text.size() - 1, ' ') + "\n" + kSixFloats;
  EXPECT_EQ(folder.Read("a.npy"), expected);
  const Tensor line = TensorOf(MLUOP_DTYPE_INT32, {1}, {3});
  WriteArrays(folder / "b.npy", {&line});
  EXPECT_THAT(folder.Read("b.npy"), HasSubstr("'shape': (1,), }"));
}

void ExpectSame(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.dtype, b.dtype);
  EXPECT_EQ(a.dims, b.dims);
  ASSERT_EQ(a.values.size(), b.values.size());
  EXPECT_TRUE(a.values.size() == 0 ||
              std::memcmp(a.values.data(), b.values.data(), a.values.size()) == 0);
}

TEST(WriteArrays, WhatIsWrittenIsReadBack) {
  const TestFolder folder;
  std::vector<Tensor> tensors;
  tensors.push_back(TensorOf(MLUOP_DTYPE_FLOAT, {2, 2},
                             {1, -0.0f, 3e-45f, std::numeric_limits<float>::infinity()}));
  tensors.push_back(TensorOf(MLUOP_DTYPE_HALF, {3}, {1, 2, 65504}));
  tensors.push_back(TensorOf(MLUOP_DTYPE_INT32, {}, {-5}));
  tensors.push_back(TensorOf(MLUOP_DTYPE_FLOAT, {0, 4}, {}));
  std::vector<const Tensor*> pointers;
  for (Tensor& tensor : tensors) {
    WriteArrays(folder / "a.npy", {&tensor});
    ExpectSame(ReadArrays(folder / "a.npy").at(0), tensor);
    pointers.push_back(&tensor);
  }
  tensors[0].id = "first";
  WriteArrays(folder / "a.npz", pointers);
  const std::vector<Tensor> read = ReadArrays(folder / "a.npz");
  ASSERT_EQ(read.size(), tensors.size());
  EXPECT_EQ(read[0].id, "first");
  EXPECT_EQ(read[3].id, "arr_3");
  for (size_t i = 0; i < read.size(); ++i) {
    ExpectSame(read[i], tensors[i]);
  }
}

TEST(WriteArrays, TheSameArraysGiveTheSameBytes) {
  const TestFolder folder;
  Tensor tensor = TensorOf(MLUOP_DTYPE_FLOAT, {6}, {1, 2, 3, 4, 5, 6});
  tensor.id = "x";
  WriteArrays(folder / "a.npz", {&tensor});
  const std::string bytes = folder.Read("a.npz");
  // The local header has the date 1980-01-01.
  EXPECT_EQ(bytes.substr(10, 4), std::string("\0\0\x21\0", 4));
  EXPECT_NE(bytes.find(kSixFloats), std::string::npos) << "the data is not stored uncompressed";
  setenv("TZ", "Asia/Tokyo", 1);
  WriteArrays(folder / "b.npz", {&tensor});
  unsetenv("TZ");
  EXPECT_EQ(bytes, folder.Read("b.npz"));
}

TEST(WriteArrays, ReportsWhatCannotBeWritten) {
  const TestFolder folder;
  Tensor tensor = TensorOf(MLUOP_DTYPE_FLOAT, {1}, {1});
  EXPECT_EQ(UserErrorOf([&] {
              WriteArrays(folder / "a.npy", {&tensor, &tensor});
            }),
            folder / "a.npy: a .npy file holds one array; the name must end in .npz for 2");
  tensor.id = "x";
  EXPECT_EQ(UserErrorOf([&] {
              WriteArrays(folder / "a.npz", {&tensor, &tensor});
            }),
            folder / "a.npz: array 'x.npy' cannot be added: File already exists");
  Tensor bytes = MakeTensor(MLUOP_DTYPE_INT8, {1});
  Allocate(bytes, 0);
  EXPECT_EQ(UserErrorOf([&] { WriteArrays(folder / "a.npy", {&bytes}); }),
            folder / "a.npy: cannot hold int8[1]; the type must be float, half or int32");
  EXPECT_EQ(UserErrorOf([&] { WriteArrays(folder / "none/a.npz", {&tensor}); }),
            folder / "none/a.npz: cannot be written: No such file or directory");
  EXPECT_EQ(UserErrorOf([&] { WriteArrays("/dev/full", {&tensor}); }),
            "/dev/full: cannot be written: No space left on device");
  EXPECT_EQ(folder.Count(), 0u);
}

}  // namespace
}  // namespace detops::cli
