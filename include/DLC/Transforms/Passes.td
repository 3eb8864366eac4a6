//===- Passes.td - DLC transformation passes ---------------*- tablegen -*-===//
//
// All passes that keep the program's dialect level or lower it in place.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_TRANSFORMS_PASSES_TD
#define DLC_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandMath : Pass<"dlc-expand-math", "::mlir::ModuleOp"> {
  let summary = "Expand elementary functions of f32 into straight-line arithmetic";
  let description = [{
    Pre-condition: `math` ops on scalars or vectors, also inside linalg bodies. Post-condition: no
    exponential, logarithmic, power, trigonometric, hyperbolic or error function of f32 or a narrower
    float remains; each is a sequence of `arith` ops, `math.fma`, `math.absf`, `math.copysign`,
    `math.floor`, `math.roundeven` and `math.sqrt` without branches, calls or tables, which loop
    vectorisers accept. Narrower floats compute in f32 and round once.

    The error is at most 2 ULP over all of f32 (docs/numerics.md), denormal arguments and results
    included; special values are those of C99 Annex F. Fast-math flags of the op are not used.

    **Example**
    ```mlir
    %0 = math.tanh %x : vector<16xf32>
    ```
    becomes about 40 ops on `vector<16xf32>` and `vector<16xi32>`.

    `math.fpowi` of f64 becomes `math.powf`. Otherwise f64 is left to the C library: `expm1` and `log1p`, which `convert-math-to-llvm` would lower with
    cancellation, become calls here, the others are for it and `convert-math-to-libm`.

    Left alone: ops on tensors, and the ops that have an
    instruction (`sqrt`, `floor`, `ceil`, `trunc`, `round`, `roundeven`, bit counts).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
}

def Fuse : Pass<"dlc-fuse"> {
  let summary = "Group linalg ops into one dlc.fusion per kernel";
  let description = [{
    Pre-condition: linalg ops on tensors, from anywhere; dlc ops are converted to linalg first.
    Post-condition: every linalg op on tensors except fills is inside a `dlc.fusion`.

    Element-wise producers are fused into their only consumer unless that is a contraction or would
    compute them repeatedly; a contraction takes the element-wise op on its result with it. Fills, views
    and scalar constants that feed a kernel move inside; the destination of its result stays outside.

    Remarks: passed for each op that joins another's kernel, missed with the reason where a producer
    stays a kernel of its own. A second run changes nothing. It does not tile and does not lower.

    **Example**
    ```mlir
    func.func @f(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %0 = dlc.add %x, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
      %1 = dlc.add %0, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
      return %1 : tensor<4x8xf32>
    }
    ```
    becomes one `dlc.fusion` around one `linalg.generic` with two additions.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::dlc::DLCDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

def InlineConstantGlobals : Pass<"dlc-inline-constant-globals", "::mlir::ModuleOp"> {
  let summary = "Replace reads of constant ml_program globals by constants";
  let description = [{
    `ml_program.global_load_const @w` becomes an `arith.constant` with the global's value, so that
    bufferization makes it a `memref.global`; resource blobs are shared and not copied. Globals
    without uses go away.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LowerChecks : Pass<"dlc-lower-checks", "::mlir::ModuleOp"> {
  let summary = "Lower dlc's run-time checks to calls of the runtime";
  let description = [{
    Pre-condition: none. Post-condition: no check of the dlc dialect is left; each is an `scf.if` around
    a call of `dlc_rt_fail_sizes` or `dlc_rt_report_index` with
    the message as a constant string.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def ProtectArguments : Pass<"dlc-protect-arguments", "::mlir::ModuleOp"> {
  let summary = "Mark the tensor arguments of public functions as read-only";
  let description = [{
    Sets `bufferization.writable = false` on every tensor argument of a public function that does not
    say otherwise, so that one-shot bufferization never writes into a caller's data. Asks for a C
    interface of the function (`llvm.emit_c_interface`) and records its type and the attributes of its
    arguments and results in `dlc.entry`, which survives lowering to the LLVM dialect.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def Bufferize : Pass<"dlc-bufferize", "::mlir::ModuleOp"> {
  let summary = "Turn tensors into buffers that are allocated and freed";
  let description = [{
    One-shot bufferization over function boundaries, with identity layouts there, then ownership-based
    deallocation, with each buffer freed right after its last use. A module without tensors is left as
    it is: a program on memrefs frees its own memory.

    Pre-condition: `dlc-protect-arguments` has run where callers keep their arguments.
    Post-condition: no tensors, and every allocation that is not returned is freed.
  }];
}

def OutlineFusions : Pass<"dlc-outline-fusions", "::mlir::ModuleOp"> {
  let summary = "Turn each dlc.fusion into a function, equal ones into the same function";
  let description = [{
    Pre-condition: none. Post-condition: no `dlc.fusion` remains; each is a call of a private function
    whose body is the region; regions that are equal up to locations share one function.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def SeparateStridedOperands : Pass<"dlc-separate-strided-operands", "::mlir::ModuleOp"> {
  let summary = "Copy strided buffers that are passed as row-major ones";
  let description = [{
    Pre-condition: bufferized functions. Post-condition: no `memref.cast` gives a buffer with dynamic
    sizes and strides a row-major type, which one-shot bufferization does at function boundaries. A call
    gets a row-major copy, copied back only when the callee may write it; a return gets a copy; ops that
    take any layout use the strided buffer itself.

    **Example**
    ```mlir
    %c = memref.cast %v : memref<?x?xf32, strided<[?, 1]>> to memref<?x?xf32>
    call @kernel(%c) : (memref<?x?xf32>) -> ()
    ```
    becomes a `memref.alloc`, a `memref.copy`, the call on the copy, and a `memref.copy` back.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def Tile : Pass<"dlc-tile"> {
  let summary = "Tile linalg ops and compute their producers inside the tiles";
  let description = [{
    Pre-condition: linalg ops on tensors, from anywhere. Post-condition: each is a nest of
    `scf.for` over tiles; a producer with one user is computed tile by tile inside that user's loops.

    **Example** with `tile-sizes=2,4`
    ```mlir
    func.func @f(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
      %0 = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>)
                         outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
      return %0 : tensor<8x8xf32>
    }
    ```
    becomes two `scf.for` loops around a `linalg.matmul` of a 2x8 by an 8x4 slice.

    An op that already works on a slice inside a loop is left alone, so a second run changes nothing.
    It does not vectorise, and it does not change ops on memrefs. Remarks: passed with the number of
    loops, missed when every dimension fits into one tile.
  }];
  let options = [
    ListOption<"tileSizes", "tile-sizes", "int64_t",
               "size of each loop's tile, outermost first; 0 = not tiled; empty = chosen per op">,
    ListOption<"interchange", "interchange", "int64_t",
               "order of the tile loops as a permutation; empty = the op's order">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def LowerContractions : Pass<"dlc-lower-contractions"> {
  let summary = "Lower contractions and convolutions on memrefs to packed vector micro-kernels";
  let description = [{
    Pre-condition: linalg ops on memrefs, from anywhere. Post-condition: each op of the form
    `C += A * B` with linear indexing maps (matmul, batch matmul, convolution of any rank, stride,
    dilation and group count; named or generic) is an `scf.parallel` over column panels around a
    register-blocked kernel on vectors.

    All indexing maps are linear, so that the element offsets separate: with M the loops of C that B
    does not have, N the loops of C that A does not have, and K the loops that C does not have,
    A is at `m(i) + k(p)`, B at `n(j) + k'(p)`, C at `m'(i) + n'(j)`. A panel of B (`kc` values of K by
    the tile's columns) is packed into a scratch buffer of the task, whatever B's layout is; A is read in
    place, one element per row and step, and broadcast.

    A `linalg.fill` with zero directly before the op becomes the start value of the accumulators.

    An element-wise `linalg.generic` that reads C next is computed on the accumulators before they are
    stored, if its other operands are contiguous or constant along the columns (the epilogue: bias,
    activation, residual, cast).

    Left alone, with a missed remark: ops without M or N loops whose data are not contiguous along N,
    and products with few rows of a B that is contiguous along K; loops serve them better. It does not
    reorder the elements of K, but each of its blocks is added to C in turn.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "256", "width of a vector register in bits">,
    Option<"registers", "registers", "unsigned", "16", "number of vector registers">,
    Option<"kBlock", "k-block", "int64_t", "256", "values of K per packed panel">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def LowerToLoops : Pass<"dlc-lower-to-loops"> {
  let summary = "Lower linalg ops on memrefs to loops that vectorize";
  let description = [{
    Pre-condition: linalg ops and copies on memrefs, from anywhere. Post-condition: none is left; each is
    an `scf.parallel` over its outer parallel loops with serial loops inside.

    The loop order is chosen for LLVM's loop vectorizer: sums are carried in registers with the
    reduction innermost, or, where the data are contiguous along the outputs instead, whole rows are
    added up with the row innermost. Neighbouring loops over row-major data are collapsed first, and a
    single parallel loop is split into blocks.

    It does not vectorize itself and does not distribute work to threads (see `dlc-parallelize`).
  }];
  let options = [Option<"block", "block", "int64_t", "8192",
                        "elements per task where one parallel loop is all there is">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def Parallelize : Pass<"dlc-parallelize"> {
  let summary = "Run scf.parallel loops on OpenMP threads where it pays";
  let description = [{
    Pre-condition: `scf.parallel` loops without reductions, from anywhere. Post-condition: the outermost
    ones are `omp.parallel` with a work-sharing loop, others nested `scf.for`.

    A loop's work is the number of operations of its body times its trips. With less than `min-work` it
    stays on one thread; if the trips are not known, an `if` clause decides at run time.

    Remarks: passed with the number of iterations from which on threads are used, missed with the reason.
  }];
  let options = [Option<"minWork", "min-work", "int64_t", "50000",
                        "operations below which a loop stays on one thread">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::omp::OpenMPDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // DLC_TRANSFORMS_PASSES_TD
