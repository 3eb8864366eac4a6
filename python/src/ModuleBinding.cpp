//===- ModuleBinding.cpp - Module, Value, Operation in Python -------------===//
//
// The graph builder: functions, operations with inferred result types,
// constants and weights, regions, and pass pipelines.
//
//===----------------------------------------------------------------------===//

#include "ModuleState.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/raw_ostream.h"

namespace nb = nanobind;
using namespace mlir;
using namespace mlir::dlc;
using namespace mlir::dlc::python;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

static std::string printType(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  type.print(os);
  return text;
}

static PyValue wrap(const StatePtr &state, Value value) {
  return {state, value, state->generation};
}

static nb::list wrapAll(const StatePtr &state, ValueRange values) {
  nb::list result;
  for (Value value : values)
    result.append(nb::cast(wrap(state, value)));
  return result;
}

/// The element type's text ("f32", "i8", "index").
static std::string getDtype(Value value) {
  Type type = value.getType();
  if (auto shaped = dyn_cast<ShapedType>(type))
    type = shaped.getElementType();
  return printType(type);
}

/// The shape as a tuple with None for a dynamic dimension; None for a scalar.
static nb::object getShape(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return nb::none();
  nb::list dims;
  for (int64_t dim : type.getShape()) {
    if (ShapedType::isDynamic(dim))
      dims.append(nb::none());
    else
      dims.append(dim);
  }
  return nb::tuple(dims);
}

/// A borrowed buffer of a Python object, released under the GIL.
namespace {
class BorrowedBuffer {
public:
  explicit BorrowedBuffer(nb::handle object)
      : view(std::make_unique<Py_buffer>()) {
    if (PyObject_GetBuffer(object.ptr(), view.get(), PyBUF_C_CONTIGUOUS))
      throw nb::python_error();
  }
  BorrowedBuffer(BorrowedBuffer &&) = default;
  ~BorrowedBuffer() {
    if (!view || !Py_IsInitialized())
      return;
    nb::gil_scoped_acquire gil;
    PyBuffer_Release(view.get());
  }
  ArrayRef<char> getData() const {
    return {static_cast<const char *>(view->buf),
            static_cast<size_t>(view->len)};
  }

private:
  std::unique_ptr<Py_buffer> view;
};
} // namespace

static RankedTensorType parseTensorType(ModuleState &state,
                                        const std::string &text) {
  auto type = dyn_cast<RankedTensorType>(parseTypeText(state, text));
  if (!type || !type.hasStaticShape())
    throw nb::value_error(
        ("expected '" + text + "' to be a tensor type of static shape")
            .c_str());
  return type;
}

/// Bytes of one element as NumPy stores it: sub-byte types take a byte each.
static int64_t getStorageBytes(Type elementType) {
  if (elementType.isIndex())
    return 8;
  return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}

static void checkBufferSize(RankedTensorType type, ArrayRef<char> data) {
  int64_t expected =
      type.getNumElements() * getStorageBytes(type.getElementType());
  if (static_cast<int64_t>(data.size()) != expected)
    throw nb::value_error(("expected " + std::to_string(expected) +
                           " bytes for " + printType(type) + ", but got " +
                           std::to_string(data.size()))
                              .c_str());
}

