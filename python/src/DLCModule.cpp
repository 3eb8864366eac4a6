//===- DLCModule.cpp - The nanobind module of the dlc package -------------===//
//
// Everything that the Python package needs from C++, under one name.
//
//===----------------------------------------------------------------------===//

#include "ModuleState.h"

namespace nb = nanobind;

NB_MODULE(_dlc, m) {
  // Tracebacks and caches may keep handles until the process ends.
  nb::set_leak_warnings(false);
  m.doc() = "C++ side of the dlc package; use the package, not this module.";
  m.attr("__version__") = DLC_VERSION;
  mlir::dlc::python::registerCompileException();
  mlir::dlc::python::bindModule(m);
  mlir::dlc::python::bindExecutable(m);
}
