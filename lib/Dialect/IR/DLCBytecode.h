//===- DLCBytecode.h - Versioned bytecode of the DLC dialect ---*- C++ -*-===//
//
// Private to the dialect library.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_LIB_DIALECT_IR_DLCBYTECODE_H
#define DLC_LIB_DIALECT_IR_DLCBYTECODE_H

namespace mlir::dlc {
class DLCDialect;

/// Adds the interface that reads and writes the dialect's bytecode version.
void addBytecodeInterface(DLCDialect *dialect);

} // namespace mlir::dlc

#endif // DLC_LIB_DIALECT_IR_DLCBYTECODE_H
