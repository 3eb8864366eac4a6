//===- Call.cpp - One call of a compiled function -------------------------===//
//
// Checks the inputs, packs descriptors, calls, and takes the results over.
//
//===----------------------------------------------------------------------===//

#include "DLC/Runtime/Runtime.h"
#include "ExecutableImpl.h"
#include "llvm/ADT/StringMap.h"
#include <omp.h>

using namespace mlir;
using namespace mlir::dlc;

/// "2x?x4", with ? for a dynamic size.
static std::string printShape(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t size : shape) {
    if (!text.empty())
      text += 'x';
    text += ShapedType::isDynamic(size) ? "?" : std::to_string(size);
  }
  return text.empty() ? "a scalar" : text;
}

template <typename... Parts> static llvm::Error makeError(Parts &&...parts) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  (stream << ... << parts);
  return llvm::createStringError(text);
}

namespace {
/// Where the size of a named dimension was first seen.
struct NamedSize {
  int64_t size;
  const ArgumentInfo *input;
  size_t dim;
};
} // namespace

static llvm::Error checkInput(const ArgumentInfo &info, const TensorView &view,
                              llvm::StringMap<NamedSize> &sizes) {
  if (view.dtype != info.dtype)
    return makeError("input '", info.name, "' expected dtype ",
                     getName(info.dtype), ", but got ", getName(view.dtype));
  if (view.shape.size() != info.shape.size())
    return makeError("input '", info.name, "' expected rank ",
                     info.shape.size(), " (shape ", printShape(info.shape),
                     "), but got rank ", view.shape.size(), " (shape ",
                     printShape(view.shape), ")");
  if (!view.strides.empty() && view.strides.size() != view.shape.size())
    return makeError("input '", info.name,
                     "' expected one stride per "
                     "dimension (",
                     view.shape.size(), "), but got ", view.strides.size());
  for (size_t dim = 0; dim < info.shape.size(); ++dim) {
    int64_t size = view.shape[dim];
    if (size < 0 ||
        (!ShapedType::isDynamic(info.shape[dim]) && size != info.shape[dim]))
      return makeError("input '", info.name, "' expected size ",
                       ShapedType::isDynamic(info.shape[dim])
                           ? std::string("0 or more")
                           : std::to_string(info.shape[dim]),
                       " in dimension ", dim, " (shape ",
                       printShape(info.shape), "), but got ", size, " (shape ",
                       printShape(view.shape), ")");
    if (!ShapedType::isDynamic(info.shape[dim]) || info.dims[dim].empty())
      continue;
    auto [known, isNew] =
        sizes.try_emplace(info.dims[dim], NamedSize{size, &info, dim});
    const NamedSize &first = known->second;
    if (!isNew && first.size != size)
      return makeError("input '", info.name, "' expected dimension ", dim,
                       " ('", info.dims[dim], "') to be ", first.size,
                       " as in dimension ", first.dim, " of input '",
                       first.input->name, "', but got ", size);
  }
  if (!view.data && view.getNumElements() != 0)
    return makeError("input '", info.name,
                     "' expected data, but got a null pointer");
  return llvm::Error::success();
}

/// {allocated, aligned, offset, sizes..., strides...}.
static void packDescriptor(const TensorView &view,
                           SmallVectorImpl<int64_t> &words) {
  int64_t address = reinterpret_cast<intptr_t>(view.data);
  words.assign({address, address, 0});
  words.append(view.shape.begin(), view.shape.end());
  size_t rank = view.shape.size();
  if (!view.strides.empty()) {
    words.append(view.strides.begin(), view.strides.end());
    return;
  }
  words.resize(3 + 2 * rank);
  int64_t stride = 1;
  for (size_t i = rank; i-- > 0;) {
    words[3 + rank + i] = stride;
    stride *= view.shape[i];
  }
}

namespace {
/// The arguments of one call and everything that must live as long.
class CallFrame {
public:
  CallFrame(const EntryInfo &entry, ArrayRef<TensorView> inputs)
      : entry(entry), inputs(inputs.begin(), inputs.end()) {}

  llvm::Error pack();
  void **getArguments() { return pointers.data(); }
  /// Writes row-major copies of in-out arguments back.
  void copyBack();
  llvm::Error takeOutputs(dlc_rt_call &call, std::vector<Tensor> &outputs);

private:
  Tensor takeOutput(const ArgumentInfo &info, ArrayRef<int64_t> words,
                    dlc_rt_call &call);

  const EntryInfo &entry;
  SmallVector<TensorView> inputs;
  SmallVector<std::pair<size_t, Tensor>> copies;
  SmallVector<SmallVector<int64_t, 12>> words;
  SmallVector<void *> pointers;
};
} // namespace

