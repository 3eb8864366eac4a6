//===- DLCPlugin.cpp - The loadable plugin --------------------------------===//
//
// The two entry points that mlir-opt looks for, and nothing else.
//
//===----------------------------------------------------------------------===//

#include "DLC/InitAll.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "DLC", DLC_VERSION,
          [](mlir::DialectRegistry *registry) {
            mlir::dlc::registerAllDLC(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "DLC", DLC_VERSION,
          [] { mlir::dlc::registerDLCPasses(); }};
}
