//===- ModuleState.cpp - A module under construction ----------------------===//
//
// Context set-up, diagnostics as exceptions, and handle checks.
//
//===----------------------------------------------------------------------===//

#include "ModuleState.h"

#include "DLC/Dialect/IR/DLCDialect.h"
#include "DLC/InitAll.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "llvm/Support/raw_ostream.h"

namespace nb = nanobind;
using namespace mlir;
using namespace mlir::dlc;
using namespace mlir::dlc::python;

/// The registry every context starts from. Filled once: registering all of MLIR
/// takes longer than building a small graph.
static const DialectRegistry &getRegistry() {
  static const std::unique_ptr<DialectRegistry> registry = [] {
    auto result = std::make_unique<DialectRegistry>();
    registerAllDialects(*result);
    registerAllExtensions(*result);
    registerAllPasses();
    registerAllDLC(*result);
    return result;
  }();
  return *registry;
}

ModuleState::ModuleState()
    : context(getRegistry()), builder(&context),
      location(UnknownLoc::get(&context)) {
  context.loadDialect<DLCDialect, arith::ArithDialect, func::FuncDialect,
                      ml_program::MLProgramDialect, scf::SCFDialect,
                      tensor::TensorDialect>();
  module = ModuleOp::create(location);
  builder.setInsertionPointToEnd(module->getBody());
}

ModuleState::~ModuleState() { clearGraveyard(); }

void ModuleState::clearGraveyard() {
  for (Operation *op : graveyard)
    op->destroy();
  graveyard.clear();
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

/// The name a front end gave to `loc`, or an empty string.
static std::string getNodeName(Location loc) {
  std::string name;
  loc->walk([&](Location inner) {
    auto named = dyn_cast<NameLoc>(inner);
    if (!named)
      return WalkResult::advance();
    name = named.getName().str();
    return WalkResult::interrupt();
  });
  return name;
}

static std::string printLocation(Location loc) {
  std::string text;
  llvm::raw_string_ostream os(text);
  loc->print(os);
  return text;
}

static const char *getSeverityName(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  return "error";
}

DiagnosticCollector::DiagnosticCollector(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        DiagnosticRecord record{getSeverityName(diagnostic.getSeverity()),
                                diagnostic.str(),
                                printLocation(diagnostic.getLocation()),
                                getNodeName(diagnostic.getLocation()),
                                {}};
        for (Diagnostic &note : diagnostic.getNotes())
          record.notes.push_back(note.str());
        records.push_back(std::move(record));
        return success();
      }) {}

void DiagnosticCollector::raise(const std::string &fallback) {
  std::string summary = fallback;
  for (const DiagnosticRecord &record : records) {
    if (record.severity != "error")
      continue;
    summary = record.message;
    if (!record.node.empty())
      summary += " (node '" + record.node + "')";
    break;
  }
  throw CompileException(std::move(summary), std::move(records));
}

void python::registerCompileException() {
  nb::register_exception_translator([](const std::exception_ptr &pointer,
                                       void *) {
    try {
      std::rethrow_exception(pointer);
    } catch (const CompileException &error) {
      nb::list records;
      for (const DiagnosticRecord &record : error.getRecords()) {
        nb::dict entry;
        nb::list notes;
        for (const std::string &note : record.notes)
          notes.append(nb::str(note.c_str()));
        entry["severity"] = nb::str(record.severity.c_str());
        entry["message"] = nb::str(record.message.c_str());
        entry["location"] = nb::str(record.location.c_str());
        entry["node"] = nb::str(record.node.c_str());
        entry["notes"] = notes;
        records.append(entry);
      }
      nb::object type = nb::module_::import_("dlc.errors").attr("CompileError");
      nb::object instance = type(nb::str(error.what()), records);
      PyErr_SetObject(type.ptr(), instance.ptr());
    }
  });
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

Value PyValue::get() const {
  if (generation != state->generation)
    throw nb::value_error("this value is from before a pass pipeline ran on "
                          "its graph; take it from the graph again");
  return value;
}

Operation *PyOperation::get() const {
  if (generation != state->generation)
    throw nb::value_error("this operation is from before a pass pipeline ran "
                          "on its graph; take it from the graph again");
  return op;
}

Type python::parseTypeText(ModuleState &state, const std::string &text) {
  DiagnosticCollector diagnostics(&state.context);
  Type type = parseType(text, &state.context);
  if (!type)
    diagnostics.raise("expected '" + text + "' to be a type");
  return type;
}
