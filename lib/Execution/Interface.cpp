//===- Interface.cpp - The C functions of a library -----------------------===//
//
// Builds the constant tables of DLC/Runtime/Library.h and, per entry, a
// function that hands them to the runtime. LLVM IR and not C, because the user
// may have no C compiler.
//
//===----------------------------------------------------------------------===//

#include "LibraryParts.h"

#include "DLC/Runtime/Library.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace mlir::dlc;

std::vector<std::string> mlir::dlc::makeCNames(ArrayRef<EntryInfo> entries,
                                               const LibraryOptions &options) {
  // The library's own functions have these names.
  llvm::StringSet<> taken;
  taken.insert(options.name + "_free");
  taken.insert(options.name + "_functions");
  std::vector<std::string> names;
  for (const EntryInfo &entry : entries) {
    std::string name = options.name + "_";
    for (char c : entry.name)
      name += llvm::isAlnum(c) ? c : '_';
    std::string unique = name;
    for (unsigned i = 2; !taken.insert(unique).second; ++i)
      unique = name + "_" + std::to_string(i);
    names.push_back(unique);
  }
  return names;
}

std::string mlir::dlc::makeEntrySymbol(const LibraryOptions &options,
                                       size_t entry, size_t variant) {
  return options.name + ".entry" + std::to_string(entry) + "." +
         std::to_string(variant);
}

LogicalResult mlir::dlc::checkLibraryName(ModuleOp module,
                                          const LibraryOptions &options) {
  StringRef name = options.name;
  if (!name.empty() && !llvm::isDigit(name[0]) &&
      llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; }))
    return success();
  return mlir::emitError(module.getLoc())
         << "expected the name of the library to be a C identifier, but got '"
         << name << "'";
}

namespace {
/// Makes constants of the structs of DLC/Runtime/Library.h.
class InterfaceBuilder {
public:
  InterfaceBuilder(llvm::Module &module, const LibraryOptions &options)
      : module(module), options(options), builder(module.getContext()),
        ptr(builder.getPtrTy()), i32(builder.getInt32Ty()) {}

  void build(ArrayRef<EntryInfo> entries, ArrayRef<std::string> features);

private:
  llvm::Constant *makeString(StringRef text);
  llvm::Constant *makeTable(ArrayRef<llvm::Constant *> rows, llvm::Type *type);
  llvm::Constant *makeStruct(ArrayRef<llvm::Constant *> fields);
  llvm::Constant *makeInt(int64_t value) {
    return llvm::ConstantInt::get(i32, value, /*isSigned=*/true);
  }
  llvm::Constant *makeValues(ArrayRef<ArgumentInfo> infos);
  llvm::Constant *makeVariants(size_t entry, ArrayRef<std::string> features);
  llvm::Constant *makeFunction(const EntryInfo &info, size_t index,
                               ArrayRef<std::string> features);
  void addCall(StringRef name, llvm::Constant *table, size_t index);
  void addFunctions(llvm::Constant *table, size_t count);
  void addFree();

  llvm::Module &module;
  const LibraryOptions &options;
  llvm::IRBuilder<> builder;
  llvm::PointerType *ptr;
  llvm::IntegerType *i32;
};
} // namespace

llvm::Constant *InterfaceBuilder::makeString(StringRef text) {
  llvm::Constant *data =
      llvm::ConstantDataArray::getString(module.getContext(), text);
  return new llvm::GlobalVariable(module, data->getType(), /*isConstant=*/true,
                                  llvm::GlobalValue::PrivateLinkage, data);
}

/// An array in memory; null when empty.
llvm::Constant *InterfaceBuilder::makeTable(ArrayRef<llvm::Constant *> rows,
                                            llvm::Type *type) {
  if (rows.empty())
    return llvm::ConstantPointerNull::get(ptr);
  auto *arrayType = llvm::ArrayType::get(type, rows.size());
  return new llvm::GlobalVariable(module, arrayType, /*isConstant=*/true,
                                  llvm::GlobalValue::PrivateLinkage,
                                  llvm::ConstantArray::get(arrayType, rows));
}

llvm::Constant *
InterfaceBuilder::makeStruct(ArrayRef<llvm::Constant *> fields) {
  return llvm::ConstantStruct::getAnon(fields);
}

/// An array of dlc_value.
llvm::Constant *InterfaceBuilder::makeValues(ArrayRef<ArgumentInfo> infos) {
  SmallVector<llvm::Constant *> rows;
  for (const ArgumentInfo &info : infos) {
    SmallVector<llvm::Constant *> shape, dims;
    for (auto [size, dim] : llvm::zip_equal(info.shape, info.dims)) {
      shape.push_back(builder.getInt64(static_cast<uint64_t>(size)));
      dims.push_back(makeString(dim));
    }
    rows.push_back(makeStruct(
        {makeString(info.name), makeInt(static_cast<int32_t>(info.kind)),
         makeInt(static_cast<int32_t>(info.dtype)),
         makeInt(static_cast<int64_t>(shape.size())),
         makeInt(info.stridesAreFree), makeTable(shape, builder.getInt64Ty()),
         makeTable(dims, ptr)}));
  }
  return makeTable(rows, rows.empty() ? nullptr : rows.front()->getType());
}

