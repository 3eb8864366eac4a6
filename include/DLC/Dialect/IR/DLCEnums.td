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

def DLC_WindowKind : DLC_Enum<"WindowKind", "reduction over a window", [
  I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"max", 1>, I32EnumAttrCase<"min", 2>,
  I32EnumAttrCase<"mean", 3>]>;
def DLC_WindowKindAttr : DLC_EnumAttr<DLC_WindowKind, "window_kind">;

def DLC_ResizeMode : DLC_Enum<"ResizeMode", "interpolation", [
  I32EnumAttrCase<"nearest", 0>, I32EnumAttrCase<"linear", 1>, I32EnumAttrCase<"cubic", 2>]>;
def DLC_ResizeModeAttr : DLC_EnumAttr<DLC_ResizeMode, "resize_mode">;

def DLC_CoordinateMode : DLC_Enum<"CoordinateMode", "map from result to source coordinates", [
  I32EnumAttrCase<"half_pixel", 0>, I32EnumAttrCase<"asymmetric", 1>,
  I32EnumAttrCase<"align_corners", 2>, I32EnumAttrCase<"pytorch_half_pixel", 3>,
  I32EnumAttrCase<"half_pixel_symmetric", 4>, I32EnumAttrCase<"tf_crop_and_resize", 5>]>;
def DLC_CoordinateModeAttr : DLC_EnumAttr<DLC_CoordinateMode, "coordinate_mode">;

def DLC_NearestMode : DLC_Enum<"NearestMode", "rounding of a source coordinate", [
  I32EnumAttrCase<"round_prefer_floor", 0>, I32EnumAttrCase<"round_prefer_ceil", 1>,
  I32EnumAttrCase<"floor", 2>, I32EnumAttrCase<"ceil", 3>]>;
def DLC_NearestModeAttr : DLC_EnumAttr<DLC_NearestMode, "nearest_mode">;

def DLC_PadMode : DLC_Enum<"PadMode", "where padding takes its values from", [
  I32EnumAttrCase<"constant", 0>, I32EnumAttrCase<"reflect", 1>, I32EnumAttrCase<"edge", 2>,
  I32EnumAttrCase<"wrap", 3>]>;
def DLC_PadModeAttr : DLC_EnumAttr<DLC_PadMode, "pad_mode">;

def DLC_ScatterReduction : DLC_Enum<"ScatterReduction", "how an update joins the element it hits", [
  I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"add", 1>, I32EnumAttrCase<"mul", 2>,
  I32EnumAttrCase<"min", 3>, I32EnumAttrCase<"max", 4>]>;
def DLC_ScatterReductionAttr : DLC_EnumAttr<DLC_ScatterReduction, "scatter_reduction">;

def DLC_ReduceKind : DLC_Enum<"ReduceKind", "reduction over axes", [
  I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"prod", 1>, I32EnumAttrCase<"max", 2>,
  I32EnumAttrCase<"min", 3>, I32EnumAttrCase<"mean", 4>,
  I32EnumAttrCase<"logical_and", 5, "and">, I32EnumAttrCase<"logical_or", 6, "or">]>;
def DLC_ReduceKindAttr : DLC_EnumAttr<DLC_ReduceKind, "reduce_kind">;

def DLC_ArgReduceKind : DLC_Enum<"ArgReduceKind", "which element an arg_reduce looks for", [
  I32EnumAttrCase<"max", 0>, I32EnumAttrCase<"min", 1>]>;
def DLC_ArgReduceKindAttr : DLC_EnumAttr<DLC_ArgReduceKind, "arg_reduce_kind">;

def DLC_CumulativeKind : DLC_Enum<"CumulativeKind", "scan along an axis", [
  I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"prod", 1>, I32EnumAttrCase<"max", 2>,
  I32EnumAttrCase<"min", 3>]>;
def DLC_CumulativeKindAttr : DLC_EnumAttr<DLC_CumulativeKind, "cumulative_kind">;

def DLC_GeluApproximation : DLC_Enum<"GeluApproximation", "how gelu computes the error function", [
  I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"tanh", 1>]>;
def DLC_GeluApproximationAttr : DLC_EnumAttr<DLC_GeluApproximation, "gelu_approximation">;

#endif // DLC_DIALECT_IR_DLCENUMS_TD
