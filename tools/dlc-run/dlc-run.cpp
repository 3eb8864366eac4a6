//===- dlc-run.cpp - Compile and run a function ---------------------------===//
//
// The command-line user of dlc::Executable.
//
//===----------------------------------------------------------------------===//

#include "DLC/Execution/Executable.h"
#include "DLC/Execution/Npy.h"
#include "DLC/InitAll.h"
#include "Emulate.h"
#include "Options.h"
#include "Values.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"
#include <chrono>

using namespace mlir;
using namespace mlir::dlc;

static int fail(llvm::Error error, ExitCode code) {
  llvm::WithColor::error(llvm::errs(), "dlc-run")
      << llvm::toString(std::move(error)) << '\n';
  return code;
}

static std::string printInfo(const ArgumentInfo &info) {
  std::string text = info.name + ": ";
  if (info.kind == ArgumentInfo::Kind::MemRef)
    text += "memref ";
  for (auto [size, dim] : llvm::zip_equal(info.shape, info.dims))
    text += (!ShapedType::isDynamic(size) ? std::to_string(size)
             : dim.empty()                ? "?"
                                          : dim) +
            "x";
  return text + getName(info.dtype).str();
}

static void listEntries(const Executable &executable) {
  for (const EntryInfo &entry : executable.getEntries()) {
    llvm::outs() << entry.name << '\n';
    for (const ArgumentInfo &info : entry.inputs)
      llvm::outs() << "  input " << printInfo(info) << '\n';
    for (const ArgumentInfo &info : entry.outputs)
      llvm::outs() << "  output " << printInfo(info) << '\n';
  }
}

/// Signless integers take data of either signedness.
static void adoptSign(TensorView &view, DType dtype) {
  auto isInteger = [](DType d) { return d >= DType::I8 && d <= DType::U64; };
  if (isInteger(view.dtype) && isInteger(dtype) &&
      getByteSize(view.dtype) == getByteSize(dtype))
    view.dtype = dtype;
}

static llvm::Expected<std::vector<Tensor>>
makeArguments(const RunOptions &options, const EntryInfo &entry) {
  if (options.arguments.size() != entry.inputs.size())
    return llvm::createStringError(
        "'%s' expected %zu --arg, but got %zu; --list shows them",
        entry.name.c_str(), entry.inputs.size(), options.arguments.size());
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < entry.inputs.size(); ++i) {
    auto tensor =
        makeArgument(options.arguments[i], entry.inputs[i], options.seed + i);
    if (!tensor)
      return llvm::createStringError("--arg #" + Twine(i) + ": " +
                                     llvm::toString(tensor.takeError()));
    adoptSign(*tensor, entry.inputs[i].dtype);
    tensors.push_back(*tensor);
  }
  return tensors;
}

/// Everything that can be known to fail is refused before the run.
static llvm::Error checkFiles(const RunOptions &options,
                              const EntryInfo &entry) {
  auto check = [&](ArrayRef<NumberedPath> paths, size_t limit, StringRef what,
                   bool written) -> llvm::Error {
    for (const NumberedPath &path : paths) {
      if (path.number >= limit)
        return llvm::createStringError("'" + entry.name + "' expected a " +
                                       what + " number in range [0, " +
                                       Twine(limit) + "), but got " +
                                       Twine(path.number));
      if (written)
        if (llvm::Error error = checkWritable(path.path))
          return error;
    }
    return llvm::Error::success();
  };
  size_t numInputs = entry.inputs.size(), numOutputs = entry.outputs.size();
  if (auto error = check(options.saveResults, numOutputs, "result", true))
    return error;
  if (auto error = check(options.saveArguments, numInputs, "argument", true))
    return error;
  if (auto error = check(options.expectResults, numOutputs, "result", false))
    return error;
  return check(options.expectArguments, numInputs, "argument", false);
}

/// Calls the entry repeatedly and prints the distribution of times.
static llvm::Error benchmark(const Executable &executable,
                             const EntryInfo &entry,
                             ArrayRef<TensorView> inputs,
                             const RunOptions &options) {
  using Clock = std::chrono::steady_clock;
  std::vector<Tensor> outputs;
  std::vector<double> times;
  Clock::time_point begin;
  unsigned warmUp = options.warmUpRuns;
  for (unsigned i = 0;; ++i) {
    if (i == warmUp)
      begin = Clock::now();
    auto start = Clock::now();
    if (auto error = executable.run(entry, inputs, outputs, options.threads))
      return error;
    auto end = Clock::now();
    if (i < warmUp)
      continue;
    times.push_back(
        std::chrono::duration<double, std::milli>(end - start).count());
    size_t wanted = options.benchmarkRuns, count = times.size();
    bool isLong = end - begin > std::chrono::seconds(1);
    if (wanted ? count >= wanted : count >= 100000 || (count >= 10 && isLong))
      break;
  }
  llvm::sort(times);
  auto percentile = [&](double p) {
    return times[static_cast<size_t>(p * (times.size() - 1) + 0.5)];
  };
  llvm::outs() << llvm::format(
      "benchmark: %zu runs, min %.4f ms, median %.4f ms, p90 %.4f ms, p99 "
      "%.4f ms\n",
      times.size(), times.front(), percentile(0.5), percentile(0.9),
      percentile(0.99));
  return llvm::Error::success();
}

