//===- Weights.cpp - Large constants stay where they are ------------------===//
//
// Turns globals with a resource blob into external symbols, so that a weight
// is never copied into the LLVM module or the machine code.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace mlir::dlc;

/// Smaller constants are better inside the code, where LLVM can fold them.
static constexpr size_t kMinBytes = 1024;

/// The bytes of `attr` as they lie in memory, or nothing when the attribute
/// keeps them in another form.
static ArrayRef<char> getRawBytes(Attribute attr) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attr)) {
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      return blob->getData();
    return {};
  }
  auto dense = dyn_cast<DenseElementsAttr>(attr);
  // i1 is packed into bits; a splat is one element.
  if (!dense || dense.isSplat() || !dense.getElementType().isIntOrFloat() ||
      dense.getElementType().isInteger(1))
    return {};
  return dense.getRawData();
}

SmallVector<Weight> mlir::dlc::externalizeWeights(ModuleOp module) {
  SmallVector<Weight> weights;
  module.walk([&](LLVM::GlobalOp global) {
    Attribute value = global.getValueAttr();
    if (!value)
      return;
    ArrayRef<char> data = getRawBytes(value);
    if (data.empty() ||
        (data.size() < kMinBytes && !isa<DenseResourceElementsAttr>(value)))
      return;
    weights.push_back({global.getSymName().str(), data});
    global.removeValueAttr();
    global.setLinkage(LLVM::Linkage::External);
    global.setDsoLocal(false);
  });
  return weights;
}