/// A dense attribute of NumPy's bytes for `type`. A one-element buffer for a
/// larger type is a splat.
static DenseElementsAttr getDenseAttr(RankedTensorType type,
                                      ArrayRef<char> data) {
  Type element = type.getElementType();
  int64_t bytes = getStorageBytes(element);
  if (static_cast<int64_t>(data.size()) != bytes)
    checkBufferSize(type, data);
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  if (width % 8 == 0)
    return DenseElementsAttr::getFromRawBuffer(type, data);
  // Packed kinds (i1, i4, f4): NumPy has one byte for each element.
  SmallVector<APInt> values;
  for (char byte : data)
    values.push_back(APInt(8, static_cast<uint8_t>(byte)).trunc(width));
  if (isa<IntegerType>(element))
    return DenseElementsAttr::get(type, values);
  SmallVector<APFloat> floats;
  for (const APInt &bits : values)
    floats.push_back(
        APFloat(cast<FloatType>(element).getFloatSemantics(), bits));
  return DenseElementsAttr::get(type, floats);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Appends the operands and, where a group is a list or absent, their segment
/// sizes. An entry is a Value, a list of Values, or None.
static void addOperands(OperationState &op, nb::list operands) {
  SmallVector<int32_t> segments;
  for (nb::handle entry : operands) {
    if (entry.is_none()) {
      segments.push_back(0);
    } else if (nb::isinstance<PyValue>(entry)) {
      op.operands.push_back(nb::cast<PyValue &>(entry).get());
      segments.push_back(1);
    } else {
      int32_t size = 0;
      for (nb::handle item : entry) {
        op.operands.push_back(nb::cast<PyValue &>(item).get());
        ++size;
      }
      segments.push_back(size);
    }
  }
  auto info = op.name.getRegisteredInfo();
  if (info && info->hasTrait<OpTrait::AttrSizedOperandSegments>())
    op.addAttribute("operandSegmentSizes",
                    DenseI32ArrayAttr::get(op.name.getContext(), segments));
}

/// The number of results that the op's traits promise; -1 when it varies.
static int getResultCount(const RegisteredOperationName &info) {
  if (info.hasTrait<OpTrait::OneResult>())
    return 1;
  if (info.hasTrait<OpTrait::ZeroResults>())
    return 0;
  if (info.hasTrait<OpTrait::NResults<2>::Impl>())
    return 2;
  if (info.hasTrait<OpTrait::NResults<3>::Impl>())
    return 3;
  return -1;
}

/// Refuses what type inference must not see, such as a missing operand or
/// attribute: its adaptor reads them unchecked. The op's own verifier says so,
/// run on a detached op with stand-in results; complaints about those are
/// expected and dropped.
static LogicalResult checkBeforeInference(const OperationState &op,
                                          const RegisteredOperationName &info) {
  int count = getResultCount(info);
  if (count < 0 || !op.regions.empty())
    return success();
  OperationState probe(op.location, op.name, op.operands, TypeRange(),
                       op.attributes);
  probe.types.assign(count, NoneType::get(op.location.getContext()));
  SmallVector<std::pair<Location, std::string>> errors;
  {
    ScopedDiagnosticHandler capture(
        op.location.getContext(), [&](Diagnostic &diagnostic) {
          errors.emplace_back(diagnostic.getLocation(), diagnostic.str());
          return success();
        });
    Operation *created = Operation::create(probe);
    (void)info.verifyInvariants(created);
    created->destroy();
  }
  for (auto &[location, message] : errors) {
    StringRef text(message);
    if (!text.contains("operand #") && text.contains("result"))
      continue;
    return emitError(location) << message;
  }
  return success();
}

/// Fills `op.types` from the op's own type inference.
static LogicalResult inferTypes(OperationState &op) {
  MLIRContext *context = op.name.getContext();
  auto info = op.name.getRegisteredInfo();
  auto *interface = info->getInterface<InferTypeOpInterface>();
  if (!interface && getResultCount(*info) == 0)
    return success();
  if (!interface)
    return emitError(op.location)
           << "'" << op.name << "' op has no type inference: give the result "
           << "types";
  if (failed(checkBeforeInference(op, *info)))
    return failure();
  DictionaryAttr attributes = op.attributes.getDictionary(context);
  auto emit = [&] {
    return emitError(op.location) << "'" << op.name << "' op ";
  };
  SmallVector<char, 256> storage;
  OpaqueProperties properties(nullptr);
  if (int size = info->getOpPropertyByteSize()) {
    storage.resize(size + alignof(std::max_align_t));
    uintptr_t start = llvm::alignTo(reinterpret_cast<uintptr_t>(storage.data()),
                                    alignof(std::max_align_t));
    properties = OpaqueProperties(reinterpret_cast<void *>(start));
    info->initOpProperties(properties, OpaqueProperties(nullptr));
  }
  llvm::scope_exit destroy([&] {
    if (properties)
      info->destroyOpProperties(properties);
  });
  if (properties && failed(info->setOpPropertiesFromAttribute(
                        op.name, properties, attributes, emit)))
    return failure();
  return interface->inferReturnTypes(context, op.location, op.operands,
                                     attributes, properties, op.regions,
                                     op.types);
}

/// Adds one region with one block for each list of argument types.
static void addRegions(ModuleState &state, OperationState &op,
                       nb::list regions) {
  for (nb::handle types : regions) {
    Region *region = op.addRegion();
    Block *block = new Block();
    region->push_back(block);
    for (nb::handle type : types)
      block->addArgument(parseTypeText(state, nb::cast<std::string>(type)),
                         op.location);
  }
}

/// The attribute's name in the op: `unsigned` is a keyword of C++, so that ODS
/// spells it `is_unsigned`. Throws when a DLC op has no such attribute, which
/// MLIR would keep and ignore.
static std::string resolveAttributeName(OperationName opName,
                                        std::string name) {
  auto has = [&](StringRef wanted) {
    return llvm::any_of(opName.getAttributeNames(), [&](StringAttr attr) {
      return attr.getValue() == wanted;
    });
  };
  if (name == "unsigned" && !has(name) && has("is_unsigned"))
    return "is_unsigned";
  if (opName.getDialectNamespace() == "dlc" && !has(name) &&
      name.find('.') == std::string::npos)
    throw CompileException("'" + opName.getStringRef().str() +
                               "' op has no attribute '" + name + "'",
                           {});
  return name;
}

static PyOperation addOp(const StatePtr &state, const std::string &name,
                         nb::list operands, nb::dict attributes,
                         nb::object resultTypes, nb::list regions) {
  ModuleState &s = *state;
  std::string fullName =
      name.find('.') == std::string::npos ? "dlc." + name : name;
  OperationName opName(fullName, &s.context);
  if (!opName.isRegistered())
    throw CompileException("expected '" + fullName + "' to be a known op", {});
  OperationState op(s.location, opName);
  addOperands(op, operands);
  for (auto [key, value] : attributes) {
    std::string attrName =
        resolveAttributeName(opName, nb::cast<std::string>(key));
    if (Attribute attr = convertAttribute(s, opName, attrName, value))
      op.addAttribute(attrName, attr);
  }
  DiagnosticCollector diagnostics(&s.context);
  addRegions(s, op, regions);
  bool explicitTypes = !resultTypes.is_none();
  if (explicitTypes) {
    for (nb::handle type : resultTypes)
      op.addTypes(parseTypeText(s, nb::cast<std::string>(type)));
  } else if (failed(inferTypes(op))) {
    diagnostics.raise("'" + fullName + "' op could not infer its types");
  }
  Operation *created = s.builder.create(op);
  // Bodies are filled later; `Module.verify` checks such an op then.
  if (op.regions.empty() && failed(verify(created))) {
    created->erase();
    diagnostics.raise("'" + fullName + "' op is not valid");
  }
  return {state, created, s.generation};
}

static void eraseOp(PyOperation &self) {
  Operation *op = self.get();
  if (!op->use_empty())
    throw nb::value_error("expected an operation to have no uses when it is "
                          "erased");
  op->remove();
  op->dropAllReferences();
  self.state->graveyard.push_back(op);
}

static nb::dict getAttributes(PyOperation &self) {
  nb::dict result;
  NamedAttrList attrs(self.get()->getAttrDictionary());
  for (NamedAttribute attr : attrs)
    result[attr.getName().str().c_str()] = attributeToPython(attr.getValue());
  return result;
}

//===----------------------------------------------------------------------===//
// Functions and constants
//===----------------------------------------------------------------------===//

static DictionaryAttr toDictionary(ModuleState &state, nb::handle attrs) {
  NamedAttrList list;
  for (auto [key, value] : nb::cast<nb::dict>(attrs))
    if (Attribute attr = convertAttribute(state, value))
      list.append(nb::cast<std::string>(key), attr);
  return list.getDictionary(&state.context);
}

static nb::list addFunction(const StatePtr &state, const std::string &name,
                            const std::vector<std::string> &types,
                            nb::list attrs) {
  ModuleState &s = *state;
  SmallVector<Type> argTypes;
  for (const std::string &type : types)
    argTypes.push_back(parseTypeText(s, type));
  s.builder.setInsertionPointToEnd(s.module->getBody());
  auto function = func::FuncOp::create(
      s.builder, s.location, name,
      FunctionType::get(&s.context, argTypes, TypeRange()));
  SmallVector<DictionaryAttr> argAttrs;
  for (nb::handle entry : attrs)
    argAttrs.push_back(toDictionary(s, entry));
  function.setAllArgAttrs(argAttrs);
  Block *block = function.addEntryBlock();
  s.builder.setInsertionPointToEnd(block);
  return wrapAll(state, block->getArguments());
}

/// Appends an argument to function `name`, whose body may have begun.
static PyValue addArgument(const StatePtr &state, const std::string &name,
                           const std::string &type, nb::dict attrs) {
  ModuleState &s = *state;
  auto function = s.module->lookupSymbol<func::FuncOp>(name);
  if (!function)
    throw nb::key_error(("no function called '" + name + "'").c_str());
  DictionaryAttr dictionary = toDictionary(s, attrs);
  if (failed(function.insertArgument(function.getNumArguments(),
                                     parseTypeText(s, type), dictionary,
                                     s.location)))
    throw nb::value_error("could not add the argument");
  return wrap(state, function.getArguments().back());
}

static void addReturn(const StatePtr &state, const std::vector<PyValue> &values,
                      nb::list attrs) {
  ModuleState &s = *state;
  auto function = dyn_cast_or_null<func::FuncOp>(
      s.builder.getInsertionBlock()->getParentOp());
  if (!function)
    throw nb::value_error("expected to be in the body of a function");
  SmallVector<Value> results;
  for (const PyValue &value : values)
    results.push_back(value.get());
  func::ReturnOp::create(s.builder, s.location, results);
  function.setType(FunctionType::get(&s.context, function.getArgumentTypes(),
                                     TypeRange(ValueRange(results))));
  SmallVector<DictionaryAttr> resultAttrs;
  for (nb::handle entry : attrs)
    resultAttrs.push_back(toDictionary(s, entry));
  function.setAllResultAttrs(resultAttrs);
  s.builder.setInsertionPointToEnd(s.module->getBody());
}

static PyValue addConstant(const StatePtr &state, const std::string &typeText,
                           nb::handle data) {
  ModuleState &s = *state;
  RankedTensorType type = parseTensorType(s, typeText);
  BorrowedBuffer buffer(data);
  DenseElementsAttr attr = getDenseAttr(type, buffer.getData());
  return wrap(state, arith::ConstantOp::create(s.builder, s.location, attr));
}

static PyValue addScalar(const StatePtr &state, const std::string &typeText,
                         nb::handle value) {
  ModuleState &s = *state;
  Type type = parseTypeText(s, typeText);
  TypedAttr attr;
  if (auto floatType = dyn_cast<FloatType>(type))
    attr = FloatAttr::get(floatType, nb::cast<double>(value));
  else if (type.isIntOrIndex())
    attr = IntegerAttr::get(type, nb::cast<int64_t>(value));
  else
    throw nb::value_error(
        ("expected '" + typeText + "' to be a scalar type").c_str());
  return wrap(state, arith::ConstantOp::create(s.builder, s.location, attr));
}

/// Declares a weight whose bytes stay where they are: the blob keeps `data`
/// alive for as long as the context lives.
static std::string addWeight(const StatePtr &state, const std::string &name,
                             const std::string &typeText, nb::object data) {
  ModuleState &s = *state;
  RankedTensorType type = parseTensorType(s, typeText);
  auto buffer = std::make_shared<BorrowedBuffer>(data);
  ArrayRef<char> bytes = buffer->getData();
  checkBufferSize(type, bytes);
  // The known alignment of the address, at most a cache line.
  uintptr_t address = reinterpret_cast<uintptr_t>(bytes.data());
  size_t align = address ? std::min<size_t>(64, address & -address) : 64;
  AsmResourceBlob blob(
      bytes, align,
      [buffer](void *, size_t, size_t) mutable { buffer.reset(); },
      /*dataIsMutable=*/false);
  auto attr = DenseResourceElementsAttr::get(type, name, std::move(blob));
  SymbolTable symbols(*s.module);
  OpBuilder::InsertionGuard guard(s.builder);
  s.builder.setInsertionPointToStart(s.module->getBody());
  auto global = ml_program::GlobalOp::create(
      s.builder, s.location, name, type, /*is_mutable=*/false, attr,
      s.builder.getStringAttr("private"));
  return symbols.insert(global).str();
}

static PyValue loadWeight(const StatePtr &state, const std::string &symbol,
                          const std::string &typeText) {
  ModuleState &s = *state;
  return wrap(state, ml_program::GlobalLoadConstOp::create(
                         s.builder, s.location, parseTypeText(s, typeText),
                         FlatSymbolRefAttr::get(&s.context, symbol)));
}

//===----------------------------------------------------------------------===//
// Module
//===----------------------------------------------------------------------===//

static void runPipeline(const StatePtr &state, const std::string &pipeline) {
  ModuleState &s = *state;
  DiagnosticCollector diagnostics(&s.context);
  PassManager manager(&s.context, "builtin.module");
  std::string message;
  llvm::raw_string_ostream os(message);
  // The manager is anchored at the module already.
  StringRef passes = StringRef(pipeline).trim();
  if (passes.consume_front("builtin.module("))
    passes.consume_back(")");
  if (failed(parsePassPipeline(passes, manager, os)))
    diagnostics.raise("expected a pass pipeline, but got '" + pipeline +
                      "': " + message);
  ++s.generation;
  s.clearGraveyard();
  s.insertionStack.clear();
  s.builder.setInsertionPointToEnd(s.module->getBody());
  LogicalResult result = success();
  {
    nb::gil_scoped_release release;
    result = manager.run(*s.module);
  }
  if (failed(result))
    diagnostics.raise("the pass pipeline '" + pipeline + "' failed");
}

static std::string printModule(const StatePtr &state, int64_t elementsLimit,
                               bool locations) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(elementsLimit);
  flags.elideLargeResourceString(elementsLimit);
  if (locations)
    flags.enableDebugInfo();
  state->module->print(os, flags);
  return text;
}

