//===- dlc-translate.cpp - From and to other formats ----------------------===//
//
// mlir-translate with DLC's ways out: LLVM IR, object, C header and shared
// library.
//
//===----------------------------------------------------------------------===//

#include "DLC/Execution/AheadOfTime.h"
#include "mlir/InitAllTranslations.h"
#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  mlir::registerAllTranslations();
  mlir::dlc::registerDLCTranslations();
  return mlir::failed(mlir::mlirTranslateMain(
      argc, argv,
      "DLC translation driver\n\n"
      "  dlc-translate --dlc-to-shared-library --library-name=net net.mlir "
      "-o libnet.so\n"
      "  dlc-translate --dlc-to-c-header --library-name=net net.mlir "
      "-o net.h\n"
      "  dlc-translate --dlc-to-llvmir --cpu=x86-64-v3 net.mlir\n"));
}
