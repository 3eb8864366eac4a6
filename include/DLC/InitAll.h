//===- InitAll.h - Registration of everything DLC offers -------*- C++ -*-===//
//
// The one list of what the tools, the plugin and the Python module register.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_INITALL_H
#define DLC_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::dlc {

/// Adds the dlc dialect, the upstream dialects its passes create and all
/// external interface models to `registry`. May be called any number of times.
void registerDLCDialects(DialectRegistry &registry);

/// Registers DLC's passes and pipelines in the global registry, once per
/// process however often it is called.
void registerDLCPasses();

/// Both of the above.
void registerAllDLC(DialectRegistry &registry);

} // namespace mlir::dlc

#endif // DLC_INITALL_H
