//===- dlc-lsp-server.cpp - The language server ---------------------------===//
//
// Gives editors diagnostics, hover and navigation for .mlir files with dlc ops.
//
//===----------------------------------------------------------------------===//

#include "DLC/InitAll.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::dlc::registerDLCDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
