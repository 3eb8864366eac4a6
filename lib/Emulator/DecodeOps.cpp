//===- DecodeOps.cpp - Aggregates, atomics and NVVM ops -------------------===//
//
// The ops that are neither element-wise nor plain memory accesses.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::dlc::emulator;

/// Number of slots before element `position` of `type`; its type on return.
static uint32_t getSlotOffset(Type &type, ArrayRef<int64_t> position) {
  uint32_t offset = 0;
  for (int64_t index : position) {
    if (auto aggregate = dyn_cast<LLVM::LLVMStructType>(type)) {
      for (int64_t i = 0; i < index; ++i)
        offset += flatten(aggregate.getBody()[i]).size();
      type = aggregate.getBody()[index];
      continue;
    }
    type = cast<LLVM::LLVMArrayType>(type).getElementType();
    offset += flatten(type).size() * index;
  }
  return offset;
}

static std::optional<int64_t> getConstant(Value value) {
  auto constant = value.getDefiningOp<LLVM::ConstantOp>();
  if (!constant)
    return std::nullopt;
  if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
    return integer.getInt();
  return std::nullopt;
}

/// Splits 32-bit lanes into two of 16 bits.
static bool splitWord(Warp &warp, const Instruction &in) {
  const uint32_t *a = warp.lanes<uint32_t>(in.a);
  uint16_t low[32], high[32];
  for (int i = 0; i < 32; ++i) {
    low[i] = a[i];
    high[i] = a[i] >> 16;
  }
  put(warp, in.dst, low);
  put(warp, in.b, high);
  return false;
}

/// Joins two 16-bit lanes to one of 32 bits.
static bool joinWord(Warp &warp, const Instruction &in) {
  const uint16_t *a = warp.lanes<uint16_t>(in.a);
  const uint16_t *b = warp.lanes<uint16_t>(in.b);
  uint32_t result[32];
  for (int i = 0; i < 32; ++i)
    result[i] = a[i] | uint32_t(b[i]) << 16;
  put(warp, in.dst, result);
  return false;
}

LogicalResult Decoder::decodeAggregate(Operation *op) {
  Value result = op->getResult(0);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](LLVM::ExtractValueOp o) {
        Type type = o.getContainer().getType();
        uint32_t offset = getSlotOffset(type, o.getPosition());
        Slots list = slots[o.getContainer()];
        slots[result] =
            Slots(ArrayRef(list).slice(offset, flatten(type).size()));
        return success();
      })
      .Case([&](LLVM::InsertValueOp o) {
        Type type = o.getContainer().getType();
        uint32_t offset = getSlotOffset(type, o.getPosition());
        Slots list = slots[o.getContainer()], value = slots[o.getValue()];
        llvm::copy(value, list.begin() + offset);
        slots[result] = list;
        return success();
      })
      .Case([&](LLVM::ExtractElementOp o) {
        std::optional<int64_t> position = getConstant(o.getPosition());
        if (!position)
          return unsupported(op, "a position that is not constant");
        slots[result] = {slots[o.getVector()][*position]};
        return success();
      })
      .Case([&](LLVM::InsertElementOp o) {
        std::optional<int64_t> position = getConstant(o.getPosition());
        if (!position)
          return unsupported(op, "a position that is not constant");
        Slots list = slots[o.getVector()];
        list[*position] = use(o.getValue());
        slots[result] = list;
        return success();
      })
      .Case([&](LLVM::ShuffleVectorOp o) {
        Slots from = slots[o.getV1()], list;
        llvm::append_range(from, Slots(slots[o.getV2()]));
        for (int32_t position : o.getMask())
          list.push_back(from[std::max(position, 0)]);
        slots[result] = list;
        return success();
      })
      .Case<LLVM::UndefOp, LLVM::PoisonOp, LLVM::ZeroOp>([&](auto) {
        define(result); // memory of values starts as zeros
        return success();
      })
      .Case([&](LLVM::BitcastOp o) {
        Slots from = slots[o.getArg()];
        unsigned fromBits = getElementBits(flatten(o.getArg().getType())[0]);
        unsigned toBits = getElementBits(flatten(result.getType())[0]);
        if (fromBits == toBits) {
          slots[result] = from;
          return success();
        }
        Slots to = define(result);
        if (fromBits == 32 && toBits == 16) {
          for (auto [i, slot] : llvm::enumerate(from))
            emit(op, splitWord, to[2 * i], slot, to[2 * i + 1]);
          return success();
        }
        if (fromBits == 16 && toBits == 32) {
          for (auto [i, slot] : llvm::enumerate(to))
            emit(op, joinWord, slot, from[2 * i], from[2 * i + 1]);
          return success();
        }
        return unsupported(op, "widths");
      })
      .Case([&](LLVM::AddrSpaceCastOp o) {
        if (isShared(o.getArg().getType()) != isShared(result.getType()))
          return unsupported(op, "between shared memory and another space");
        slots[result] = Slots(slots[o.getArg()]);
        if (auto it = ranges.find(o.getArg()); it != ranges.end())
          ranges[result] = std::pair(it->second);
        return success();
      })
      .Default([&](Operation *) { return unsupported(op); });
}

