//===- Options.cpp - The command line of dlc-run --------------------------===//
//
// A small parser of its own: LLVM's would mix in some hundred options of the
// code generator, and its --help could not teach.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::dlc;

StringRef mlir::dlc::getHelpText() {
  return R"(dlc-run: compile an .mlir or .mlirbc file and run one of its functions

  dlc-run FILE [--entry=NAME] [--arg VALUE]... [options]

The file may be at any stage: dlc, linalg or tensor ops, memref and scf loops,
or the LLVM dialect as a DLC pipeline leaves it. It is lowered from there.
FILE - reads standard input.

Arguments, in the order of the function's:
  --arg x.npy            a NumPy file (any order, either endianness)
  --arg data.npz:x       a member of an .npz file
  --arg 3.5              a scalar
  --arg 2x3xf32=1,2,3,4,5,6   values; one value fills the whole tensor
  --arg zeros:2x3xf32    also ones, iota (0, 1, 2, ...) and random; the type
                         may be left out (--arg random) when it is static
  --seed=N               seed of random (0); uniform in [-1, 1), integers in
                         [0, 10)

Results:
  --save-result 0:y.npy  write result 0
  --save-arg 1:b.npy     write argument 1 after the run (memrefs are in-out)
  --expect 0:want.npy    compare result 0; exit status 2 when it differs
  --expect-arg 1:want.npy  compare argument 1 after the run
  --rtol=R --atol=A      |got - want| <= A + R * |want|; 1e-5 and 1e-6 for
                         floating point, 0 for integers; NaN equals NaN
  --quiet                do not print the results

How:
  --entry=NAME           the function, when there are several
  --list                 print the functions with their arguments, do not run
  --threads=N            OpenMP threads (all processors)
  --cpu=NAME             native, generic, x86-64-v3 (AVX2), x86-64-v4 (AVX-512)
                         or a processor name of LLVM
  --opt-level=N          LLVM's, 0 to 3 (3)
  --stage=NAME           run DLC's own passes up to this stage only and lower
                         the rest as it is: graph, linalg, fused, kernels,
                         buffers, loops, llvm. Results must not depend on it.
  --times                print where the compile time went
  --benchmark[=RUNS]     time the call (for about a second without RUNS):
                         minimum, median, 90th and 99th percentile
  --warmup=N             untimed calls before (3)

GPU kernels (gpu.module IR), run on the CPU and checked:
  --target=gpu-emulator  --entry names a kernel; memrefs are row-major buffers
  --grid=X,Y,Z --block=X,Y,Z  the launch; missing numbers are 1
  --dynamic-shared=BYTES dynamic shared memory
  --emulator-report=r.json  write findings and counters
  --no-checks            run without the checks of shared memory
  --times                print the emulator's speed
  Exit status 3 when a check found something.

Exit status: 0 done, 1 wrong usage, input or program, 2 a result differs from
what was expected, 3 the program ended with an error while it ran.

Examples:
  dlc-run model.mlir --arg image.npy --save-result 0:scores.npy
  dlc-run kernel.mlir --entry=gemm --arg random --arg random --arg zeros \
      --benchmark --threads=2
  dlc-run f.mlir --arg x.npy --expect 0:want.npy --rtol=1e-4
)";
}

template <typename... Parts> static llvm::Error makeError(Parts &&...parts) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  (stream << ... << parts);
  return llvm::createStringError(text);
}

static llvm::Error parseNumber(StringRef name, StringRef text,
                               unsigned &value) {
  if (!text.getAsInteger(10, value))
    return llvm::Error::success();
  return makeError("--", name, " expected a number, but got '", text, "'");
}

static llvm::Error parseNumber(StringRef name, StringRef text,
                               std::optional<double> &value) {
  double number;
  if (text.getAsDouble(number) || !(number >= 0))
    return makeError("--", name, " expected a number of 0 or more, but got '",
                     text, "'");
  value = number;
  return llvm::Error::success();
}

static llvm::Error parseNumbered(StringRef name, StringRef text,
                                 std::vector<NumberedPath> &list) {
  auto [number, path] = text.split(':');
  NumberedPath entry;
  if (number.getAsInteger(10, entry.number) || path.empty())
    return makeError("--", name,
                     " expected NUMBER:FILE, as in 0:y.npy, but "
                     "got '",
                     text, "'");
  entry.path = path.str();
  list.push_back(entry);
  return llvm::Error::success();
}

