//===- InitAll.cpp - Registration of everything DLC offers ----------------===//
//
// The one list of what the tools, the plugin and the Python module register.
//
//===----------------------------------------------------------------------===//

#include "DLC/InitAll.h"

#include "DLC/Conversion/Passes.h"
#include "DLC/Dialect/IR/DLCDialect.h"
#include "DLC/Transforms/Passes.h"
#include "DLC/Transforms/Pipelines.h"
#include "mlir/Dialect/Linalg/Transforms/TilingInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorTilingInterfaceImpl.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;

void mlir::dlc::registerDLCDialects(DialectRegistry &registry) {
  registry.insert<DLCDialect>();
  linalg::registerTilingInterfaceExternalModels(registry);
  tensor::registerTilingInterfaceExternalModels(registry);
}

void mlir::dlc::registerDLCPasses() {
  // Both entry points of the plugin may run in one process.
  static bool registered = [] {
    registerDLCConversionPasses();
    registerDLCTransformsPasses();
    registerDLCPipelines();
    return true;
  }();
  (void)registered;
}

void mlir::dlc::registerAllDLC(DialectRegistry &registry) {
  registerDLCDialects(registry);
  registerDLCPasses();
}
