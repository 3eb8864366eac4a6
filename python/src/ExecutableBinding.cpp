//===- ExecutableBinding.cpp - Compiled programs in Python ----------------===//
//
// Compiling a module and calling it on borrowed memory; results are NumPy
// arrays that own the runtime's buffers.
//
//===----------------------------------------------------------------------===//

#include "DLC/Execution/Executable.h"
#include "ModuleState.h"
#include "nanobind/ndarray.h"
#include "llvm/Support/Error.h"

namespace nb = nanobind;
using namespace mlir;
using namespace mlir::dlc;
using namespace mlir::dlc::python;

namespace {
/// A compiled program with what must outlive it.
struct PyExecutable {
  // Before `executable`: the context outlives the compiled module.
  StatePtr state;
  std::unique_ptr<dlc::Executable> executable;
};

/// Memory of a DLPack producer, held while it is in use.
struct PyBorrowed {
  nb::ndarray<nb::ro, nb::device::cpu> array;
};
} // namespace

static std::shared_ptr<PyExecutable> compile(const StatePtr &state,
                                             const std::string &cpu,
                                             unsigned optLevel,
                                             const std::string &stage) {
  CompileOptions options;
  options.cpu = cpu;
  options.optLevel = optLevel;
  options.stage = stage;
  DiagnosticCollector diagnostics(&state->context);
  // A copy is lowered, so that the graph can be read and compiled again. The
  // weights are not part of it: they are resources of the context.
  OwningOpRef<ModuleOp> module(
      cast<ModuleOp>(state->module->getOperation()->clone()));
  FailureOr<std::unique_ptr<dlc::Executable>> result = failure();
  {
    nb::gil_scoped_release release;
    result = dlc::Executable::compile(std::move(module), options);
  }
  if (failed(result))
    diagnostics.raise("the module could not be compiled");
  auto object = std::make_shared<PyExecutable>();
  object->state = state;
  object->executable = std::move(*result);
  return object;
}

static const EntryInfo &lookupEntry(const PyExecutable &self,
                                    const std::string &name) {
  const EntryInfo *entry = self.executable->lookupEntry(name);
  if (!entry)
    throw nb::key_error(("no entry called '" + name + "'").c_str());
  return *entry;
}

static nb::list describe(const std::vector<ArgumentInfo> &infos) {
  nb::list result;
  for (const ArgumentInfo &info : infos) {
    nb::list shape, dims;
    for (int64_t size : info.shape) {
      if (ShapedType::isDynamic(size))
        shape.append(nb::none());
      else
        shape.append(size);
    }
    for (const std::string &dim : info.dims)
      dims.append(nb::str(dim.c_str()));
    result.append(nb::make_tuple(nb::str(info.name.c_str()),
                                 nb::str(getName(info.dtype).str().c_str()),
                                 nb::tuple(shape), nb::tuple(dims)));
  }
  return result;
}

/// An input is (address, NumPy's dtype name, shape, strides in elements).
static TensorView toView(nb::handle input) {
  nb::tuple parts = nb::cast<nb::tuple>(input);
  TensorView view;
  view.data = reinterpret_cast<void *>(nb::cast<uintptr_t>(parts[0]));
  std::optional<DType> dtype = parseDType(nb::cast<std::string>(parts[1]));
  if (!dtype)
    throw nb::type_error("the program does not take this element type");
  view.dtype = *dtype;
  for (nb::handle size : nb::cast<nb::tuple>(parts[2]))
    view.shape.push_back(nb::cast<int64_t>(size));
  for (nb::handle stride : nb::cast<nb::tuple>(parts[3]))
    view.strides.push_back(nb::cast<int64_t>(stride));
  return view;
}

