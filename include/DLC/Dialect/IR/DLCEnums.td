//===- DLCEnums.td - Enumerations and attributes of DLC ----*- tablegen -*-===//
//
// Enumerated attributes that the op families share.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_DIALECT_IR_DLCENUMS_TD
#define DLC_DIALECT_IR_DLCENUMS_TD

include "DLC/Dialect/IR/DLCBase.td"
include "mlir/IR/EnumAttr.td"

class DLC_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::dlc";
  let genSpecializedAttr = 0;
}
class DLC_EnumAttr<EnumAttrInfo info, string mnemonic> : EnumAttr<DLC_Dialect, info, mnemonic> {
  let assemblyFormat = "$value";
}

def DLC_ComparePredicate : DLC_Enum<"ComparePredicate", "comparison predicate", [
  I32EnumAttrCase<"eq", 0>, I32EnumAttrCase<"ne", 1>, I32EnumAttrCase<"lt", 2>,
  I32EnumAttrCase<"le", 3>, I32EnumAttrCase<"gt", 4>, I32EnumAttrCase<"ge", 5>]>;
def DLC_ComparePredicateAttr : DLC_EnumAttr<DLC_ComparePredicate, "predicate">;

#endif // DLC_DIALECT_IR_DLCENUMS_TD