/// "4,4": one to three sizes.
static llvm::Error parseSizes(StringRef name, StringRef text,
                              std::array<uint32_t, 3> &sizes) {
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  bool good = parts.size() <= sizes.size();
  for (size_t i = 0; good && i < parts.size(); ++i)
    good = !parts[i].getAsInteger(10, sizes[i]);
  if (good)
    return llvm::Error::success();
  return makeError("--", name,
                   " expected one to three sizes, as in 4,4, but "
                   "got '",
                   text, "'");
}

/// Options without a value. Returns false for other names.
static bool setFlag(StringRef name, RunOptions &options) {
  bool *flag = llvm::StringSwitch<bool *>(name)
                   .Case("list", &options.list)
                   .Case("quiet", &options.quiet)
                   .Case("times", &options.times)
                   .Case("no-checks", &options.noChecks)
                   .Case("benchmark", &options.benchmark)
                   .Cases({"help", "h"}, &options.help)
                   .Default(nullptr);
  if (flag)
    *flag = true;
  return flag;
}

static llvm::Error setValue(StringRef name, StringRef value,
                            RunOptions &options) {
  std::string *text = llvm::StringSwitch<std::string *>(name)
                          .Case("entry", &options.entry)
                          .Case("stage", &options.stage)
                          .Case("cpu", &options.cpu)
                          .Case("target", &options.target)
                          .Case("emulator-report", &options.emulatorReport)
                          .Default(nullptr);
  if (text) {
    *text = value.str();
    return llvm::Error::success();
  }
  unsigned *number = llvm::StringSwitch<unsigned *>(name)
                         .Case("opt-level", &options.optLevel)
                         .Case("threads", &options.threads)
                         .Case("seed", &options.seed)
                         .Case("dynamic-shared", &options.dynamicShared)
                         .Case("benchmark", &options.benchmarkRuns)
                         .Case("warmup", &options.warmUpRuns)
                         .Default(nullptr);
  if (number) {
    options.benchmark |= name == "benchmark";
    return parseNumber(name, value, *number);
  }
  if (name == "grid" || name == "block")
    return parseSizes(name, value,
                      name == "grid" ? options.grid : options.block);
  auto *list = llvm::StringSwitch<std::vector<NumberedPath> *>(name)
                   .Case("save-result", &options.saveResults)
                   .Case("save-arg", &options.saveArguments)
                   .Case("expect", &options.expectResults)
                   .Case("expect-arg", &options.expectArguments)
                   .Default(nullptr);
  if (list)
    return parseNumbered(name, value, *list);
  if (name == "rtol" || name == "atol")
    return parseNumber(name, value,
                       name == "rtol" ? options.rtol : options.atol);
  if (name != "arg")
    return makeError("unknown option --", name, "; see dlc-run --help");
  options.arguments.push_back(value.str());
  return llvm::Error::success();
}

llvm::Expected<RunOptions>
mlir::dlc::parseOptions(ArrayRef<const char *> arguments) {
  RunOptions options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    StringRef word = arguments[i];
    if (word == "-" || !word.starts_with("-")) {
      if (!options.file.empty())
        return makeError("expected one file, but got '", options.file,
                         "' and '", word, "'");
      options.file = word.str();
      continue;
    }
    word = word.drop_front(word.starts_with("--") ? 2 : 1);
    if (setFlag(word, options))
      continue;
    auto [name, value] = word.split('=');
    if (!word.contains('=')) {
      if (i + 1 == arguments.size())
        return makeError("--", name,
                         " expected a value, but got none; see "
                         "dlc-run --help");
      value = arguments[++i];
    }
    if (llvm::Error error = setValue(name, value, options))
      return error;
  }
  if (options.target != "cpu" && options.target != "gpu-emulator")
    return makeError("--target expected cpu or gpu-emulator, but got '",
                     options.target, "'");
  if (options.file.empty() && !options.help)
    return makeError("expected a file, but got none; see dlc-run --help");
  return options;
}
