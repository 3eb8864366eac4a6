//===- LibraryParts.h - What an ahead-of-time library consists of -*-C++-*-===//
//
// Private to lib/Execution: the code for each processor, the weights and the C
// functions around them.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_LIB_EXECUTION_LIBRARYPARTS_H
#define DLC_LIB_EXECUTION_LIBRARYPARTS_H

#include "DLC/Execution/AheadOfTime.h"
#include "Lowering.h"

namespace mlir::dlc {

/// Names of the C functions of the entries: the library's name, `_` and the
/// function's name with other characters than letters and digits replaced.
/// All are different.
std::vector<std::string> makeCNames(ArrayRef<EntryInfo> entries,
                                    const LibraryOptions &options);

/// Symbol of the code of entry `entry` for processor `variant`.
std::string makeEntrySymbol(const LibraryOptions &options, size_t entry,
                            size_t variant);

/// Writes an ELF object with the weights as hidden symbols, 64-byte aligned.
void writeWeightsObject(ArrayRef<Weight> weights, raw_ostream &stream);

/// The LLVM module with the descriptions of all entries and the C functions.
/// `features` has one text per processor.
std::unique_ptr<llvm::Module> buildInterface(llvm::LLVMContext &context,
                                             ArrayRef<EntryInfo> entries,
                                             ArrayRef<std::string> features,
                                             const LibraryOptions &options);

/// Emits an error unless `options.name` is a C identifier.
LogicalResult checkLibraryName(ModuleOp module, const LibraryOptions &options);

} // namespace mlir::dlc

#endif // DLC_LIB_EXECUTION_LIBRARYPARTS_H
