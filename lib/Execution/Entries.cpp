//===- Entries.cpp - The functions that can be called from outside --------===//
//
// Describes public functions before they are lowered, and gives each the one
// calling convention that the run time knows.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "DLC/Runtime/Library.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::dlc;

/// Whether row-major data fit the layout of `type`; `isFree` says whether all
/// others do as well.
static bool fitsRowMajor(MemRefType type, bool &isFree) {
  isFree = false;
  if (type.getLayout().isIdentity())
    return true;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      (offset != 0 && !ShapedType::isDynamic(offset)))
    return false;
  isFree = llvm::all_of(strides, ShapedType::isDynamic);
  int64_t expected = 1;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    if (!ShapedType::isDynamic(strides[dim]) && strides[dim] != expected)
      return false;
    // A static stride never matches a product of dynamic sizes.
    expected = ShapedType::isDynamic(expected) || type.isDynamicDim(dim)
                   ? ShapedType::kDynamic
                   : expected * type.getDimSize(dim);
  }
  return true;
}

/// Describes a value of `type` with the attributes `attrs` of the function's
/// argument or result. Nothing when the type cannot cross the interface.
static std::optional<ArgumentInfo> describe(Type type, DictionaryAttr attrs,
                                            StringRef defaultName) {
  ArgumentInfo info;
  info.name = defaultName.str();
  bool isUnsigned = false;
  if (attrs) {
    if (auto name = attrs.getAs<StringAttr>("dlc.name"))
      info.name = name.str();
    isUnsigned = attrs.contains("dlc.unsigned");
    if (auto dims = attrs.getAs<ArrayAttr>("dlc.dims"))
      for (Attribute dim : dims)
        if (auto text = dyn_cast<StringAttr>(dim))
          info.dims.push_back(text.str());
  }
  info.kind = ArgumentInfo::Kind::Scalar;
  if (auto shaped = dyn_cast<ShapedType>(type)) {
    if (!isa<RankedTensorType, MemRefType>(type) ||
        shaped.getRank() > DLC_MAX_RANK)
      return std::nullopt;
    info.kind = isa<MemRefType>(type) ? ArgumentInfo::Kind::MemRef
                                      : ArgumentInfo::Kind::Tensor;
    info.shape.assign(shaped.getShape().begin(), shaped.getShape().end());
    auto memref = dyn_cast<MemRefType>(type);
    if (memref && !fitsRowMajor(memref, info.stridesAreFree))
      return std::nullopt;
    type = shaped.getElementType();
  }
  info.dims.resize(info.shape.size());
  std::optional<DType> dtype = getDType(type, isUnsigned);
  if (!dtype)
    return std::nullopt;
  info.dtype = *dtype;
  return info;
}

namespace {
/// The type of an entry and the attributes of its arguments and results, from
/// the function or from the record that `dlc-protect-arguments` made of it.
struct Signature {
  FunctionType type;
  ArrayAttr arguments, results;
};
} // namespace

static std::optional<Signature> getSignature(FunctionOpInterface function) {
  Signature signature;
  if (auto record = function->getAttrOfType<DictionaryAttr>("dlc.entry")) {
    auto type = record.getAs<TypeAttr>("type");
    signature.type = type ? dyn_cast<FunctionType>(type.getValue()) : nullptr;
    signature.arguments = record.getAs<ArrayAttr>("arguments");
    signature.results = record.getAs<ArrayAttr>("results");
  } else {
    signature.type = dyn_cast<FunctionType>(function.getFunctionType());
    signature.arguments = function.getArgAttrsAttr();
    signature.results = function.getResAttrsAttr();
  }
  if (!signature.type)
    return std::nullopt;
  return signature;
}

static LogicalResult describeValues(FunctionOpInterface function,
                                    TypeRange types, ArrayAttr attrs,
                                    StringRef what, StringRef prefix,
                                    std::vector<ArgumentInfo> &infos) {
  for (auto [i, type] : llvm::enumerate(types)) {
    auto dictionary = attrs && i < attrs.size()
                          ? dyn_cast<DictionaryAttr>(attrs[i])
                          : DictionaryAttr();
    auto info = describe(type, dictionary, (prefix + Twine(i)).str());
    if (!info)
      return mlir::emitError(function.getLoc())
             << "'" << function.getName() << "' expected " << what << " #" << i
             << " to be a tensor, a row-major or strided memref, both of "
                "rank 16 or less, or a scalar, of a type that has a NumPy "
                "dtype, but got "
             << type;
    infos.push_back(*info);
  }
  return success();
}

