//===- WeightsObject.cpp - Weights as an object file ----------------------===//
//
// Writes an ELF object with one read-only section straight from the weights'
// memory. LLVM's own way would hold each weight three times.
//
//===----------------------------------------------------------------------===//

#include "LibraryParts.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace mlir::dlc;
using namespace llvm::ELF;

static constexpr uint64_t kAlignment = 64;

namespace {
/// Names of an ELF string table and their offsets.
class StringTable {
public:
  uint32_t add(StringRef name) {
    uint32_t offset = static_cast<uint32_t>(text.size());
    text += name;
    text += '\0';
    return offset;
  }
  StringRef str() const { return text; }

private:
  std::string text = std::string(1, '\0');
};

/// The numbers of the sections.
enum Section { kNull, kData, kSymbols, kStrings, kNames, kStack, kCount };
} // namespace

template <typename T> static void write(raw_ostream &stream, const T &value) {
  stream.write(reinterpret_cast<const char *>(&value), sizeof(T));
}

static void pad(raw_ostream &stream, uint64_t &position, uint64_t alignment) {
  uint64_t next = llvm::alignTo(position, alignment);
  stream.write_zeros(static_cast<unsigned>(next - position));
  position = next;
}

static Elf64_Ehdr makeHeader(uint64_t sectionsOffset) {
  llvm::Triple triple(llvm::sys::getProcessTriple());
  Elf64_Ehdr header = {};
  memcpy(header.e_ident, ElfMagic, 4);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = triple.isX86() ? EM_X86_64 : EM_AARCH64;
  header.e_version = EV_CURRENT;
  header.e_shoff = sectionsOffset;
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = kCount;
  header.e_shstrndx = kNames;
  return header;
}

void mlir::dlc::writeWeightsObject(ArrayRef<Weight> weights,
                                   raw_ostream &stream) {
  // Where everything will be.
  StringTable strings;
  SmallVector<Elf64_Sym> symbols(1);
  symbols[0] = {};
  uint64_t size = 0;
  for (const Weight &weight : weights) {
    size = llvm::alignTo(size, kAlignment);
    Elf64_Sym symbol = {};
    symbol.st_name = strings.add(weight.symbol);
    symbol.st_info = STB_GLOBAL << 4 | STT_OBJECT;
    symbol.st_other = STV_HIDDEN;
    symbol.st_shndx = kData;
    symbol.st_value = size;
    symbol.st_size = weight.data.size();
    symbols.push_back(symbol);
    size += weight.data.size();
  }
  uint64_t dataOffset = llvm::alignTo(sizeof(Elf64_Ehdr), kAlignment);
  uint64_t symbolsOffset = llvm::alignTo(dataOffset + size, 8);
  uint64_t symbolsSize = symbols.size() * sizeof(Elf64_Sym);
  uint64_t stringsOffset = symbolsOffset + symbolsSize;

  StringTable names;
  std::array<Elf64_Shdr, kCount> sections = {};
  auto set = [&](Section i, StringRef name, uint32_t type, uint64_t offset,
                 uint64_t bytes) -> Elf64_Shdr & {
    sections[i].sh_name = names.add(name);
    sections[i].sh_type = type;
    sections[i].sh_offset = offset;
    sections[i].sh_size = bytes;
    sections[i].sh_addralign = 1;
    return sections[i];
  };
  // A large section lies behind all others, so that code still reaches the
  // rest when the weights have more than 2 GB.
  bool isX86 = llvm::Triple(llvm::sys::getProcessTriple()).isX86();
  Elf64_Shdr &data = set(kData, isX86 ? ".lrodata.dlc" : ".rodata.dlc",
                         SHT_PROGBITS, dataOffset, size);
  data.sh_flags = SHF_ALLOC | (isX86 ? unsigned(SHF_X86_64_LARGE) : 0u);
  data.sh_addralign = kAlignment;
  Elf64_Shdr &table =
      set(kSymbols, ".symtab", SHT_SYMTAB, symbolsOffset, symbolsSize);
  table.sh_link = kStrings;
  table.sh_info = 1; // the first global symbol
  table.sh_entsize = sizeof(Elf64_Sym);
  table.sh_addralign = 8;
  set(kStrings, ".strtab", SHT_STRTAB, stringsOffset, strings.str().size());
  uint64_t namesOffset = stringsOffset + strings.str().size();
  // Without it the linker would ask for an executable stack.
  set(kStack, ".note.GNU-stack", SHT_PROGBITS, namesOffset, 0);
  set(kNames, ".shstrtab", SHT_STRTAB, namesOffset, 0);
  sections[kNames].sh_size = names.str().size();
  uint64_t sectionsOffset = llvm::alignTo(namesOffset + names.str().size(), 8);

  uint64_t position = sizeof(Elf64_Ehdr);
  write(stream, makeHeader(sectionsOffset));
  pad(stream, position, kAlignment);
  for (const Weight &weight : weights) {
    pad(stream, position, kAlignment);
    stream.write(weight.data.data(), weight.data.size());
    position += weight.data.size();
  }
  pad(stream, position, 8);
  for (const Elf64_Sym &symbol : symbols)
    write(stream, symbol);
  stream << strings.str() << names.str();
  position = namesOffset + names.str().size();
  pad(stream, position, 8);
  for (const Elf64_Shdr &section : sections)
    write(stream, section);
}
