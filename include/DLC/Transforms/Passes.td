//===- Passes.td - DLC transformation passes ---------------*- tablegen -*-===//
//
// All passes that keep the program's dialect level or lower it in place.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_TRANSFORMS_PASSES_TD
#define DLC_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def OutlineFusions : Pass<"dlc-outline-fusions", "::mlir::ModuleOp"> {
  let summary = "Turn each dlc.fusion into a function, equal ones into the same function";
  let description = [{
    Pre-condition: none. Post-condition: no `dlc.fusion` remains; each is a call of a private function
    whose body is the region; regions that are equal up to locations share one function.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

#endif // DLC_TRANSFORMS_PASSES_TD
