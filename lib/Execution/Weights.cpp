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
static constexpr size_t kMinSplatBytes = 64 * 1024;

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

/// The memory of a large splat, made here once: LLVM would hold it element by
/// element, and so would the object file. Nothing for other attributes.
static std::shared_ptr<char> expandSplat(Attribute attr, size_t &size) {
  auto dense = dyn_cast<DenseElementsAttr>(attr);
  if (!dense || !dense.isSplat() || !dense.getElementType().isIntOrFloat() ||
      dense.getElementType().isInteger(1))
    return nullptr;
  ArrayRef<char> element = dense.getRawData();
  size = element.size() * dense.getNumElements();
  if (size < kMinSplatBytes)
    return nullptr;
  // Zeros cost no memory until somebody reads them.
  std::shared_ptr<char> memory(static_cast<char *>(std::calloc(size, 1)),
                               [](char *pointer) { std::free(pointer); });
  if (memory && llvm::any_of(element, [](char byte) { return byte != 0; }))
    for (size_t i = 0; i < size; i += element.size())
      std::memcpy(memory.get() + i, element.data(), element.size());
  return memory;
}

SmallVector<Weight> mlir::dlc::externalizeWeights(ModuleOp module) {
  SmallVector<Weight> weights;
  module.walk([&](LLVM::GlobalOp global) {
    Attribute value = global.getValueAttr();
    if (!value)
      return;
    ArrayRef<char> data = getRawBytes(value);
    size_t splatSize = 0;
    std::shared_ptr<char> splat = expandSplat(value, splatSize);
    if (splat)
      data = ArrayRef<char>(splat.get(), splatSize);
    if (data.empty() ||
        (data.size() < kMinBytes && !isa<DenseResourceElementsAttr>(value)))
      return;
    weights.push_back({global.getSymName().str(), data, std::move(splat)});
    global.removeValueAttr();
    global.setLinkage(LLVM::Linkage::External);
    global.setDsoLocal(false);
    // Bufferization asks for 64 bytes; the blob lies where its owner put it.
    auto address = reinterpret_cast<uintptr_t>(data.data());
    global.setAlignment(std::min<uint64_t>(64, address & -address));
  });
  return weights;
}