/// (bytes as a NumPy array or None when empty, dtype name, shape). The array
/// owns the runtime's buffer.
static nb::object toPython(const Tensor &tensor) {
  nb::list shape;
  for (int64_t size : tensor.shape)
    shape.append(size);
  nb::object bytes = nb::none();
  if (int64_t count = tensor.getNumBytes()) {
    auto *owner = new std::shared_ptr<void>(tensor.owner);
    nb::capsule capsule(owner, [](void *pointer) noexcept {
      delete static_cast<std::shared_ptr<void> *>(pointer);
    });
    size_t extent = static_cast<size_t>(count);
    bytes = nb::cast(nb::ndarray<nb::numpy, uint8_t>(
        static_cast<uint8_t *>(tensor.data), 1, &extent, capsule));
  }
  return nb::make_tuple(bytes, nb::str(getName(tensor.dtype).str().c_str()),
                        nb::tuple(shape));
}

static nb::list run(const PyExecutable &self, const std::string &name,
                    nb::list inputs, unsigned numThreads) {
  const EntryInfo &entry = lookupEntry(self, name);
  std::vector<TensorView> views;
  for (nb::handle input : inputs)
    views.push_back(toView(input));
  std::vector<Tensor> outputs;
  std::string message;
  {
    nb::gil_scoped_release release;
    if (llvm::Error error =
            self.executable->run(entry, views, outputs, numThreads))
      message = llvm::toString(std::move(error));
  }
  if (!message.empty()) {
    nb::object type = nb::module_::import_("dlc.errors").attr("RunError");
    PyErr_SetString(type.ptr(), message.c_str());
    throw nb::python_error();
  }
  nb::list results;
  for (const Tensor &tensor : outputs)
    results.append(toPython(tensor));
  return results;
}

static std::string getDlpackName(nb::dlpack::dtype dtype) {
  std::string bits = std::to_string(dtype.bits);
  switch (static_cast<nb::dlpack::dtype_code>(dtype.code)) {
  case nb::dlpack::dtype_code::Int:
    return "int" + bits;
  case nb::dlpack::dtype_code::UInt:
    return "uint" + bits;
  case nb::dlpack::dtype_code::Float:
    return "float" + bits;
  case nb::dlpack::dtype_code::Bfloat:
    return "bfloat" + bits;
  case nb::dlpack::dtype_code::Bool:
    return "bool";
  default:
    return "code " + std::to_string(dtype.code) + " of " + bits + " bits";
  }
}

static nb::tuple describeBorrowed(const PyBorrowed &self) {
  nb::list shape, strides;
  for (size_t i = 0; i < self.array.ndim(); ++i) {
    shape.append(self.array.shape(i));
    strides.append(self.array.stride(i));
  }
  return nb::make_tuple(reinterpret_cast<uintptr_t>(self.array.data()),
                        nb::str(getDlpackName(self.array.dtype()).c_str()),
                        nb::tuple(shape), nb::tuple(strides));
}

void python::bindExecutable(nb::module_ &m) {
  nb::class_<PyBorrowed>(m, "Borrowed").def_prop_ro("view", &describeBorrowed);
  m.def("borrow", [](nb::ndarray<nb::ro, nb::device::cpu> array) {
    return PyBorrowed{std::move(array)};
  });
  nb::class_<PyExecutable>(m, "Executable")
      .def_prop_ro("entries",
                   [](PyExecutable &self) {
                     nb::list names;
                     for (const EntryInfo &e : self.executable->getEntries())
                       names.append(nb::str(e.name.c_str()));
                     return names;
                   })
      .def("inputs",
           [](PyExecutable &self, const std::string &entry) {
             return describe(lookupEntry(self, entry).inputs);
           })
      .def("outputs",
           [](PyExecutable &self, const std::string &entry) {
             return describe(lookupEntry(self, entry).outputs);
           })
      .def_prop_ro("compile_times",
                   [](PyExecutable &self) {
                     const CompileTimes &t = self.executable->getCompileTimes();
                     nb::dict times;
                     times["lower"] = t.lower;
                     times["translate"] = t.translate;
                     times["optimize"] = t.optimize;
                     times["emit"] = t.emit;
                     times["link"] = t.link;
                     return times;
                   })
      .def("run", &run);
  m.def("compile", &compile, nb::arg("module"), nb::arg("cpu"),
        nb::arg("opt_level"), nb::arg("stage"));
}
