//===- Call.cpp - One call of a compiled function -------------------------===//
//
// Hands a call over to the runtime, which checks and runs it.
//
//===----------------------------------------------------------------------===//

#include "DLC/Runtime/Runtime.h"
#include "ExecutableImpl.h"
#include "TensorToC.h"

using namespace mlir;
using namespace mlir::dlc;

static_assert(ShapedType::kDynamic == DLC_DYNAMIC);
static_assert(static_cast<int32_t>(DType::C128) == DLC_COMPLEX128);

void FunctionDescription::describe(ArrayRef<ArgumentInfo> infos,
                                   std::vector<dlc_value> &values) {
  for (const ArgumentInfo &info : infos) {
    auto &names = dims.emplace_back();
    for (const std::string &dim : info.dims)
      names.push_back(dim.c_str());
    dlc_value &value = values.emplace_back();
    value.name = info.name.c_str();
    value.kind = static_cast<int32_t>(info.kind);
    value.dtype = static_cast<int32_t>(info.dtype);
    value.rank = static_cast<int32_t>(info.shape.size());
    value.strides_are_free = info.stridesAreFree;
    value.shape = info.shape.data();
    value.dims = names.data();
  }
}

FunctionDescription::FunctionDescription(const EntryInfo &info,
                                         void (*entry)(void **))
    : variant{"", entry} {
  describe(info.inputs, inputs);
  describe(info.outputs, outputs);
  function.name = info.name.c_str();
  function.num_inputs = static_cast<int32_t>(inputs.size());
  function.num_outputs = static_cast<int32_t>(outputs.size());
  function.inputs = inputs.data();
  function.outputs = outputs.data();
  function.num_variants = 1;
  function.variants = &variant;
  function.chosen = &chosen;
}

/// Takes over what the runtime allocated.
static Tensor adopt(const dlc_tensor &output) {
  Tensor tensor;
  tensor.data = output.data;
  tensor.dtype = static_cast<DType>(output.dtype);
  tensor.shape.assign(output.shape, output.shape + output.rank);
  tensor.owner = std::shared_ptr<void>(output.owner, [](void *owner) {
    dlc_tensor tensor = {};
    tensor.owner = owner;
    dlc_tensor_free(&tensor);
  });
  return tensor;
}

llvm::Error Executable::run(const EntryInfo &entry, ArrayRef<TensorView> inputs,
                            std::vector<Tensor> &outputs,
                            unsigned numThreads) const {
  outputs.clear();
  if (inputs.size() != entry.inputs.size())
    return llvm::createStringError("'" + entry.name + "' expected " +
                                   Twine(entry.inputs.size()) +
                                   " inputs, but got " + Twine(inputs.size()));
  SmallVector<dlc_tensor, 0> in, out(entry.outputs.size());
  for (auto [info, view] : llvm::zip_equal(entry.inputs, inputs)) {
    if (!view.strides.empty() && view.strides.size() != view.shape.size())
      return llvm::createStringError(
          "input '" + info.name + "' expected " + Twine(view.shape.size()) +
          " strides, one per dimension, but got " + Twine(view.strides.size()));
    in.push_back(toC(view));
  }
  const FunctionDescription &description =
      *impl->functions[&entry - impl->infos.data()];
  dlc_error error;
  if (dlc_call(&description.function, in.data(), out.data(),
               static_cast<int32_t>(numThreads), &error) != DLC_OK)
    return llvm::createStringError(error.message);
  for (const dlc_tensor &output : out)
    outputs.push_back(adopt(output));
  return llvm::Error::success();
}
