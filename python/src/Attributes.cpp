//===- Attributes.cpp - Python objects as attributes ----------------------===//
//
// A Python object may stand for several kinds of attribute. The constraint that
// the op's ODS declares picks the kind, so that the graph builder needs no
// table of its own.
//
//===----------------------------------------------------------------------===//

#include "DLC/Dialect/IR/DLCDialect.h"
#include "DLC/Dialect/IR/DLCElementwiseOps.h"
#include "ModuleState.h"
#include "mlir/AsmParser/AsmParser.h"
#include "llvm/Support/raw_ostream.h"

namespace nb = nanobind;
using namespace mlir;
using namespace mlir::dlc;
using namespace mlir::dlc::python;

namespace {
/// The attributes that one Python object may stand for, best first.
using Candidates = SmallVector<Attribute, 8>;
} // namespace

template <typename... Attrs>
static void collectMnemonics(SmallVectorImpl<StringRef> &mnemonics) {
  (mnemonics.push_back(Attrs::getMnemonic()), ...);
}

/// The mnemonics of all attributes of the dialect; those are its enums.
static ArrayRef<StringRef> getAttributeMnemonics() {
  static const SmallVector<StringRef> mnemonics = [] {
    SmallVector<StringRef> result;
    collectMnemonics<
#define GET_ATTRDEF_LIST
#include "DLC/Dialect/IR/DLCAttrs.cpp.inc"
        >(result);
    return result;
  }();
  return mnemonics;
}

static bool isIdentifier(StringRef text) {
  return !text.empty() && llvm::all_of(text, [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == ',' || c == ' ';
  });
}

/// `text` as a string, a symbol, and as a case of each enum that has it.
static void addStringCandidates(MLIRContext *context, StringRef text,
                                Candidates &out) {
  out.push_back(StringAttr::get(context, text));
  if (!isIdentifier(text))
    return;
  ScopedDiagnosticHandler silence(context,
                                  [](Diagnostic &) { return success(); });
  for (StringRef mnemonic : getAttributeMnemonics()) {
    std::string source = ("#dlc<" + mnemonic + " " + text + ">").str();
    if (Attribute attr = parseAttribute(source, context))
      out.push_back(attr);
  }
  std::string fastmath = ("#arith.fastmath<" + text + ">").str();
  if (Attribute attr = parseAttribute(fastmath, context))
    out.push_back(attr);
  out.push_back(FlatSymbolRefAttr::get(context, text));
}

static void addIntCandidates(Builder &b, int64_t value, Candidates &out) {
  out.push_back(b.getI64IntegerAttr(value));
  out.push_back(b.getI32IntegerAttr(value));
  out.push_back(b.getIndexAttr(value));
  out.push_back(b.getF32FloatAttr(value));
  out.push_back(b.getF64FloatAttr(value));
}

static void addFloatCandidates(Builder &b, double value, Candidates &out) {
  out.push_back(b.getF32FloatAttr(value));
  out.push_back(b.getF64FloatAttr(value));
}

static bool isIntLike(nb::handle value) {
  return nb::isinstance<nb::int_>(value) || PyIndex_Check(value.ptr());
}

static int64_t toInt(nb::handle value) {
  nb::object number = nb::steal(PyNumber_Index(value.ptr()));
  if (!number.is_valid())
    throw nb::python_error();
  return nb::cast<int64_t>(number);
}

static bool isFloatLike(nb::handle value) { return PyFloat_Check(value.ptr()); }

static void addListCandidates(ModuleState &state, nb::handle value,
                              Candidates &out) {
  Builder b(&state.context);
  SmallVector<int64_t> ints;
  SmallVector<double> floats;
  SmallVector<bool> bools;
  SmallVector<Attribute> attrs;
  bool allInts = true, allFloats = true, allBools = true;
  for (nb::handle item : value) {
    bool isBool = PyBool_Check(item.ptr());
    bool isInt = !isBool && isIntLike(item);
    allBools &= isBool;
    allInts &= isInt;
    allFloats &= isInt || isFloatLike(item);
    if (isBool)
      bools.push_back(item.is(nb::handle(Py_True)));
    if (isInt)
      ints.push_back(toInt(item));
    if (isInt || isFloatLike(item))
      floats.push_back(PyFloat_AsDouble(item.ptr()));
    Attribute attr = convertAttribute(state, item);
    if (!attr)
      throw nb::type_error("expected no None in a list attribute");
    attrs.push_back(attr);
  }
  if (allInts) {
    out.push_back(b.getDenseI64ArrayAttr(ints));
    SmallVector<int32_t> narrow(ints.begin(), ints.end());
    out.push_back(b.getDenseI32ArrayAttr(narrow));
  }
  if (allFloats) {
    SmallVector<float> narrow(floats.begin(), floats.end());
    out.push_back(b.getDenseF32ArrayAttr(narrow));
    out.push_back(b.getDenseF64ArrayAttr(floats));
  }
  if (allBools)
    out.push_back(b.getDenseBoolArrayAttr(bools));
  out.push_back(b.getArrayAttr(attrs));
}

