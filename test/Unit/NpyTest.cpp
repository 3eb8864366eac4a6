//===- NpyTest.cpp - Reading and writing .npy ----------------------------===//
//
// Every form that NumPy writes, and every way in which a file can be broken.
//
//===----------------------------------------------------------------------===//

#include "DLC/Execution/Npy.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace mlir::dlc;

/// A version 1 file with `header` as it is and `data` behind.
static std::string makeFile(StringRef header, StringRef data,
                            char version = 1) {
  std::string text("\x93NUMPY", 6);
  text += version;
  text += '\0';
  std::string padded = header.str() + "\n";
  text += static_cast<char>(padded.size() & 255);
  text += static_cast<char>(padded.size() >> 8);
  if (version > 1)
    text += std::string(2, '\0');
  return text + padded + data.str();
}

static std::string getError(StringRef contents) {
  auto tensor = parseNpy(contents);
  if (tensor)
    return "";
  return llvm::toString(tensor.takeError());
}

template <typename T> static std::vector<T> getValues(const Tensor &tensor) {
  auto *data = static_cast<const T *>(tensor.data);
  return std::vector<T>(data, data + tensor.getNumElements());
}

TEST(NpyTest, ReadsRowMajor) {
  StringRef data("\1\0\2\0\3\0\4\0\5\0\6\0", 12);
  auto tensor = parseNpy(makeFile(
      "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }", data));
  ASSERT_TRUE(bool(tensor));
  EXPECT_EQ(tensor->dtype, DType::I16);
  EXPECT_EQ(getValues<int16_t>(*tensor),
            (std::vector<int16_t>{1, 2, 3, 4, 5, 6}));
}

TEST(NpyTest, ConvertsFortranOrderAndBigEndian) {
  StringRef data("\0\1\0\4\0\2\0\5\0\3\0\6", 12);
  for (char version : {1, 2, 3}) {
    auto tensor = parseNpy(makeFile(
        "{\"shape\":(2,3),'fortran_order':True,'descr':'>i2'}", data, version));
    ASSERT_TRUE(bool(tensor));
    EXPECT_EQ(getValues<int16_t>(*tensor),
              (std::vector<int16_t>{1, 2, 3, 4, 5, 6}));
  }
}

TEST(NpyTest, ReadsScalarsAndEmptyArrays) {
  auto scalar = parseNpy(makeFile(
      "{'descr': '|u1', 'fortran_order': False, 'shape': (), }", "\7"));
  ASSERT_TRUE(bool(scalar));
  EXPECT_TRUE(scalar->shape.empty());
  EXPECT_EQ(getValues<uint8_t>(*scalar), std::vector<uint8_t>{7});
  auto empty = parseNpy(makeFile(
      "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 0, 2), }", ""));
  ASSERT_TRUE(bool(empty));
  EXPECT_EQ(empty->getNumElements(), 0);
}

TEST(NpyTest, ReadsMlDtypes) {
  StringRef header = "{'descr': '<V2', 'fortran_order': False, 'shape': (1,)}";
  auto bf16 = parseNpy(makeFile(header, StringRef("\x80\x3f", 2)));
  ASSERT_TRUE(bool(bf16));
  EXPECT_EQ(bf16->dtype, DType::BF16);
  auto hinted = parseNpy(makeFile(header, StringRef("\0\x3c", 2)), DType::F16);
  ASSERT_TRUE(bool(hinted));
  EXPECT_EQ(hinted->dtype, DType::F16);
  auto named = parseNpy(
      makeFile("{'descr': 'bfloat16', 'fortran_order': False, 'shape': (1,)}",
               StringRef("\x80\x3f", 2)));
  ASSERT_TRUE(bool(named));
  EXPECT_EQ(named->dtype, DType::BF16);
}