static void setLocation(const StatePtr &state, const std::string &file,
                        const std::string &name, unsigned line) {
  Location place = FileLineColLoc::get(&state->context, file, line, 0);
  if (!name.empty())
    place = NameLoc::get(StringAttr::get(&state->context, name), place);
  state->location = place;
}

static StatePtr parseModule(const std::string &text, const std::string &name) {
  auto state = std::make_shared<ModuleState>();
  DiagnosticCollector diagnostics(&state->context);
  OwningOpRef<ModuleOp> parsed =
      parseSourceString<ModuleOp>(text, &state->context, name);
  if (!parsed)
    diagnostics.raise("could not parse the module");
  state->module = std::move(parsed);
  state->builder.setInsertionPointToEnd(state->module->getBody());
  return state;
}

static void enterBlock(const StatePtr &state, PyOperation &op,
                       unsigned region) {
  Operation *parent = op.get();
  if (region >= parent->getNumRegions() || parent->getRegion(region).empty())
    throw nb::index_error("the operation has no such region");
  state->insertionStack.push_back(state->builder.saveInsertionPoint());
  state->builder.setInsertionPointToEnd(&parent->getRegion(region).front());
}

static void leaveBlock(const StatePtr &state) {
  if (state->insertionStack.empty())
    throw nb::value_error("not in a nested block");
  state->builder.restoreInsertionPoint(state->insertionStack.back());
  state->insertionStack.pop_back();
}