LogicalResult Decoder::decodeAtomic(Operation *op) {
  if (auto atomic = dyn_cast<LLVM::AtomicRMWOp>(op)) {
    bool shared = isShared(atomic.getPtr().getType());
    Handler handler =
        getAtomicHandler(atomic.getBinOp(), atomic.getType(), shared);
    if (!handler)
      return unsupported(op, "kind or type");
    uint32_t dst = define(atomic)[0];
    Instruction &in =
        emit(op, handler, dst, use(atomic.getPtr()), use(atomic.getVal()));
    if (shared)
      setRange(in, atomic.getPtr());
    return success();
  }
  auto exchange = cast<LLVM::AtomicCmpXchgOp>(op);
  bool shared = isShared(exchange.getPtr().getType());
  Handler handler = getCompareExchangeHandler(
      getLaneBytes(exchange.getVal().getType()), shared);
  if (!handler)
    return unsupported(op, "type");
  Slots dst = define(exchange);
  Instruction &in =
      emit(op, handler, dst[0], use(exchange.getPtr()), use(exchange.getCmp()),
           use(exchange.getVal()), dst[1]);
  if (shared)
    setRange(in, exchange.getPtr());
  return success();
}

LogicalResult Decoder::decodeSync(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](NVVM::Barrier0Op) {
        emit(op, waitBarrier);
        return success();
      })
      .Case([&](NVVM::BarrierOp o) {
        if (o->getNumResults() || o.getReductionOp())
          return unsupported(op, "a reduction");
        if (!o.getBarrierId() && !o.getNumberOfThreads()) {
          emit(op, waitBarrier);
          return success();
        }
        if (!o.getBarrierId())
          return unsupported(op, "a number of threads without an id");
        program.partialSync = true;
        uint32_t count =
            o.getNumberOfThreads() ? use(o.getNumberOfThreads()) : 0;
        emit(op, waitBarrier, 0, use(o.getBarrierId()), count, 0, 1);
        return success();
      })
      .Case([&](NVVM::BarrierArriveOp o) {
        if (!o.getBarrierId())
          return unsupported(op, "no id");
        program.partialSync = true;
        emit(op, waitBarrier, 0, use(o.getBarrierId()),
             use(o.getNumberOfThreads()), 0, 2);
        return success();
      })
      .Case([&](NVVM::SyncWarpOp o) {
        program.partialSync = true;
        emit(op, syncWarp, 0, use(o.getMask()));
        return success();
      })
      .Case([&](NVVM::MBarrierInitOp o) {
        program.partialSync = true;
        emit(op, initMBarrier, 0, use(o.getAddr()), use(o.getCount()));
        return success();
      })
      .Case([&](NVVM::MBarrierArriveOp o) {
        program.partialSync = true;
        bool hasToken = op->getNumResults();
        uint32_t dst = hasToken ? define(op->getResult(0))[0] : 0;
        emit(op, arriveMBarrier, dst, use(o.getAddr()), 0, 0, hasToken);
        return success();
      })
      .Case([&](NVVM::MBarrierTestWaitOp o) {
        program.partialSync = true;
        Value state = o.getStateOrPhase();
        emit(op, testMBarrier, define(o.getResult())[0], use(o.getAddr()),
             use(state), 0, state.getType().isInteger(32));
        return success();
      })
      .Case([&](NVVM::MBarrierTryWaitParityOp o) {
        program.partialSync = true;
        emit(op, waitMBarrier, 0, use(o.getAddr()), use(o.getPhase()));
        return success();
      })
      .Case([&](NVVM::CpAsyncOp o) {
        if (o.getCpSize())
          return unsupported(op, "a source size");
        Instruction &in = emit(op, copyAsync, 0, use(o.getDst()),
                               use(o.getSrc()), 0, o.getSize());
        setRange(in, o.getDst());
        return success();
      })
      .Case([&](NVVM::CpAsyncCommitGroupOp) {
        emit(op, commitAsync);
        return success();
      })
      .Case([&](NVVM::CpAsyncWaitGroupOp o) {
        emit(op, waitAsync, 0, 0, 0, 0, o.getN());
        return success();
      })
      .Default([&](Operation *) { return decodeWarpOp(op); });
}

