//===- Translate.cpp - From the LLVM dialect to LLVM IR -------------------===//
//
// The dialects that a lowered module may hold, and the target's layout.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/OpenMP/OpenMPToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::dlc;

/// Names and dimensions of arguments mean nothing to LLVM, and the translation
/// warns about attributes that it does not know.
static void removeParameterAttributes(LLVM::LLVMFuncOp function) {
  auto isOwn = [](NamedAttribute attr) {
    return attr.getName().strref().starts_with("dlc.");
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    for (NamedAttribute attr :
         llvm::to_vector(function_interface_impl::getArgAttrs(function, i)))
      if (isOwn(attr))
        function.removeArgAttr(i, attr.getName());
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    for (NamedAttribute attr :
         llvm::to_vector(function_interface_impl::getResultAttrs(function, i)))
      if (isOwn(attr))
        function.removeResultAttr(i, attr.getName());
}

std::unique_ptr<llvm::Module>
mlir::dlc::translateToLLVM(ModuleOp module, llvm::LLVMContext &context,
                           llvm::TargetMachine &machine) {
  registerBuiltinDialectTranslation(*module->getContext());
  registerLLVMDialectTranslation(*module->getContext());
  registerOpenMPDialectTranslation(*module->getContext());
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    removeParameterAttributes(function);
  std::unique_ptr<llvm::Module> result =
      translateModuleToLLVMIR(module, context);
  if (!result)
    return nullptr;
  result->setDataLayout(machine.createDataLayout());
  result->setTargetTriple(machine.getTargetTriple());
  return result;
}