TEST(NpyTest, RoundTripsEveryDType) {
  for (int32_t i = 1; i <= static_cast<int32_t>(DType::C128); ++i) {
    auto dtype = static_cast<DType>(i);
    Tensor tensor = Tensor::allocate(dtype, {3, 5});
    auto *bytes = static_cast<char *>(tensor.data);
    for (int64_t j = 0; j < tensor.getNumBytes(); ++j)
      bytes[j] = dtype == DType::Bool ? char(j & 1) : char(j * 37);
    std::string text;
    llvm::raw_string_ostream stream(text);
    writeNpy(stream, tensor);
    EXPECT_EQ((text.size() - tensor.getNumBytes()) % 64, 0u);
    auto back = parseNpy(text, dtype);
    ASSERT_TRUE(bool(back)) << getName(dtype).str();
    EXPECT_EQ(back->dtype, dtype);
    EXPECT_EQ(back->shape, tensor.shape);
    EXPECT_EQ(std::memcmp(back->data, tensor.data, tensor.getNumBytes()), 0);
  }
}

TEST(NpyTest, WritesStridedViewsInRowMajorOrder) {
  int32_t data[] = {1, 2, 3, 4, 5, 6};
  TensorView view{data, DType::I32, {3, 2}, {1, 3}};
  std::string text;
  llvm::raw_string_ostream stream(text);
  writeNpy(stream, view);
  auto back = parseNpy(text);
  ASSERT_TRUE(bool(back));
  EXPECT_EQ(getValues<int32_t>(*back),
            (std::vector<int32_t>{1, 4, 2, 5, 3, 6}));
}

TEST(NpyTest, SaysWhatIsWrong) {
  auto f4 = [](StringRef shape, StringRef data) {
    return makeFile(
        ("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }")
            .str(),
        data);
  };
  EXPECT_EQ(getError("PNG"),
            "expected a .npy file (it starts with \\x93NUMPY), but got other "
            "data");
  EXPECT_EQ(getError(StringRef("\x93NUMPY\1\0", 8)),
            "expected a .npy header of at least 10 bytes, but got 8");
  EXPECT_EQ(getError(StringRef("\x93NUMPY\7\0\0\0", 10)),
            "expected .npy version 1, 2 or 3, but got 7");
  EXPECT_EQ(getError(StringRef("\x93NUMPY\1\0\xff\0{", 11)),
            "expected a .npy header of 255 bytes, but only 1 are left in the "
            "file");
  EXPECT_EQ(getError(f4("(2,)", "1234567")),
            "expected 8 bytes of data for the .npy shape, but got 7");
  EXPECT_EQ(getError(f4("(2,)", "123456789")),
            "expected 8 bytes of data for the .npy shape, but got 9");
  EXPECT_EQ(getError(f4("(4611686018427387904, 4)", "")),
            "expected a .npy shape whose size fits in 64 bits, but got a "
            "larger one");
  EXPECT_EQ(getError(f4("(0, 9223372036854775807, 2)", "")),
            "expected a .npy shape whose size fits in 64 bits, but got a "
            "larger one");
  EXPECT_EQ(getError(makeFile(
                "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
                "12345678")),
            "expected a number dtype in the .npy header, but got '|O' (Python "
            "objects)");
  EXPECT_NE(
      getError(
          makeFile("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': "
                   "(1,), }",
                   "1234"))
          .find("expected the .npy header to be a dictionary"),
      std::string::npos);
  EXPECT_NE(getError(f4("(-1,)", "")), "");
}

/// Broken files give an error or a tensor, never a crash.
TEST(NpyTest, SurvivesMutations) {
  std::string good =
      makeFile("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
               std::string(24, 'x'));
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string text = good;
    for (unsigned i = 0, e = 1 + random() % 4; i < e; ++i)
      text[random() % text.size()] = static_cast<char>(random());
    if (random() % 4 == 0)
      text.resize(random() % text.size());
    (void)getError(text);
  }
}