llvm::Error CallFrame::pack() {
  words.resize(inputs.size() + entry.outputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ArgumentInfo &info = entry.inputs[i];
    if (info.kind == ArgumentInfo::Kind::Scalar) {
      pointers.push_back(inputs[i].data);
      continue;
    }
    TensorView view = inputs[i];
    if (!info.stridesAreFree && !view.isContiguous()) {
      Tensor copy = Tensor::allocate(view.dtype, view.shape);
      if (!copy.data)
        return makeError("input '", info.name, "' expected ",
                         copy.getNumBytes(),
                         " bytes of memory for a "
                         "row-major copy, but the system refused");
      copyElements(view, copy);
      view = copy;
      copies.emplace_back(i, std::move(copy));
    }
    packDescriptor(view, words[i]);
    pointers.push_back(words[i].data());
  }
  for (size_t i = 0; i < entry.outputs.size(); ++i) {
    auto &storage = words[inputs.size() + i];
    storage.assign(3 + 2 * entry.outputs[i].shape.size(), 0);
    pointers.push_back(storage.data());
  }
  return llvm::Error::success();
}

void CallFrame::copyBack() {
  for (auto &[i, copy] : copies)
    if (entry.inputs[i].kind == ArgumentInfo::Kind::MemRef)
      copyElements(copy, inputs[i]);
}

Tensor CallFrame::takeOutput(const ArgumentInfo &info, ArrayRef<int64_t> words,
                             dlc_rt_call &call) {
  if (info.kind == ArgumentInfo::Kind::Scalar) {
    Tensor scalar = Tensor::allocate(info.dtype, {});
    if (scalar.data)
      std::memcpy(scalar.data, words.data(), getByteSize(info.dtype));
    return scalar;
  }
  size_t rank = info.shape.size();
  TensorView view;
  view.dtype = info.dtype;
  view.shape.assign(words.begin() + 3, words.begin() + 3 + rank);
  view.strides.assign(words.begin() + 3 + rank, words.begin() + 3 + 2 * rank);
  view.data =
      reinterpret_cast<char *>(words[1]) + words[2] * getByteSize(info.dtype);
  auto *allocated = reinterpret_cast<void *>(words[0]);
  if (view.isContiguous() && dlc_rt_claim(&call, allocated)) {
    Tensor tensor;
    static_cast<TensorView &>(tensor) = view;
    tensor.strides.clear();
    tensor.owner = std::shared_ptr<void>(allocated, _mlir_memref_to_llvm_free);
    return tensor;
  }
  Tensor copy = Tensor::allocate(view.dtype, view.shape);
  if (copy.data)
    copyElements(view, copy);
  return copy;
}

llvm::Error CallFrame::takeOutputs(dlc_rt_call &call,
                                   std::vector<Tensor> &outputs) {
  for (size_t i = 0; i < entry.outputs.size(); ++i) {
    outputs.push_back(
        takeOutput(entry.outputs[i], words[inputs.size() + i], call));
    if (outputs.back().data)
      continue;
    int64_t bytes = outputs.back().getNumBytes();
    outputs.clear();
    return makeError("output '", entry.outputs[i].name, "' expected ", bytes,
                     " bytes of memory, but the system refused");
  }
  return llvm::Error::success();
}

llvm::Error Executable::run(const EntryInfo &entry, ArrayRef<TensorView> inputs,
                            std::vector<Tensor> &outputs,
                            unsigned numThreads) const {
  outputs.clear();
  if (inputs.size() != entry.inputs.size())
    return makeError("'", entry.name, "' expected ", entry.inputs.size(),
                     " inputs, but got ", inputs.size());
  llvm::StringMap<NamedSize> sizes;
  for (auto [info, view] : llvm::zip_equal(entry.inputs, inputs))
    if (auto error = checkInput(info, view, sizes))
      return error;
  CallFrame frame(entry, inputs);
  if (auto error = frame.pack())
    return error;

  // Both settings belong to the calling thread; idle workers sleep at once.
  kmp_set_blocktime(0);
  int previousThreads = omp_get_max_threads();
  if (numThreads)
    omp_set_num_threads(numThreads);
  dlc_rt_call call;
  auto function = impl->functions[&entry - impl->infos.data()];
  int32_t code = dlc_rt_invoke(function, frame.getArguments(), &call);
  if (numThreads)
    omp_set_num_threads(previousThreads);
  if (code != DLC_RT_OK)
    return llvm::createStringError(call.message);
  frame.copyBack();
  llvm::Error error = frame.takeOutputs(call, outputs);
  dlc_rt_end(&call);
  return error;
}