/// The operations of the body of function `name`, in order.
static nb::list getOperations(const StatePtr &state, const std::string &name) {
  auto function = state->module->lookupSymbol<func::FuncOp>(name);
  if (!function)
    throw nb::key_error(("no function called '" + name + "'").c_str());
  nb::list result;
  if (!function.isDeclaration())
    for (Operation &op : function.getBody().front())
      result.append(nb::cast(PyOperation{state, &op, state->generation}));
  return result;
}

static nb::list getArguments(const StatePtr &state, const std::string &name) {
  auto function = state->module->lookupSymbol<func::FuncOp>(name);
  if (!function || function.isDeclaration())
    throw nb::key_error(("no function called '" + name + "'").c_str());
  return wrapAll(state, function.getArguments());
}

static void verifyModule(const StatePtr &state) {
  DiagnosticCollector diagnostics(&state->context);
  if (failed(verify(*state->module)))
    diagnostics.raise("the module is not valid");
}

//===----------------------------------------------------------------------===//
// Bindings
//===----------------------------------------------------------------------===//

static void bindValue(nb::module_ &m) {
  nb::class_<PyValue>(m, "Value", "An SSA value of a module.")
      .def_prop_ro("type",
                   [](PyValue &v) { return printType(v.get().getType()); })
      .def_prop_ro("dtype", [](PyValue &v) { return getDtype(v.get()); })
      .def_prop_ro("shape", [](PyValue &v) { return getShape(v.get()); })
      .def_prop_ro("owner",
                   [](PyValue &v) -> std::optional<PyOperation> {
                     Operation *op = v.get().getDefiningOp();
                     if (!op)
                       return std::nullopt;
                     return PyOperation{v.state, op, v.generation};
                   })
      .def_prop_ro("num_uses",
                   [](PyValue &v) {
                     return std::distance(v.get().use_begin(),
                                          v.get().use_end());
                   })
      .def_prop_ro("users",
                   [](PyValue &v) {
                     nb::list users;
                     for (Operation *user : v.get().getUsers())
                       users.append(
                           nb::cast(PyOperation{v.state, user, v.generation}));
                     return users;
                   })
      .def("replace_all_uses_with",
           [](PyValue &v, PyValue &other) {
             if (v.get().getType() != other.get().getType())
               throw nb::value_error(("expected the replacement to have type " +
                                      printType(v.get().getType()) +
                                      ", but got " +
                                      printType(other.get().getType()))
                                         .c_str());
             v.get().replaceAllUsesWith(other.get());
           })
      .def(
          "__eq__",
          [](PyValue &v, nb::object other) {
            return nb::isinstance<PyValue>(other) &&
                   nb::cast<PyValue &>(other).value == v.value;
          },
          nb::arg("other").none())
      .def("__hash__", [](PyValue &v) {
        return static_cast<Py_ssize_t>(hash_value(v.value));
      });
}