LogicalResult Decoder::decodeWarpOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](NVVM::ShflOp o) {
        SmallVector<Type> types = flatten(o.getRes().getType());
        if (getElementBits(types[0]) != 32)
          return unsupported(op, "type");
        Slots dst = define(o.getRes());
        Instruction &in =
            emit(op, shuffle, dst[0], use(o.getVal()), use(o.getOffset()),
                 use(o.getMaskAndClamp()), static_cast<uint64_t>(o.getKind()));
        in.low = use(o.getThreadMask());
        in.high = dst.size() > 1 ? dst[1] : 0;
        return success();
      })
      .Case([&](NVVM::VoteSyncOp o) {
        using K = NVVM::VoteSyncKind;
        K kind = o.getKind();
        uint64_t imm = kind == K::any      ? 0
                       : kind == K::all    ? 1
                       : kind == K::ballot ? 2
                                           : 3;
        emit(op, vote, define(o.getRes())[0], use(o.getMask()),
             use(o.getPred()), 0, imm);
        return success();
      })
      .Case([&](NVVM::LdMatrixOp o) {
        LdMatrixOperands operands = {};
        operands.count = o.getNum();
        operands.transpose = o.getLayout() == NVVM::MMALayout::col;
        Slots dst = define(o.getRes());
        if (operands.count > 4 || dst.size() != operands.count)
          return unsupported(op, "number of tiles");
        llvm::copy(dst, operands.dst);
        program.ldMatrices.push_back(operands);
        Instruction &in = emit(op, loadMatrix, 0, use(o.getPtr()), 0, 0,
                               program.ldMatrices.size() - 1);
        setRange(in, o.getPtr());
        return success();
      })
      .Case([&](NVVM::MmaOp o) {
        MmaOperands operands = {};
        auto fill = [&](ValueRange values, MutableArrayRef<uint32_t> target) {
          Slots list;
          for (Value value : values)
            llvm::append_range(list, Slots(slots[value]));
          if (list.size() != target.size())
            return false;
          llvm::copy(list, target.begin());
          return true;
        };
        Slots dst = define(o.getRes());
        Type element = flatten(o.getOperandA()[0].getType())[0];
        if (!element.isF16() || dst.size() != 4 ||
            !fill(o.getOperandA(), operands.a) ||
            !fill(o.getOperandB(), operands.b) ||
            !fill(o.getOperandC(), operands.c) ||
            !flatten(o.getRes().getType())[0].isF32())
          return unsupported(op, "other than m16n8k16 of f16 into f32");
        llvm::copy(dst, operands.dst);
        program.mmas.push_back(operands);
        emit(op, multiplyMatrix, 0, 0, 0, 0, program.mmas.size() - 1);
        return success();
      })
      .Default([&](Operation *) { return decodeSpecialRegister(op); });
}

LogicalResult Decoder::decodeSpecialRegister(Operation *op) {
  int kind = llvm::TypeSwitch<Operation *, int>(op)
                 .Case<NVVM::ThreadIdXOp>([](auto) { return 0; })
                 .Case<NVVM::ThreadIdYOp>([](auto) { return 1; })
                 .Case<NVVM::ThreadIdZOp>([](auto) { return 2; })
                 .Case<NVVM::BlockIdXOp>([](auto) { return 3; })
                 .Case<NVVM::BlockIdYOp>([](auto) { return 4; })
                 .Case<NVVM::BlockIdZOp>([](auto) { return 5; })
                 .Case<NVVM::BlockDimXOp>([](auto) { return 6; })
                 .Case<NVVM::BlockDimYOp>([](auto) { return 7; })
                 .Case<NVVM::BlockDimZOp>([](auto) { return 8; })
                 .Case<NVVM::GridDimXOp>([](auto) { return 9; })
                 .Case<NVVM::GridDimYOp>([](auto) { return 10; })
                 .Case<NVVM::GridDimZOp>([](auto) { return 11; })
                 .Case<NVVM::LaneIdOp>([](auto) { return 12; })
                 .Case<NVVM::WarpSizeOp>([](auto) { return 13; })
                 .Default([](Operation *) { return -1; });
  if (kind < 0)
    return unsupported(op);
  emit(op, readSpecialRegister, define(op->getResult(0))[0], 0, 0, 0, kind);
  return success();
}