/// Compares and saves; returns the exit code.
static int finish(const RunOptions &options, const EntryInfo &entry,
                  ArrayRef<Tensor> arguments, ArrayRef<Tensor> outputs) {
  int code = kOk;
  auto compare = [&](ArrayRef<NumberedPath> paths, ArrayRef<Tensor> tensors,
                     StringRef what) -> llvm::Error {
    for (const NumberedPath &path : paths) {
      const Tensor &got = tensors[path.number];
      auto want = readNpy(path.path, got.dtype);
      if (!want)
        return want.takeError();
      adoptSign(*want, got.dtype);
      std::string text = compareTensors(got, *want, options.rtol, options.atol);
      if (text.empty())
        continue;
      llvm::WithColor::error(llvm::errs(), "dlc-run")
          << what << ' ' << path.number << ": " << text << '\n';
      code = kMismatch;
    }
    return llvm::Error::success();
  };
  auto save = [&](ArrayRef<NumberedPath> paths,
                  ArrayRef<Tensor> tensors) -> llvm::Error {
    for (const NumberedPath &path : paths)
      if (auto error = writeNpyFile(path.path, tensors[path.number]))
        return error;
    return llvm::Error::success();
  };
  if (auto error = save(options.saveResults, outputs))
    return fail(std::move(error), kInputError);
  if (auto error = save(options.saveArguments, arguments))
    return fail(std::move(error), kInputError);
  if (auto error = compare(options.expectResults, outputs, "result"))
    return fail(std::move(error), kInputError);
  if (auto error = compare(options.expectArguments, arguments, "argument"))
    return fail(std::move(error), kInputError);
  return code;
}

static int runEntry(const RunOptions &options, const Executable &executable,
                    const EntryInfo &entry) {
  if (auto error = checkFiles(options, entry))
    return fail(std::move(error), kInputError);
  auto arguments = makeArguments(options, entry);
  if (!arguments)
    return fail(arguments.takeError(), kInputError);
  std::vector<TensorView> views(arguments->begin(), arguments->end());
  std::vector<Tensor> outputs;
  if (auto error = executable.run(entry, views, outputs, options.threads))
    return fail(std::move(error), kRunError);
  if (!options.quiet) {
    for (auto [info, tensor] : llvm::zip_equal(entry.outputs, outputs)) {
      llvm::outs() << info.name << ": ";
      printTensor(llvm::outs(), tensor);
    }
    for (auto [info, tensor] : llvm::zip_equal(entry.inputs, *arguments)) {
      if (info.kind != ArgumentInfo::Kind::MemRef)
        continue;
      llvm::outs() << info.name << ": ";
      printTensor(llvm::outs(), tensor);
    }
  }
  int code = finish(options, entry, *arguments, outputs);
  if (code == kOk && options.benchmark)
    if (auto error = benchmark(executable, entry, views, options))
      return fail(std::move(error), kRunError);
  return code;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  auto options = parseOptions(ArrayRef(argv + 1, argc - 1));
  if (!options)
    return fail(options.takeError(), kInputError);
  if (options->help) {
    llvm::outs() << getHelpText();
    return kOk;
  }

  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllDLC(registry);
  MLIRContext context(registry);
  // The location says it; a module with weights would fill the screen.
  context.printOpOnDiagnostic(false);
  std::string message;
  auto buffer = openInputFile(options->file, &message);
  if (!buffer)
    return fail(llvm::createStringError(message), kInputError);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(*sources, &context);
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  if (!module)
    return kInputError;

  if (options->target == "gpu-emulator")
    return emulateKernel(*options, *module);

  CompileOptions compile;
  compile.cpu = options->cpu;
  compile.optLevel = options->optLevel;
  compile.stage = options->stage;
  auto executable = Executable::compile(std::move(module), compile);
  if (failed(executable))
    return kInputError;
  if (options->times) {
    const CompileTimes &t = (*executable)->getCompileTimes();
    llvm::outs() << llvm::format(
        "compile: lower %.1f ms, translate %.1f ms, optimize %.1f ms, emit "
        "%.1f ms, link %.1f ms\n",
        t.lower, t.translate, t.optimize, t.emit, t.link);
  }
  if (options->list) {
    listEntries(**executable);
    return kOk;
  }
  const EntryInfo *entry = (*executable)->lookupEntry(options->entry);
  if (!entry && (*executable)->getEntries().empty())
    return fail(llvm::createStringError(
                    "expected a public function with a body, but the module "
                    "has none (in the LLVM dialect, one that DLC's pipelines "
                    "have lowered)"),
                kInputError);
  if (!entry) {
    std::string names;
    for (const EntryInfo &info : (*executable)->getEntries())
      names += (names.empty() ? "" : ", ") + info.name;
    return fail(llvm::createStringError(
                    options->entry.empty()
                        ? "expected --entry=NAME, because the module has "
                          "these public functions: " +
                              names
                        : "expected --entry to name a public function (" +
                              names + "), but got '" + options->entry + "'"),
                kInputError);
  }
  return runEntry(*options, **executable, *entry);
}