static void bindOperation(nb::module_ &m) {
  nb::class_<PyOperation>(m, "Operation", "An operation of a module.")
      .def_prop_ro("name",
                   [](PyOperation &o) {
                     return o.get()->getName().getStringRef().str();
                   })
      .def_prop_ro("operands",
                   [](PyOperation &o) {
                     return wrapAll(o.state, o.get()->getOperands());
                   })
      .def_prop_ro("results",
                   [](PyOperation &o) {
                     return wrapAll(o.state, o.get()->getResults());
                   })
      .def_prop_ro("attributes", &getAttributes)
      .def_prop_ro("location",
                   [](PyOperation &o) {
                     std::string text;
                     llvm::raw_string_ostream os(text);
                     o.get()->getLoc()->print(os);
                     return text;
                   })
      .def("block_arguments",
           [](PyOperation &o, unsigned region) {
             return wrapAll(o.state,
                            o.get()->getRegion(region).front().getArguments());
           })
      .def("set_operand",
           [](PyOperation &o, unsigned index, PyValue &value) {
             if (index >= o.get()->getNumOperands())
               throw nb::index_error("the operation has no such operand");
             o.get()->setOperand(index, value.get());
           })
      .def("erase", &eraseOp)
      .def("__str__",
           [](PyOperation &o) {
             std::string text;
             llvm::raw_string_ostream os(text);
             OpPrintingFlags flags;
             flags.elideLargeElementsAttrs(16).elideLargeResourceString(16);
             o.get()->print(os, flags.useLocalScope());
             return text;
           })
      .def(
          "__eq__",
          [](PyOperation &o, nb::object other) {
            return nb::isinstance<PyOperation>(other) &&
                   nb::cast<PyOperation &>(other).op == o.op;
          },
          nb::arg("other").none())
      .def("__hash__", [](PyOperation &o) {
        return static_cast<Py_ssize_t>(reinterpret_cast<uintptr_t>(o.op) >> 4);
      });
}

