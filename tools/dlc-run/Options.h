//===- Options.h - The command line of dlc-run -----------------*- C++ -*-===//
//
// What the user asked for.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_TOOLS_DLCRUN_OPTIONS_H
#define DLC_TOOLS_DLCRUN_OPTIONS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace mlir::dlc {

/// What dlc-run's exit status says.
enum ExitCode {
  kOk = 0,
  kInputError = 1,
  kMismatch = 2,
  kRunError = 3,
};

/// "0:y.npy": a file for one argument or result.
struct NumberedPath {
  unsigned number;
  std::string path;
};

struct RunOptions {
  std::string file;
  std::string entry;
  std::vector<std::string> arguments;
  std::vector<NumberedPath> saveResults, saveArguments;
  std::vector<NumberedPath> expectResults, expectArguments;
  std::string stage = "llvm";
  /// "cpu" or "gpu-emulator"; what follows is for the latter.
  std::string target = "cpu";
  std::array<uint32_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  /// Bytes.
  unsigned dynamicShared = 0;
  std::string emulatorReport;
  bool noChecks = false;
  std::string cpu = "native";
  unsigned optLevel = 3;
  unsigned threads = 0;
  unsigned seed = 0;
  /// Unset: 1e-5 and 1e-6 for floating point, exact for integers.
  std::optional<double> rtol, atol;
  /// 0 means for about a second.
  unsigned benchmarkRuns = 0;
  unsigned warmUpRuns = 3;
  bool benchmark = false;
  bool list = false;
  bool quiet = false;
  bool times = false;
  bool help = false;
};

/// Parses the command line. Options may be written --name=value or
/// --name value.
llvm::Expected<RunOptions> parseOptions(ArrayRef<const char *> arguments);

/// The text of --help.
StringRef getHelpText();

} // namespace mlir::dlc

#endif // DLC_TOOLS_DLCRUN_OPTIONS_H
