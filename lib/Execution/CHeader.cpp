//===- CHeader.cpp - The C header of a library ----------------------------===//
//
// Writes the types of DLC/Runtime/Library.h and one declaration per entry.
//
//===----------------------------------------------------------------------===//

#include "LibraryParts.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::dlc;

static constexpr char kLibraryHeader[] =
#include "LibraryHeader.inc"
    ;

/// `text` where nothing ends a comment.
static std::string quote(StringRef text) {
  std::string result;
  for (char c : text)
    result += llvm::isPrint(c) && c != '*' ? c : '?';
  return result;
}

/// "x: float32 [N, 3]".
static std::string describe(const ArgumentInfo &info) {
  std::string text = quote(info.name) + ": " + getName(info.dtype).str();
  if (info.kind == ArgumentInfo::Kind::Scalar)
    return text + " scalar";
  text += info.kind == ArgumentInfo::Kind::MemRef ? " in-out [" : " [";
  for (auto [i, size] : llvm::enumerate(info.shape)) {
    text += i ? ", " : "";
    text += !ShapedType::isDynamic(size) ? std::to_string(size)
            : info.dims[i].empty()       ? "?"
                                         : quote(info.dims[i]);
  }
  return text + "]";
}

static void declareEntry(raw_ostream &stream, const EntryInfo &entry,
                         StringRef name) {
  stream << "\n/* " << quote(entry.name) << "\n";
  for (auto [i, info] : llvm::enumerate(entry.inputs))
    stream << " *   inputs[" << i << "]  " << describe(info) << "\n";
  for (auto [i, info] : llvm::enumerate(entry.outputs))
    stream << " *   outputs[" << i << "] " << describe(info) << "\n";
  stream << " */\nint32_t " << name
         << "(const dlc_tensor *inputs, dlc_tensor *outputs,\n"
         << "    int32_t num_threads, dlc_error *error);\n";
}

LogicalResult mlir::dlc::writeCHeader(ModuleOp module,
                                      const LibraryOptions &options,
                                      raw_ostream &stream) {
  if (failed(checkLibraryName(module, options)))
    return failure();
  OwningOpRef<ModuleOp> copy(module.clone());
  auto entries = describeEntries(*copy);
  if (failed(entries))
    return failure();
  std::string guard = StringRef(options.name).upper() + "_H";
  stream << kLibraryHeader << "\n#ifndef " << guard << "\n#define " << guard
         << "\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
         << "/* Each function checks its inputs (dtype, rank, sizes) and "
            "returns DLC_OK with\n * all outputs filled, or the code of the "
            "error, which is also in *error (may be\n * NULL), with no output. "
            "num_threads of 0 leaves their number to OpenMP. Several\n * "
            "threads may call at once. */\n";
  std::vector<std::string> names = makeCNames(*entries, options);
  for (auto [entry, name] : llvm::zip_equal(*entries, names))
    declareEntry(stream, entry, name);
  stream << "\n/* Frees the data of an output. */\nvoid " << options.name
         << "_free(dlc_tensor *output);\n\n"
         << "/* Describes all functions: names, dtypes, shapes. */\n"
         << "const dlc_function *" << options.name
         << "_functions(int32_t *count);\n"
         << "\n#ifdef __cplusplus\n}\n#endif\n\n#endif /* " << guard << " */\n";
  return success();
}
