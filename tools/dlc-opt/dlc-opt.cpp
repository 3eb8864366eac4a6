//===- dlc-opt.cpp - mlir-opt with DLC built in ---------------------------===//
//
// Runs passes of MLIR and DLC on an .mlir file.
//
//===----------------------------------------------------------------------===//

#include "DLC/InitAll.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  // Kernels become PTX inside a pass.
  mlir::registerAllGPUToLLVMIRTranslations(registry);
  mlir::registerAllPasses();
  mlir::dlc::registerAllDLC(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "DLC optimizer driver\n", registry));
}
