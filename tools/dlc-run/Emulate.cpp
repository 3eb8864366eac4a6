//===- Emulate.cpp - dlc-run --target=gpu-emulator ------------------------===//
//
// Makes the buffers, expands memref arguments to descriptors as
// convert-gpu-to-nvvm does, runs the kernel and prints the report.
//
//===----------------------------------------------------------------------===//

#include "Emulate.h"

#include "DLC/Emulator/Emulator.h"
#include "DLC/Execution/Npy.h"
#include "Values.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"
#include <cstring>

using namespace mlir;
using namespace mlir::dlc;

static int fail(llvm::Error error) {
  llvm::WithColor::error(llvm::errs(), "dlc-run")
      << llvm::toString(std::move(error)) << '\n';
  return kInputError;
}

/// Whether `entry`, "kernel" or "module::kernel", names `function`.
static bool isNamed(Operation *function, StringRef entry) {
  auto [module, kernel] = entry.rsplit("::");
  StringRef name = SymbolTable::getSymbolName(function).getValue();
  if (kernel.empty())
    return name == entry;
  auto parent = function->getParentOfType<gpu::GPUModuleOp>();
  return name == kernel && parent && parent.getName() == module;
}

/// The kernel's arguments as the user writes them.
static llvm::Expected<std::vector<ArgumentInfo>>
describeArguments(gpu::GPUFuncOp kernel) {
  std::vector<ArgumentInfo> infos;
  unsigned numArguments = kernel.getFunctionType().getNumInputs();
  for (unsigned i = 0; i < numArguments; ++i) {
    Type type = kernel.getFunctionType().getInput(i);
    ArgumentInfo info;
    info.name = ("arg" + Twine(i)).str();
    info.kind = ArgumentInfo::Kind::Scalar;
    Type element = type;
    if (auto memref = dyn_cast<MemRefType>(type)) {
      info.kind = ArgumentInfo::Kind::MemRef;
      info.shape.assign(memref.getShape().begin(), memref.getShape().end());
      element = memref.getElementType();
      if (!memref.getLayout().isIdentity())
        return llvm::createStringError(
            "argument %u: expected a memref without a layout", i);
    }
    std::optional<DType> dtype = getDType(element, false);
    if (!dtype) {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      return llvm::createStringError(
          "argument %u: expected a memref or a number, but got %s", i,
          text.c_str());
    }
    info.dtype = *dtype;
    infos.push_back(info);
  }
  return infos;
}

/// Integers of a buffer have the kernel's signedness.
static llvm::Error checkType(Tensor &tensor, const ArgumentInfo &info) {
  auto isInteger = [](DType d) { return d >= DType::I8 && d <= DType::U64; };
  if (isInteger(tensor.dtype) && isInteger(info.dtype) &&
      getByteSize(tensor.dtype) == getByteSize(info.dtype))
    tensor.dtype = info.dtype;
  bool fits =
      tensor.dtype == info.dtype && tensor.shape.size() == info.shape.size();
  if (fits)
    for (auto [got, want] : llvm::zip_equal(tensor.shape, info.shape))
      fits &= ShapedType::isDynamic(want) || got == want;
  if (fits)
    return llvm::Error::success();
  std::string want;
  for (int64_t size : info.shape)
    want += ShapedType::isDynamic(size) ? "?x" : std::to_string(size) + "x";
  return llvm::createStringError("expected " + want + getName(info.dtype) +
                                 ", but got " + printType(tensor));
}

static llvm::Expected<std::vector<Tensor>>
makeArguments(const RunOptions &options, ArrayRef<ArgumentInfo> infos) {
  if (options.arguments.size() != infos.size())
    return llvm::createStringError("'%s' expected %zu --arg, but got %zu",
                                   options.entry.c_str(), infos.size(),
                                   options.arguments.size());
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < infos.size(); ++i) {
    auto tensor =
        makeArgument(options.arguments[i], infos[i], options.seed + i);
    if (!tensor)
      return llvm::createStringError("--arg #" + Twine(i) + ": " +
                                     llvm::toString(tensor.takeError()));
    if (llvm::Error error = checkType(*tensor, infos[i]))
      return llvm::createStringError("--arg #" + Twine(i) + ": " +
                                     llvm::toString(std::move(error)));
    tensors.push_back(*tensor);
  }
  return tensors;
}

