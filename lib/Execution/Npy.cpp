//===- Npy.cpp - NumPy's .npy format --------------------------------------===//
//
// The header is a Python dictionary; only the form that NumPy writes is read,
// with any order of the keys and any white space.
//
//===----------------------------------------------------------------------===//

#include "DLC/Execution/Npy.h"

#include "Npz.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace mlir;
using namespace mlir::dlc;

static constexpr StringLiteral kMagic = "\x93NUMPY";

namespace {
struct Header {
  std::string descr;
  bool fortranOrder = false;
  SmallVector<int64_t, 6> shape;
};

/// A recursive-descent reader of the header's dictionary. Every function
/// returns true on failure, as LLVM's parsers do.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : rest(text) {}
  bool parse(Header &header);

private:
  bool consume(char c);
  bool parseString(std::string &value);
  bool parseBool(bool &value);
  bool parseShape(SmallVectorImpl<int64_t> &shape);
  bool parseValue(StringRef key, Header &header);

  StringRef rest;
};
} // namespace

bool HeaderParser::consume(char c) {
  rest = rest.ltrim(" \t\n\r");
  return !rest.consume_front(StringRef(&c, 1));
}

bool HeaderParser::parseString(std::string &value) {
  rest = rest.ltrim(" \t\n\r");
  if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
    return true;
  size_t end = rest.find(rest[0], 1);
  if (end == StringRef::npos)
    return true;
  value = rest.slice(1, end).str();
  rest = rest.drop_front(end + 1);
  return false;
}

bool HeaderParser::parseBool(bool &value) {
  rest = rest.ltrim(" \t\n\r");
  value = rest.starts_with("True");
  return !rest.consume_front("True") && !rest.consume_front("False");
}

bool HeaderParser::parseShape(SmallVectorImpl<int64_t> &shape) {
  if (consume('('))
    return true;
  while (consume(')')) {
    uint64_t size;
    rest = rest.ltrim(" \t\n\r");
    if (rest.consumeInteger(10, size) || size > INT64_MAX)
      return true;
    rest.consume_front("L"); // Python 2
    shape.push_back(static_cast<int64_t>(size));
    if (consume(','))
      return consume(')');
  }
  return false;
}

bool HeaderParser::parseValue(StringRef key, Header &header) {
  if (key == "descr")
    return parseString(header.descr);
  if (key == "fortran_order")
    return parseBool(header.fortranOrder);
  return key != "shape" || parseShape(header.shape);
}

bool HeaderParser::parse(Header &header) {
  if (consume('{'))
    return true;
  unsigned seen = 0;
  while (consume('}')) {
    std::string key;
    if (parseString(key) || consume(':') || parseValue(key, header))
      return true;
    ++seen;
    if (consume(',') && !rest.starts_with("}"))
      return true;
  }
  return seen != 3 || header.descr.empty() || !rest.trim().empty();
}

/// The dtype of `descr` without its byte-order character.
static std::optional<DType> parseDescr(StringRef code,
                                       std::optional<DType> hint) {
  if (std::optional<DType> dtype =
          llvm::StringSwitch<std::optional<DType>>(code)
              .Cases({"b1", "?"}, DType::Bool)
              .Case("i1", DType::I8)
              .Case("i2", DType::I16)
              .Case("i4", DType::I32)
              .Case("i8", DType::I64)
              .Case("u1", DType::U8)
              .Case("u2", DType::U16)
              .Case("u4", DType::U32)
              .Case("u8", DType::U64)
              .Case("f2", DType::F16)
              .Case("f4", DType::F32)
              .Case("f8", DType::F64)
              .Case("c8", DType::C64)
              .Case("c16", DType::C128)
              .Default(parseDType(code)))
    return dtype;
  // ml_dtypes' types are written as raw records of their size.
  unsigned bytes;
  if (!code.consume_front("V") || code.getAsInteger(10, bytes))
    return std::nullopt;
  if (hint && getByteSize(*hint) == bytes)
    return hint;
  if (bytes == 2)
    return DType::BF16;
  return std::nullopt;
}

