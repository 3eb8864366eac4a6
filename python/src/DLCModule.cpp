//===- DLCModule.cpp - The nanobind module of the dlc package -------------===//
//
// Everything that the Python package needs from C++, under one name.
//
//===----------------------------------------------------------------------===//

#include "ModuleState.h"

NB_MODULE(_dlc, m) {
  m.doc() = "C++ side of the dlc package; use the package, not this module.";
  m.attr("__version__") = DLC_VERSION;
  mlir::dlc::python::registerCompileException();
  mlir::dlc::python::bindModule(m);
}