/// A zip archive as np.savez writes it, without the checksums, which are not
/// read.
static std::string
makeZip(ArrayRef<std::pair<std::string, std::string>> members, char method) {
  auto u16 = [](size_t v) { return std::string{char(v), char(v >> 8)}; };
  auto u32 = [&](size_t v) { return u16(v & 65535) + u16(v >> 16); };
  std::string text, directory;
  for (const auto &[name, contents] : members) {
    std::string common = u16(20) + u16(0) + u16(method) + u32(0) + u32(0) +
                         u32(contents.size()) + u32(contents.size()) +
                         u16(name.size());
    directory += "PK\1\2" + u16(20) + common + u16(0) + u16(0) + u16(0) +
                 u16(0) + u32(0) + u32(text.size()) + name;
    text += "PK\3\4" + common + u16(4) + name + "\1\2" + u16(0) + contents;
  }
  std::string end = "PK\5\6" + u16(0) + u16(0) + u16(members.size()) +
                    u16(members.size()) + u32(directory.size()) +
                    u32(text.size()) + u16(0);
  return text + directory + end;
}

namespace {
/// A temporary file with given contents.
class TemporaryFile {
public:
  explicit TemporaryFile(StringRef contents) {
    int descriptor;
    EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("dlc-test", "npz",
                                                    descriptor, path));
    llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true) << contents;
  }
  ~TemporaryFile() { llvm::sys::fs::remove(path); }

  SmallString<128> path;
};
} // namespace

static std::string getReadError(const Twine &path) {
  auto tensor = readNpy(path.str());
  return tensor ? "" : llvm::toString(tensor.takeError());
}

TEST(NpyTest, ReadsMembersOfNpz) {
  auto member = [](StringRef value) {
    return makeFile("{'descr': '|u1', 'fortran_order': False, 'shape': (1,)}",
                    value);
  };
  std::string zip =
      makeZip({{"x.npy", member("\3")}, {"y.npy", member("\4")}}, 0);
  TemporaryFile file(zip);
  for (StringRef name : {"y", "y.npy"}) {
    auto tensor = readNpy((file.path + ":" + name).str());
    ASSERT_TRUE(bool(tensor));
    EXPECT_EQ(getValues<uint8_t>(*tensor), std::vector<uint8_t>{4});
  }
  EXPECT_NE(getReadError(file.path).find(
                "expected a member, as in file.npz:x, but the archive has: x, "
                "y"),
            std::string::npos);
  EXPECT_NE(getReadError(file.path + ":z").find("expected member 'z', but"),
            std::string::npos);
  TemporaryFile single(makeZip({{"x.npy", member("\3")}}, 0));
  EXPECT_EQ(getReadError(single.path), "");
  TemporaryFile packed(makeZip({{"x.npy", member("\3")}}, 8));
  EXPECT_NE(getReadError(packed.path).find("np.savez_compressed"),
            std::string::npos);
}

TEST(NpyTest, SurvivesMutationsOfNpz) {
  std::string good = makeZip({{"x.npy", "contents"}, {"y.npy", "more"}}, 0);
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    std::string text = good;
    for (unsigned i = 0, e = 1 + random() % 4; i < e; ++i)
      text[2 + random() % (text.size() - 2)] = static_cast<char>(random());
    if (random() % 4 == 0)
      text.resize(2 + random() % (text.size() - 2));
    TemporaryFile file(text);
    (void)getReadError(file.path + ":x");
  }
}

TEST(NpyTest, RefusesPathsThatCannotBeWritten) {
  EXPECT_TRUE(bool(Tensor::allocate(DType::F32, {1}).data));
  auto error = checkWritable("/nonexistent-folder/y.npy");
  ASSERT_TRUE(bool(error));
  EXPECT_EQ(llvm::toString(std::move(error)),
            "cannot write '/nonexistent-folder/y.npy': there is no directory "
            "'/nonexistent-folder'");
}