FailureOr<std::vector<EntryInfo>> mlir::dlc::describeEntries(ModuleOp module) {
  std::vector<EntryInfo> entries;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    if (!function.isPublic() || function.isExternal() ||
        function.getName().starts_with("_mlir_ciface_"))
      continue;
    // Functions of the LLVM dialect are entries when their record is there.
    std::optional<Signature> signature = getSignature(function);
    if (!signature)
      continue;
    EntryInfo &entry = entries.emplace_back();
    entry.name = function.getName().str();
    if (failed(describeValues(function, signature->type.getInputs(),
                              signature->arguments, "argument", "arg",
                              entry.inputs)) ||
        failed(describeValues(function, signature->type.getResults(),
                              signature->results, "result", "result",
                              entry.outputs)))
      return failure();
    function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                      UnitAttr::get(module->getContext()));
  }
  return entries;
}

/// args[i] of the entry's argument array.
static Value loadPointer(OpBuilder &builder, Location loc, Value array,
                         int64_t i) {
  auto ptr = LLVM::LLVMPointerType::get(builder.getContext());
  Value slot = LLVM::GEPOp::create(builder, loc, ptr, ptr, array,
                                   ArrayRef<LLVM::GEPArg>{(int32_t)i});
  return LLVM::LoadOp::create(builder, loc, ptr, slot);
}

/// Writes the body of dlc_entry_<name>: unpacks the array, calls the C
/// interface and stores the results.
static LogicalResult buildEntry(OpBuilder &builder, ModuleOp module,
                                const EntryInfo &entry) {
  auto callee =
      module.lookupSymbol<LLVM::LLVMFuncOp>("_mlir_ciface_" + entry.name);
  if (!callee)
    return mlir::emitError(module.getLoc())
           << "expected a C interface of '" << entry.name
           << "' after lowering, but there is none";
  Location loc = callee.getLoc();
  MLIRContext *context = builder.getContext();
  auto ptr = LLVM::LLVMPointerType::get(context);
  auto voidType = LLVM::LLVMVoidType::get(context);
  auto function =
      LLVM::LLVMFuncOp::create(builder, loc, "dlc_entry_" + entry.name,
                               LLVM::LLVMFunctionType::get(voidType, {ptr}));
  OpBuilder::InsertionGuard guard(builder);
  Block *body = function.addEntryBlock(builder);
  builder.setInsertionPointToStart(body);
  Value array = body->getArgument(0);

  SmallVector<Value> operands;
  LLVM::LLVMFunctionType type = callee.getFunctionType();
  size_t numOutputs = entry.outputs.size();
  bool resultByPointer =
      type.getNumParams() == entry.inputs.size() + 1 && numOutputs != 0;
  // One result is written in place; several come as one struct and are then
  // taken apart.
  Value storage;
  Type structType;
  if (resultByPointer && numOutputs == 1) {
    operands.push_back(loadPointer(builder, loc, array, entry.inputs.size()));
  } else if (resultByPointer) {
    auto original = module.lookupSymbol<LLVM::LLVMFuncOp>(entry.name);
    structType = original.getFunctionType().getReturnType();
    Value one = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                         builder.getI64IntegerAttr(1));
    storage = LLVM::AllocaOp::create(builder, loc, ptr, structType, one);
    operands.push_back(storage);
  }
  for (auto [i, input] : llvm::enumerate(entry.inputs)) {
    Value pointer = loadPointer(builder, loc, array, i);
    if (input.kind == ArgumentInfo::Kind::Scalar)
      pointer = LLVM::LoadOp::create(
          builder, loc, type.getParamType(operands.size()), pointer);
    operands.push_back(pointer);
  }
  auto call = LLVM::CallOp::create(builder, loc, callee, operands);
  auto store = [&](Value value, int64_t i) {
    Value target = loadPointer(builder, loc, array, entry.inputs.size() + i);
    LLVM::StoreOp::create(builder, loc, value, target);
  };
  Value results =
      storage ? Value(LLVM::LoadOp::create(builder, loc, structType, storage))
              : (call->getNumResults() ? call->getResult(0) : Value());
  if (results && numOutputs == 1)
    store(results, 0);
  for (size_t i = 0; results && numOutputs > 1 && i < numOutputs; ++i)
    store(LLVM::ExtractValueOp::create(builder, loc, results, (int64_t)i), i);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  return success();
}

LogicalResult mlir::dlc::addEntryFunctions(ModuleOp module,
                                           ArrayRef<EntryInfo> entries) {
  OpBuilder builder(module.getBodyRegion());
  builder.setInsertionPointToEnd(module.getBody());
  for (const EntryInfo &entry : entries) {
    if (module.lookupSymbol("dlc_entry_" + entry.name))
      continue;
    if (failed(buildEntry(builder, module, entry)))
      return failure();
  }
  return success();
}