/// A memref is pointer, aligned pointer, offset, sizes, strides.
static llvm::Error setArguments(Emulator &emulator,
                                ArrayRef<ArgumentInfo> infos,
                                ArrayRef<Tensor> tensors) {
  std::vector<uint64_t> values;
  for (auto [info, tensor] : llvm::zip_equal(infos, tensors)) {
    if (info.kind == ArgumentInfo::Kind::Scalar) {
      uint64_t bits = 0;
      std::memcpy(&bits, tensor.data, getByteSize(tensor.dtype));
      values.push_back(bits);
      continue;
    }
    uint64_t address = emulator.addBuffer(tensor.data, tensor.getNumBytes());
    values.insert(values.end(), {address, address, 0});
    values.insert(values.end(), tensor.shape.begin(), tensor.shape.end());
    SmallVector<uint64_t> strides(tensor.shape.size(), 1);
    for (int dim = static_cast<int>(strides.size()) - 2; dim >= 0; --dim)
      strides[dim] = strides[dim + 1] * tensor.shape[dim + 1];
    values.insert(values.end(), strides.begin(), strides.end());
  }
  if (values.size() != emulator.getNumArguments())
    return llvm::createStringError(
        "expected the lowered kernel to have %zu arguments, but got %u",
        values.size(), emulator.getNumArguments());
  for (auto [i, value] : llvm::enumerate(values))
    emulator.setArgument(i, value);
  return llvm::Error::success();
}

static llvm::Error writeReport(const RunOptions &options,
                               const EmulatorReport &report) {
  if (options.emulatorReport.empty())
    return llvm::Error::success();
  std::string message;
  auto file = openOutputFile(options.emulatorReport, &message);
  if (!file)
    return llvm::createStringError(message);
  printJson(file->os(), options.entry, report);
  file->keep();
  return llvm::Error::success();
}

/// Prints, saves and compares the buffers.
static llvm::Expected<int> finish(const RunOptions &options,
                                  ArrayRef<ArgumentInfo> infos,
                                  ArrayRef<Tensor> tensors) {
  int code = kOk;
  if (!options.quiet)
    for (auto [info, tensor] : llvm::zip_equal(infos, tensors)) {
      if (info.kind != ArgumentInfo::Kind::MemRef)
        continue;
      llvm::outs() << info.name << ": ";
      printTensor(llvm::outs(), tensor);
    }
  for (const NumberedPath &path : options.saveArguments) {
    if (path.number >= tensors.size())
      return llvm::createStringError("--save-arg: no argument %u", path.number);
    if (auto error = writeNpyFile(path.path, tensors[path.number]))
      return std::move(error);
  }
  for (const NumberedPath &path : options.expectArguments) {
    if (path.number >= tensors.size())
      return llvm::createStringError("--expect-arg: no argument %u",
                                     path.number);
    const Tensor &got = tensors[path.number];
    auto want = readNpy(path.path, got.dtype);
    if (!want)
      return want.takeError();
    std::string text = compareTensors(got, *want, options.rtol, options.atol);
    if (text.empty())
      continue;
    llvm::WithColor::error(llvm::errs(), "dlc-run")
        << "argument " << path.number << ": " << text << '\n';
    code = kMismatch;
  }
  return code;
}

static llvm::Expected<std::vector<ArgumentInfo>>
findKernel(const RunOptions &options, ModuleOp module) {
  gpu::GPUFuncOp kernel;
  std::string names;
  module.walk([&](gpu::GPUFuncOp function) {
    if (!function.isKernel())
      return;
    names += (names.empty() ? "" : ", ") + function.getName().str();
    if (isNamed(function, options.entry))
      kernel = function;
  });
  if (!kernel)
    return llvm::createStringError(
        "expected --entry to name a kernel (%s), but got '%s'", names.c_str(),
        options.entry.c_str());
  return describeArguments(kernel);
}

int mlir::dlc::emulateKernel(const RunOptions &options, ModuleOp module) {
  auto infos = findKernel(options, module);
  if (!infos)
    return fail(infos.takeError());
  auto tensors = makeArguments(options, *infos);
  if (!tensors)
    return fail(tensors.takeError());
  if (failed(lowerToEmulatorLevel(module)))
    return kInputError;
  LLVM::LLVMFuncOp kernel;
  module.walk([&](LLVM::LLVMFuncOp function) {
    if (isNamed(function, options.entry))
      kernel = function;
  });
  if (!kernel)
    return fail(llvm::createStringError("the kernel '%s' was not lowered",
                                        options.entry.c_str()));
  auto emulator = Emulator::create(kernel);
  if (failed(emulator))
    return kInputError;
  if (llvm::Error error = setArguments(**emulator, *infos, *tensors))
    return fail(std::move(error));
  LaunchShape shape{options.grid, options.block, options.dynamicShared};
  auto report = (*emulator)->run(shape, !options.noChecks);
  if (!report)
    return fail(report.takeError());
  printFindings(llvm::outs(), *report);
  if (options.times)
    llvm::outs() << llvm::format(
        "emulator: %llu thread instructions in %.1f ms, %.0f million/s\n",
        static_cast<unsigned long long>(report->counters.threadInstructions),
        report->seconds * 1e3,
        report->counters.threadInstructions / report->seconds * 1e-6);
  if (llvm::Error error = writeReport(options, *report))
    return fail(std::move(error));
  auto code = finish(options, *infos, *tensors);
  if (!code)
    return fail(code.takeError());
  return report->findings.empty() ? *code : kRunError;
}