static llvm::Error makeError(const Twine &text) {
  return llvm::createStringError(text);
}

/// Splits `contents` into header and data.
static llvm::Error parseHeader(StringRef contents, Header &header,
                               StringRef &data) {
  if (!contents.starts_with(kMagic))
    return makeError("expected a .npy file (it starts with \\x93NUMPY), but "
                     "got other data");
  if (contents.size() < 10)
    return makeError("expected a .npy header of at least 10 bytes, but got " +
                     Twine(contents.size()));
  unsigned version = static_cast<unsigned char>(contents[6]);
  if (version < 1 || version > 3)
    return makeError("expected .npy version 1, 2 or 3, but got " +
                     Twine(version));
  size_t start = version == 1 ? 10 : 12;
  if (contents.size() < start)
    return makeError("expected a .npy header of at least 12 bytes, but got " +
                     Twine(contents.size()));
  size_t length = version == 1
                      ? llvm::support::endian::read16le(contents.data() + 8)
                      : llvm::support::endian::read32le(contents.data() + 8);
  if (contents.size() - start < length)
    return makeError("expected a .npy header of " + Twine(length) +
                     " bytes, but only " + Twine(contents.size() - start) +
                     " are left in the file");
  if (HeaderParser(contents.substr(start, length)).parse(header))
    return makeError(
        "expected the .npy header to be a dictionary with "
        "'descr', 'fortran_order' and 'shape', but got " +
        contents.substr(start, std::min<size_t>(length, 100)).rtrim());
  data = contents.drop_front(start + length);
  return llvm::Error::success();
}

/// Bytes of `shape` of `dtype`; nothing when they overflow.
static std::optional<int64_t> countBytes(ArrayRef<int64_t> shape, DType dtype) {
  // A zero makes the whole product zero, but the other sizes must be sane too,
  // because strides are products of them.
  int64_t bytes = getByteSize(dtype);
  bool isEmpty = false;
  for (int64_t size : shape) {
    if (size == 0)
      isEmpty = true;
    else if (llvm::MulOverflow(bytes, size, bytes))
      return std::nullopt;
  }
  return isEmpty ? 0 : bytes;
}

/// Reverses the bytes of each number; a complex number is two.
static void swapBytes(Tensor &tensor) {
  int64_t width = getByteSize(tensor.dtype);
  if (tensor.dtype == DType::C64 || tensor.dtype == DType::C128)
    width /= 2;
  auto *bytes = static_cast<char *>(tensor.data);
  for (int64_t i = 0, e = tensor.getNumBytes(); i < e; i += width)
    std::reverse(bytes + i, bytes + i + width);
}

llvm::Expected<Tensor> mlir::dlc::parseNpy(StringRef contents,
                                           std::optional<DType> hint) {
  Header header;
  StringRef data;
  if (llvm::Error error = parseHeader(contents, header, data))
    return error;
  StringRef code = header.descr;
  bool isBigEndian = code.starts_with(">");
  if (!code.empty() && StringRef("<>|=").contains(code[0]))
    code = code.drop_front();
  std::optional<DType> dtype = parseDescr(code, hint);
  if (!dtype)
    return makeError("expected a number dtype in the .npy header, but got '" +
                     header.descr + "'" +
                     (code.starts_with("O") ? " (Python objects)" : ""));
  std::optional<int64_t> bytes = countBytes(header.shape, *dtype);
  if (!bytes)
    return makeError("expected a .npy shape whose size fits in 64 bits, but "
                     "got a larger one");
  if (static_cast<uint64_t>(*bytes) != data.size())
    return makeError("expected " + Twine(*bytes) +
                     " bytes of data for the .npy shape, but got " +
                     Twine(data.size()));
  Tensor tensor = Tensor::allocate(*dtype, header.shape);
  if (!tensor.data)
    return makeError("expected " + Twine(*bytes) +
                     " bytes of memory for a .npy file, but the system "
                     "refused");
  TensorView source = tensor;
  source.data = const_cast<char *>(data.data());
  if (header.fortranOrder) {
    int64_t stride = 1;
    for (int64_t size : header.shape) {
      source.strides.push_back(stride);
      stride *= size;
    }
  }
  copyElements(source, tensor);
  if (isBigEndian)
    swapBytes(tensor);
  return tensor;
}