/// An array of dlc_variant.
llvm::Constant *InterfaceBuilder::makeVariants(size_t entry,
                                               ArrayRef<std::string> features) {
  auto *type =
      llvm::FunctionType::get(builder.getVoidTy(), {ptr}, /*isVarArg=*/false);
  SmallVector<llvm::Constant *> rows;
  for (auto [i, text] : llvm::enumerate(features)) {
    auto *code =
        llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage,
                               makeEntrySymbol(options, entry, i), module);
    code->setVisibility(llvm::GlobalValue::HiddenVisibility);
    rows.push_back(makeStruct({makeString(text), code}));
  }
  return makeTable(rows, rows.front()->getType());
}

/// A dlc_function.
llvm::Constant *InterfaceBuilder::makeFunction(const EntryInfo &info,
                                               size_t index,
                                               ArrayRef<std::string> features) {
  auto *chosen =
      new llvm::GlobalVariable(module, i32, /*isConstant=*/false,
                               llvm::GlobalValue::PrivateLinkage, makeInt(0));
  return makeStruct({makeString(info.name),
                     makeInt(static_cast<int64_t>(info.inputs.size())),
                     makeInt(static_cast<int64_t>(info.outputs.size())),
                     makeValues(info.inputs), makeValues(info.outputs),
                     makeInt(static_cast<int64_t>(features.size())),
                     makeVariants(index, features), chosen});
}

/// int32_t <name>(inputs, outputs, num_threads, error), which is dlc_call with
/// the function's description in front.
void InterfaceBuilder::addCall(StringRef name, llvm::Constant *table,
                               size_t index) {
  auto *type = llvm::FunctionType::get(i32, {ptr, ptr, i32, ptr}, false);
  auto *function = llvm::Function::Create(
      type, llvm::GlobalValue::ExternalLinkage, name, module);
  auto callee = module.getOrInsertFunction(
      "dlc_call",
      llvm::FunctionType::get(i32, {ptr, ptr, ptr, i32, ptr}, false));
  builder.SetInsertPoint(
      llvm::BasicBlock::Create(module.getContext(), "", function));
  auto *array = cast<llvm::GlobalVariable>(table)->getValueType();
  llvm::Value *row = builder.CreateConstInBoundsGEP2_64(array, table, 0, index);
  builder.CreateRet(
      builder.CreateCall(callee, {row, function->getArg(0), function->getArg(1),
                                  function->getArg(2), function->getArg(3)}));
}

/// const dlc_function *<name>_functions(int32_t *count).
void InterfaceBuilder::addFunctions(llvm::Constant *table, size_t count) {
  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(ptr, {ptr}, false),
      llvm::GlobalValue::ExternalLinkage, options.name + "_functions", module);
  builder.SetInsertPoint(
      llvm::BasicBlock::Create(module.getContext(), "", function));
  builder.CreateStore(makeInt(static_cast<int64_t>(count)),
                      function->getArg(0));
  builder.CreateRet(table);
}

/// void <name>_free(dlc_tensor *output).
void InterfaceBuilder::addFree() {
  auto *type = llvm::FunctionType::get(builder.getVoidTy(), {ptr}, false);
  auto *function = llvm::Function::Create(
      type, llvm::GlobalValue::ExternalLinkage, options.name + "_free", module);
  builder.SetInsertPoint(
      llvm::BasicBlock::Create(module.getContext(), "", function));
  builder.CreateCall(module.getOrInsertFunction("dlc_tensor_free", type),
                     {function->getArg(0)});
  builder.CreateRetVoid();
}

void InterfaceBuilder::build(ArrayRef<EntryInfo> entries,
                             ArrayRef<std::string> features) {
  SmallVector<llvm::Constant *> rows;
  for (auto [i, entry] : llvm::enumerate(entries))
    rows.push_back(makeFunction(entry, i, features));
  llvm::Constant *table =
      makeTable(rows, rows.empty() ? nullptr : rows.front()->getType());
  for (auto [i, name] : llvm::enumerate(makeCNames(entries, options)))
    addCall(name, table, i);
  addFunctions(table, rows.size());
  addFree();
}

std::unique_ptr<llvm::Module> mlir::dlc::buildInterface(
    llvm::LLVMContext &context, ArrayRef<EntryInfo> entries,
    ArrayRef<std::string> features, const LibraryOptions &options) {
  auto module = std::make_unique<llvm::Module>(options.name, context);
  InterfaceBuilder(*module, options).build(entries, features);
  return module;
}