void python::bindModule(nb::module_ &m) {
  nb::class_<PyAttribute>(m, "Attribute", "An attribute given as text.");
  bindValue(m);
  bindOperation(m);
  m.attr("DYNAMIC") = nb::int_(ShapedType::kDynamic);
  nb::class_<ModuleState>(m, "Module", "One module under construction.")
      .def("__init__",
           [](nb::handle) {
             throw nb::type_error("use dlc._dlc.create_module()");
           })
      .def("ref", [](StatePtr s) { return s; });
  m.def("create_module", [] { return std::make_shared<ModuleState>(); });
  m.def("parse_module", &parseModule, nb::arg("text"), nb::arg("name") = "-");
  m.def("add_op", &addOp, nb::arg("module"), nb::arg("name"),
        nb::arg("operands"), nb::arg("attributes"),
        nb::arg("result_types").none(), nb::arg("regions"));
  m.def("attribute", [](const StatePtr &s, const std::string &text) {
    DiagnosticCollector diagnostics(&s->context);
    Attribute attr = parseAttribute(text, &s->context);
    if (!attr)
      diagnostics.raise("expected '" + text + "' to be an attribute");
    return PyAttribute{s, attr};
  });
  m.def("add_function", &addFunction);
  m.def("add_argument", &addArgument);
  m.def("add_return", &addReturn);
  m.def("constant", &addConstant);
  m.def("scalar", &addScalar);
  m.def("add_weight", &addWeight);
  m.def("load_weight", &loadWeight);
  m.def("enter_block", &enterBlock);
  m.def("leave_block", &leaveBlock);
  m.def("set_location", &setLocation);
  m.def("run_pipeline", &runPipeline);
  m.def("print_module", &printModule, nb::arg("module"),
        nb::arg("elements_limit") = 16, nb::arg("locations") = false);
  m.def("verify", &verifyModule);
  m.def("operations", &getOperations);
  m.def("arguments", &getArguments);
  m.def("set_insertion_point", [](const StatePtr &s, PyOperation &before) {
    s->builder.setInsertionPoint(before.get());
  });
  m.def("is_registered", [](const StatePtr &s, const std::string &name) {
    return OperationName(name, &s->context).isRegistered();
  });
}