llvm::Expected<Tensor> mlir::dlc::readNpy(StringRef path,
                                          std::optional<DType> hint) {
  auto [file, member] = splitNpzPath(path);
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return makeError("cannot read '" + file +
                     "': " + buffer.getError().message());
  StringRef contents = (*buffer)->getBuffer();
  if (contents.starts_with("PK")) {
    auto found = findNpzMember(contents, member);
    if (!found)
      return makeError("'" + path + "': " + llvm::toString(found.takeError()));
    contents = *found;
  }
  auto tensor = parseNpy(contents, hint);
  if (!tensor)
    return makeError("'" + path + "': " + llvm::toString(tensor.takeError()));
  return tensor;
}

static StringRef getDescr(DType dtype) {
  switch (dtype) {
  case DType::Bool:
    return "|b1";
  case DType::I8:
    return "|i1";
  case DType::U8:
    return "|u1";
  case DType::I16:
    return "<i2";
  case DType::I32:
    return "<i4";
  case DType::I64:
    return "<i8";
  case DType::U16:
    return "<u2";
  case DType::U32:
    return "<u4";
  case DType::U64:
    return "<u8";
  case DType::F16:
    return "<f2";
  case DType::F32:
    return "<f4";
  case DType::F64:
    return "<f8";
  case DType::C64:
    return "<c8";
  case DType::C128:
    return "<c16";
  case DType::BF16:
    return "<V2";
  case DType::F8E4M3FN:
  case DType::F8E5M2:
  case DType::F8E4M3FNUZ:
  case DType::F8E5M2FNUZ:
    return "|V1";
  }
  llvm_unreachable("all dtypes are above");
}

void mlir::dlc::writeNpy(raw_ostream &stream, const TensorView &view) {
  std::string header;
  llvm::raw_string_ostream text(header);
  text << "{'descr': '" << getDescr(view.dtype)
       << "', 'fortran_order': False, 'shape': (";
  llvm::interleaveComma(view.shape, text);
  text << (view.shape.size() == 1 ? ",), }" : "), }");
  // Data start at a multiple of 64, after a line feed.
  while ((10 + header.size() + 1) % 64)
    header += ' ';
  header += '\n';
  stream << kMagic << '\1' << '\0';
  char length[2];
  llvm::support::endian::write16le(length, header.size());
  stream.write(length, 2);
  stream << header;
  Tensor copy;
  const void *data = view.data;
  if (!view.isContiguous()) {
    copy = Tensor::allocate(view.dtype, view.shape);
    copyElements(view, copy);
    data = copy.data;
  }
  stream.write(static_cast<const char *>(data), view.getNumBytes());
}

llvm::Error mlir::dlc::writeNpyFile(StringRef path, const TensorView &view) {
  auto error = llvm::writeToOutput(path, [&](raw_ostream &stream) {
    writeNpy(stream, view);
    return llvm::Error::success();
  });
  if (!error)
    return error;
  return makeError("cannot write '" + path +
                   "': " + llvm::toString(std::move(error)));
}

llvm::Error mlir::dlc::checkWritable(StringRef path) {
  SmallString<128> directory(llvm::sys::path::parent_path(path));
  if (directory.empty())
    directory = ".";
  if (llvm::sys::fs::is_directory(path))
    return makeError("cannot write '" + path + "': it is a directory");
  if (!llvm::sys::fs::is_directory(directory))
    return makeError("cannot write '" + path + "': there is no directory '" +
                     directory + "'");
  if (auto code =
          llvm::sys::fs::access(directory, llvm::sys::fs::AccessMode::Write))
    return makeError("cannot write '" + path + "': " + code.message());
  return llvm::Error::success();
}
