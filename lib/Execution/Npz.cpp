//===- Npz.cpp - Members of .npz files ------------------------------------===//
//
// Reads the central directory of a zip archive, with the 64-bit extension that
// NumPy uses. Compressed members are refused with the way out.
//
//===----------------------------------------------------------------------===//

#include "Npz.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace mlir::dlc;
using llvm::support::endian::read16le;
using llvm::support::endian::read32le;
using llvm::support::endian::read64le;

std::pair<StringRef, StringRef> mlir::dlc::splitNpzPath(StringRef path) {
  size_t at = path.find(".npz:");
  if (at == StringRef::npos)
    return {path, ""};
  return {path.take_front(at + 4), path.drop_front(at + 5)};
}

namespace {
struct Member {
  StringRef name;
  uint64_t offset, size;
  uint16_t method;
};
} // namespace

static llvm::Error makeError(const Twine &text) {
  return llvm::createStringError(text);
}

/// `length` bytes at `offset`, or nothing when the archive ends before.
static std::optional<StringRef> slice(StringRef archive, uint64_t offset,
                                      uint64_t length) {
  if (offset > archive.size() || archive.size() - offset < length)
    return std::nullopt;
  return archive.substr(offset, length);
}

/// Replaces 32-bit fields that are all ones by those of the 64-bit extension.
static void applyZip64(StringRef extra, Member &member, bool sizeIs64,
                       bool packedIs64, bool offsetIs64) {
  while (extra.size() >= 4) {
    uint16_t id = read16le(extra.data()), length = read16le(extra.data() + 2);
    extra = extra.drop_front(4);
    if (length > extra.size())
      return;
    StringRef body = extra.take_front(length);
    extra = extra.drop_front(length);
    if (id != 1)
      continue;
    auto take = [&](uint64_t &field) {
      if (body.size() < 8)
        return;
      field = read64le(body.data());
      body = body.drop_front(8);
    };
    uint64_t packed;
    if (sizeIs64)
      take(member.size);
    if (packedIs64)
      take(packed);
    if (offsetIs64)
      take(member.offset);
  }
}

/// Reads one central directory record at `offset` and moves it on.
static bool readMember(StringRef archive, uint64_t &offset, Member &member) {
  std::optional<StringRef> record = slice(archive, offset, 46);
  if (!record || !record->starts_with("PK\1\2"))
    return false;
  const char *p = record->data();
  uint16_t nameLength = read16le(p + 28), extraLength = read16le(p + 30),
           commentLength = read16le(p + 32);
  auto name = slice(archive, offset + 46, nameLength);
  auto extra = slice(archive, offset + 46 + nameLength, extraLength);
  if (!name || !extra)
    return false;
  member = {*name, read32le(p + 42), read32le(p + 24), read16le(p + 10)};
  applyZip64(*extra, member, read32le(p + 24) == UINT32_MAX,
             read32le(p + 20) == UINT32_MAX, read32le(p + 42) == UINT32_MAX);
  offset += 46 + uint64_t(nameLength) + extraLength + commentLength;
  return true;
}

static llvm::Expected<SmallVector<Member>> readDirectory(StringRef archive) {
  size_t end = archive.rfind("PK\5\6");
  if (end == StringRef::npos || archive.size() - end < 22)
    return makeError("expected the central directory of an .npz (zip) "
                     "archive, but the file ends before it");
  uint64_t offset = read32le(archive.data() + end + 16);
  // Archives beyond 4 GB point to their directory through a locator.
  if (offset == UINT32_MAX && end >= 20 &&
      archive.substr(end - 20).starts_with("PK\6\7"))
    if (auto record = slice(archive, read64le(archive.data() + end - 12), 56))
      offset = read64le(record->data() + 48);
  SmallVector<Member> members;
  Member member;
  while (offset < end && readMember(archive, offset, member))
    members.push_back(member);
  return members;
}

llvm::Expected<StringRef> mlir::dlc::findNpzMember(StringRef archive,
                                                   StringRef name) {
  auto members = readDirectory(archive);
  if (!members)
    return members.takeError();
  const Member *found = nullptr;
  if (name.empty() && members->size() == 1)
    found = members->begin();
  for (const Member &member : *members)
    if (!name.empty() &&
        (member.name == name || member.name == (name + ".npy").str()))
      found = &member;
  if (!found) {
    std::string names;
    for (const Member &member : *members)
      names += (names.empty() ? "" : ", ") +
               member.name.str().substr(0, member.name.rfind(".npy"));
    return makeError("expected " +
                     (name.empty() ? std::string("a member, as in file.npz:x")
                                   : "member '" + name.str() + "'") +
                     ", but the archive has: " + names);
  }
  if (found->method != 0)
    return makeError("expected member '" + found->name +
                     "' to be stored without compression; write it with "
                     "np.savez, not np.savez_compressed");
  // The local header repeats the name and has extra fields of its own length.
  std::optional<StringRef> local = slice(archive, found->offset, 30);
  if (!local || !local->starts_with("PK\3\4"))
    return makeError("expected member '" + found->name +
                     "' at the offset of the directory, but got other data");
  uint64_t start = found->offset + 30 + read16le(local->data() + 26) +
                   read16le(local->data() + 28);
  std::optional<StringRef> contents = slice(archive, start, found->size);
  if (!contents)
    return makeError("expected " + Twine(found->size) + " bytes of member '" +
                     found->name + "', but the file ends before");
  return *contents;
}
