//===- ModuleState.h - A module under construction --------------*- C++ -*-===//
//
// What the Python classes Module, Value and Operation share: one MLIR context
// with one module, an insertion point, and the diagnostics of the last call.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_PYTHON_MODULESTATE_H
#define DLC_PYTHON_MODULESTATE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "nanobind/nanobind.h"
#include "nanobind/stl/optional.h"
#include "nanobind/stl/shared_ptr.h"
#include "nanobind/stl/string.h"
#include "nanobind/stl/vector.h"
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace mlir::dlc::python {

/// One diagnostic of the compiler in a form that outlives the context.
struct DiagnosticRecord {
  std::string severity;
  std::string message;
  /// The location as MLIR prints it.
  std::string location;
  /// The innermost name in the location: the front end's name of the node.
  std::string node;
  std::vector<std::string> notes;
};

/// Thrown by the binding code only, never through a frame of MLIR, which is
/// built without exceptions. Becomes `dlc.CompileError` in Python.
class CompileException : public std::exception {
public:
  CompileException(std::string summary, std::vector<DiagnosticRecord> records)
      : summary(std::move(summary)), records(std::move(records)) {}
  const char *what() const noexcept override { return summary.c_str(); }
  const std::vector<DiagnosticRecord> &getRecords() const { return records; }

private:
  std::string summary;
  std::vector<DiagnosticRecord> records;
};

/// Makes `CompileException` a `dlc.CompileError`.
void registerCompileException();

/// Collects every diagnostic of a context while it lives.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(MLIRContext *context);

  /// Throws a CompileException with all errors collected so far; `fallback` is
  /// the text when the compiler failed without saying anything.
  [[noreturn]] void raise(const std::string &fallback);

private:
  std::vector<DiagnosticRecord> records;
  ScopedDiagnosticHandler handler;
};

/// Owns the context and everything in it. Erased operations are kept until the
/// state dies or a pipeline runs, so a stale Python handle is never a dangling
/// pointer within one generation.
struct ModuleState {
  ModuleState();
  ~ModuleState();

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  OpBuilder builder;
  Location location;
  std::vector<OpBuilder::InsertPoint> insertionStack;
  std::vector<Operation *> graveyard;
  /// Raised by whatever may destroy operations: older handles are refused.
  uint64_t generation = 0;

  void clearGraveyard();
};

using StatePtr = std::shared_ptr<ModuleState>;

/// An SSA value; refuses use after a pipeline ran on its module.
struct PyValue {
  StatePtr state;
  Value value;
  uint64_t generation;

  Value get() const;
};

/// An operation; the same rule as for values.
struct PyOperation {
  StatePtr state;
  Operation *op;
  uint64_t generation;

  Operation *get() const;
};

/// An attribute or type of a module's context.
struct PyAttribute {
  StatePtr state;
  Attribute attr;
};

/// Parses `text` as a type; throws with the parser's message.
Type parseTypeText(ModuleState &state, const std::string &text);

/// Gives the attribute called `name` of an operation `opName` the value of a
/// Python object. The op's own constraint decides among the attribute kinds
/// that the object may stand for: a float is f32 or f64, a string an enum case
/// or a string. Returns null when the object means that the attribute is absent
/// (None, or False for a unit attribute).
Attribute convertAttribute(ModuleState &state, OperationName opName,
                           const std::string &name, nanobind::handle value);

/// The same without an operation: the first kind is taken.
Attribute convertAttribute(ModuleState &state, nanobind::handle value);

/// A Python object for an attribute: int, float, bool, str, list or its text.
nanobind::object attributeToPython(Attribute attr);

void bindModule(nanobind::module_ &m);
void bindExecutable(nanobind::module_ &m);

} // namespace mlir::dlc::python

#endif // DLC_PYTHON_MODULESTATE_H