/// Fills `out`; leaves it empty for None.
static void addCandidates(ModuleState &state, nb::handle value,
                          Candidates &out) {
  Builder b(&state.context);
  if (value.is_none())
    return;
  if (nb::isinstance<PyAttribute>(value)) {
    out.push_back(nb::cast<PyAttribute &>(value).attr);
  } else if (PyBool_Check(value.ptr())) {
    bool flag = value.is(nb::handle(Py_True));
    out.push_back(b.getBoolAttr(flag));
    // A null candidate: the absent unit attribute is what False means.
    out.push_back(flag ? Attribute(b.getUnitAttr()) : Attribute());
  } else if (isFloatLike(value)) {
    addFloatCandidates(b, nb::cast<double>(value), out);
  } else if (isIntLike(value)) {
    addIntCandidates(b, toInt(value), out);
  } else if (nb::isinstance<nb::str>(value)) {
    addStringCandidates(&state.context, nb::cast<nb::str>(value).c_str(), out);
  } else if (nb::isinstance<nb::dict>(value)) {
    NamedAttrList entries;
    for (auto [key, item] : nb::cast<nb::dict>(value))
      if (Attribute attr = convertAttribute(state, item))
        entries.append(nb::cast<nb::str>(key).c_str(), attr);
    out.push_back(entries.getDictionary(&state.context));
  } else if (nb::isinstance<nb::sequence>(value)) {
    addListCandidates(state, value, out);
  } else {
    std::string text = nb::cast<std::string>(nb::str(value.type()));
    throw nb::type_error(
        ("expected an attribute to be an int, float, bool, str, list, dict or "
         "Attribute, but got " +
         text)
            .c_str());
  }
}

Attribute python::convertAttribute(ModuleState &state, OperationName opName,
                                   const std::string &name, nb::handle value) {
  Candidates candidates;
  addCandidates(state, value, candidates);
  if (candidates.empty())
    return nullptr;
  std::string reason;
  for (Attribute candidate : candidates) {
    if (!candidate)
      return nullptr;
    NamedAttrList single;
    single.append(name, candidate);
    ScopedDiagnosticHandler capture(&state.context, [&](Diagnostic &diag) {
      reason = diag.str();
      return success();
    });
    if (succeeded(opName.verifyInherentAttrs(
            single, [&] { return emitError(state.location); })))
      return candidate;
  }
  std::string text = nb::cast<std::string>(nb::repr(value));
  throw CompileException("'" + opName.getStringRef().str() + "' op " + reason +
                             ", but got " + text,
                         {});
}

Attribute python::convertAttribute(ModuleState &state, nb::handle value) {
  Candidates candidates;
  addCandidates(state, value, candidates);
  return candidates.empty() ? nullptr : candidates.front();
}

static std::string printAttribute(Attribute attr) {
  std::string text;
  llvm::raw_string_ostream os(text);
  attr.print(os, /*elideType=*/true);
  return text;
}

nb::object python::attributeToPython(Attribute attr) {
  if (auto flag = dyn_cast<BoolAttr>(attr))
    return nb::bool_(flag.getValue());
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    return nb::int_(integer.getValue().getSExtValue());
  if (auto number = dyn_cast<FloatAttr>(attr))
    return nb::float_(number.getValueAsDouble());
  if (auto string = dyn_cast<StringAttr>(attr))
    return nb::str(string.getValue().data(), string.getValue().size());
  if (isa<UnitAttr>(attr))
    return nb::bool_(true);
  nb::list items;
  if (auto ints = dyn_cast<DenseI64ArrayAttr>(attr)) {
    for (int64_t value : ints.asArrayRef())
      items.append(value);
    return items;
  }
  if (auto ints = dyn_cast<DenseI32ArrayAttr>(attr)) {
    for (int32_t value : ints.asArrayRef())
      items.append(value);
    return items;
  }
  if (auto array = dyn_cast<ArrayAttr>(attr)) {
    for (Attribute item : array)
      items.append(attributeToPython(item));
    return items;
  }
  std::string text = printAttribute(attr);
  // `#dlc<kind sum>` reads as its case.
  StringRef body = text;
  if (body.consume_front("#dlc<") && body.consume_back(">"))
    text = body.split(' ').second.str();
  return nb::str(text.c_str());
}
