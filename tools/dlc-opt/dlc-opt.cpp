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
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;

/// What to do with an argument of the command line.
enum class Verdict { Keep, Drop, Refuse };

/// A plugin that does not load is refused: MlirOptMain would go on without it,
/// and later report what it then misses. DLC's own is dropped: it is built in.
template <typename PluginT> static Verdict judge(Expected<PluginT> plugin) {
  if (plugin)
    return plugin->getPluginName() == "DLC" ? Verdict::Drop : Verdict::Keep;
  WithColor::error(errs(), "dlc-opt")
      << toString(plugin.takeError())
      << "; scripts/plugin-doctor explains what is wrong with a plugin\n";
  return Verdict::Refuse;
}

static Verdict judge(StringRef argument) {
  argument.consume_front("-");
  argument.consume_front("-");
  if (argument.consume_front("load-dialect-plugin="))
    return judge(mlir::DialectPlugin::load(argument.str()));
  if (argument.consume_front("load-pass-plugin="))
    return judge(mlir::PassPlugin::load(argument.str()));
  return Verdict::Keep;
}

int main(int argc, char **argv) {
  SmallVector<char *> arguments{argv[0]};
  for (char *argument : ArrayRef<char *>(argv, argc).drop_front()) {
    Verdict verdict = judge(argument);
    if (verdict == Verdict::Refuse)
      return EXIT_FAILURE;
    if (verdict == Verdict::Keep)
      arguments.push_back(argument);
  }
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  // Kernels become PTX inside a pass.
  mlir::registerAllGPUToLLVMIRTranslations(registry);
  mlir::registerAllPasses();
  mlir::dlc::registerAllDLC(registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      arguments.size(), arguments.data(), "DLC optimizer driver\n", registry));
}
