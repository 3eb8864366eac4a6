//===- Decode.cpp - From LLVM and NVVM ops to instructions ----------------===//
//
// Structs, arrays and vectors are flattened into one slot per element, so that
// inserting and extracting only renames. Blocks are laid out in weak
// topological order: loops contiguous, their head first, exits after.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::dlc::emulator;

unsigned mlir::dlc::emulator::getElementBits(Type type) {
  if (type.isIntOrFloat()) {
    unsigned bits = type.getIntOrFloatBitWidth();
    bool known =
        bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
    return known ? bits : 0;
  }
  if (auto pointer = dyn_cast<LLVM::LLVMPointerType>(type))
    return pointer.getAddressSpace() == 3 ? 32 : 64;
  return 0;
}

unsigned mlir::dlc::emulator::getLaneBytes(Type type) {
  return getElementBits(type) / 8;
}

void mlir::dlc::emulator::flatten(Type type, SmallVectorImpl<Type> &result) {
  if (auto aggregate = dyn_cast<LLVM::LLVMStructType>(type)) {
    for (Type element : aggregate.getBody())
      flatten(element, result);
  } else if (auto array = dyn_cast<LLVM::LLVMArrayType>(type)) {
    for (uint64_t i = 0; i < array.getNumElements(); ++i)
      flatten(array.getElementType(), result);
  } else if (auto vector = dyn_cast<VectorType>(type)) {
    for (int64_t i = 0; i < vector.getNumElements(); ++i)
      flatten(vector.getElementType(), result);
  } else {
    result.push_back(type);
  }
}

uint32_t Decoder::allocate(Type type) {
  // Also a type that is not known gets a slot; its op is refused later.
  uint32_t bytes = std::max(64u, getLaneBytes(type) * 32);
  uint32_t slot = program.arenaBytes;
  program.arenaBytes += bytes;
  return slot;
}

Slots &Decoder::define(Value value) {
  Slots &list = slots[value];
  if (list.empty())
    for (Type type : flatten(value.getType()))
      list.push_back(allocate(type));
  return list;
}

Instruction &Decoder::emit(Operation *op, Handler handler, uint32_t dst,
                           uint32_t a, uint32_t b, uint32_t c, uint64_t imm) {
  if (program.ops.back() != op)
    program.ops.push_back(op);
  uint32_t id = program.ops.size() - 1;
  program.code.push_back(
      {handler, dst, a, b, c, imm, id, 0, 0, nullptr, nullptr});
  return program.code.back();
}

void Decoder::setRange(Instruction &in, Value pointer) {
  auto it = ranges.find(pointer);
  std::pair<uint32_t, uint32_t> range =
      it == ranges.end() ? std::pair(kSharedStart, 0u) : it->second;
  in.low = range.first;
  in.high = range.second;
  if (in.high == 0)
    program.openAccesses.push_back(program.code.size() - 1);
}

void Decoder::addConstant(uint32_t slot, Type type, APInt bits) {
  unsigned width = getElementBits(type);
  if (width == 1) {
    uint32_t mask = bits[0] ? kFullMask : 0;
    auto *bytes = reinterpret_cast<uint8_t *>(&mask);
    program.constants.push_back({slot, {bytes, bytes + 4}});
    return;
  }
  uint64_t value = bits.sextOrTrunc(64).getZExtValue();
  std::vector<uint8_t> data(width / 8 * 32);
  for (int lane = 0; lane < 32; ++lane)
    std::memcpy(&data[lane * width / 8], &value, width / 8);
  program.constants.push_back({slot, std::move(data)});
}

/// The copies happen at once: those that read what another one writes go
/// through a temporary.
const Edge *Decoder::makeEdge(Block *target, ValueRange arguments,
                              uint32_t cost) {
  Edge &edge = program.edges.emplace_back(Edge{0, cost, {}});
  llvm::DenseSet<uint32_t> written;
  for (Value argument : target->getArguments())
    written.insert_range(define(argument));
  std::vector<Copy> last;
  for (auto [to, from] : llvm::zip_equal(target->getArguments(), arguments)) {
    Slots targets = define(to), sources = define(from);
    for (auto [type, dst, src] :
         llvm::zip_equal(flatten(to.getType()), targets, sources)) {
      if (dst == src)
        continue;
      uint32_t bytes = getElementBits(type) == 1 ? 4 : getLaneBytes(type) * 32;
      if (!written.contains(src)) {
        last.push_back({dst, src, bytes});
        continue;
      }
      uint32_t temporary = allocate(type);
      edge.copies.push_back({temporary, src, bytes});
      last.push_back({dst, temporary, bytes});
    }
  }
  edge.copies.insert(edge.copies.end(), last.begin(), last.end());
  openEdges.push_back({&edge, target});
  return &edge;
}

void Decoder::orderBlocks(ArrayRef<Block *> nodes, ArrayRef<Block *> entries,
                          SmallVectorImpl<Block *> &order) {
  llvm::DenseSet<Block *> inside(nodes.begin(), nodes.end()), onStack;
  llvm::DenseMap<Block *, unsigned> number, low;
  SmallVector<Block *> stack;
  SmallVector<SmallVector<Block *>> components;
  auto visit = [&](auto &self, Block *block) -> void {
    unsigned n = number.size() + 1;
    number[block] = low[block] = n;
    stack.push_back(block);
    onStack.insert(block);
    for (Block *next : block->getSuccessors()) {
      if (!inside.contains(next))
        continue;
      if (!number.contains(next)) {
        self(self, next);
        low[block] = std::min(low[block], low[next]);
      } else if (onStack.contains(next)) {
        low[block] = std::min(low[block], number[next]);
      }
    }
    if (low[block] != number[block])
      return;
    SmallVector<Block *> component;
    do {
      component.push_back(stack.pop_back_val());
      onStack.erase(component.back());
    } while (component.back() != block);
    components.push_back(std::move(component));
  };
  for (Block *entry : entries)
    if (inside.contains(entry) && !number.contains(entry))
      visit(visit, entry);
  for (const auto &component : llvm::reverse(components)) {
    // The block that was visited first is the head.
    Block *head = component.back();
    order.push_back(head);
    if (component.size() == 1)
      continue;
    auto rest = ArrayRef(component).drop_back();
    SmallVector<Block *> starts(head->getSuccessors());
    llvm::append_range(starts, rest);
    orderBlocks(rest, starts, order);
  }
}

/// The narrowest access to shared memory decides what one shadow cell covers.
void Decoder::findGranule() {
  unsigned bytes = 4;
  auto visit = [&](Type type, Value pointer) {
    if (isShared(pointer.getType()))
      for (Type element : flatten(type))
        if (unsigned size = getLaneBytes(element))
          bytes = std::min(bytes, size);
  };
  kernel.walk([&](Operation *op) {
    if (auto load = dyn_cast<LLVM::LoadOp>(op))
      visit(load.getType(), load.getAddr());
    else if (auto store = dyn_cast<LLVM::StoreOp>(op))
      visit(store.getValue().getType(), store.getAddr());
  });
  program.granuleShift = llvm::countr_zero(bytes);
}

LogicalResult Decoder::run() {
  // Slot 0 means none.
  program.arenaBytes = 64;
  findGranule();
  for (Value argument : kernel.getArguments()) {
    Slots list = define(argument);
    if (list.size() != 1 || getElementBits(argument.getType()) == 0)
      return kernel.emitError("'")
             << kernel.getName()
             << "' expected arguments of one element each, but got "
             << argument.getType();
    program.arguments.push_back({list[0], getLaneBytes(argument.getType())});
  }
  SmallVector<Block *> all, order;
  for (Block &block : kernel.getBody())
    all.push_back(&block);
  orderBlocks(all, {&kernel.getBody().front()}, order);
  for (Block *block : order)
    for (Value argument : block->getArguments())
      define(argument);
  for (Block *block : order) {
    pcOf[block] = program.code.size();
    uint32_t cost = 0;
    for (Operation &op : *block) {
      cost += !isa<LLVM::ConstantOp, LLVM::AddressOfOp>(op);
      if (failed(decodeOp(op, cost)))
        return failure();
    }
  }
  for (auto [edge, block] : openEdges)
    edge->pc = pcOf[block];
  return success();
}

LogicalResult Decoder::decodeOp(Operation &op, uint32_t cost) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](LLVM::ConstantOp o) { return decodeConstant(o); })
      .Case([&](LLVM::AddressOfOp o) { return decodeAddressOf(o); })
      .Case([&](LLVM::GEPOp o) { return decodeAddress(o); })
      .Case([&](LLVM::LoadOp o) { return decodeLoad(o); })
      .Case([&](LLVM::StoreOp o) { return decodeStore(o); })
      .Case<LLVM::BrOp, LLVM::CondBrOp, LLVM::ReturnOp, LLVM::UnreachableOp>(
          [&](auto) { return decodeControl(&op, cost); })
      .Case<LLVM::ExtractValueOp, LLVM::InsertValueOp, LLVM::ExtractElementOp,
            LLVM::InsertElementOp, LLVM::ShuffleVectorOp, LLVM::UndefOp,
            LLVM::PoisonOp, LLVM::ZeroOp, LLVM::BitcastOp,
            LLVM::AddrSpaceCastOp>([&](auto) { return decodeAggregate(&op); })
      .Case<LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp>(
          [&](auto) { return decodeAtomic(&op); })
      .Case([&](LLVM::AssumeOp) { return success(); })
      .Default([&](Operation *) {
        if (isa<NVVM::NVVMDialect>(op.getDialect()))
          return decodeSync(&op);
        return decodeElementwise(&op);
      });
}

LogicalResult Decoder::decodeElementwise(Operation *op) {
  Handler handler = getArithmeticHandler(op);
  if (!handler || op->getNumOperands() > 3)
    return unsupported(op);
  Slots results = define(op->getResult(0));
  for (auto [i, dst] : llvm::enumerate(results)) {
    uint32_t operands[3] = {};
    for (auto [k, operand] : llvm::enumerate(op->getOperands())) {
      const Slots &list = slots[operand];
      // A scalar condition selects whole vectors.
      operands[k] = list.size() == 1 ? list[0] : list[i];
    }
    emit(op, handler, dst, operands[0], operands[1], operands[2]);
  }
  return success();
}

LogicalResult Decoder::decodeConstant(LLVM::ConstantOp op) {
  SmallVector<Type> types = flatten(op.getType());
  Slots list = define(op);
  for (Type type : types)
    if (!getElementBits(type))
      return unsupported(op, "type");
  auto bitsOf = [](Attribute attr) -> std::optional<APInt> {
    if (auto integer = dyn_cast<IntegerAttr>(attr))
      return integer.getValue();
    if (auto number = dyn_cast<FloatAttr>(attr))
      return number.getValue().bitcastToAPInt();
    return std::nullopt;
  };
  if (std::optional<APInt> bits = bitsOf(op.getValue())) {
    addConstant(list[0], types[0], *bits);
    return success();
  }
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense || dense.getNumElements() != static_cast<int64_t>(list.size()))
    return unsupported(op, "value");
  for (auto [i, attr] : llvm::enumerate(dense.getValues<Attribute>()))
    addConstant(list[i], types[i], *bitsOf(attr));
  return success();
}

LogicalResult Decoder::decodeAddressOf(LLVM::AddressOfOp op) {
  auto [it, isNew] = variables.try_emplace(op.getGlobalName());
  if (isNew) {
    auto global = dyn_cast_or_null<LLVM::GlobalOp>(
        SymbolTable::lookupNearestSymbolFrom(op, op.getGlobalNameAttr()));
    if (!global || global.getAddrSpace() != 3)
      return unsupported(op, "a variable outside shared memory");
    uint64_t bytes = DataLayout::closest(op).getTypeSize(global.getType());
    if (bytes == 0) {
      // Dynamic memory comes after all variables, when the kernel starts.
      it->second = {0, 0};
    } else {
      it->second = {program.sharedEnd,
                    program.sharedEnd + static_cast<uint32_t>(bytes)};
      // A gap, so that a small overrun does not look like uninitialised.
      program.sharedEnd = llvm::alignTo(program.sharedEnd + bytes, 128);
    }
  }
  uint32_t slot = define(op)[0];
  if (it->second.second == 0) {
    program.dynamicSlots.push_back(slot);
    return success();
  }
  addConstant(slot, op.getType(), APInt(32, it->second.first));
  ranges[op] = it->second;
  return success();
}

LogicalResult Decoder::decodeAddress(LLVM::GEPOp op) {
  DataLayout layout = DataLayout::closest(op);
  bool shared = isShared(op.getType());
  if (isa<VectorType>(op.getType()))
    return unsupported(op, "a vector of pointers");
  Type type = op.getElemType();
  uint64_t offset = 0;
  SmallVector<std::pair<Value, uint64_t>> dynamic;
  for (auto [i, index] : llvm::enumerate(op.getIndices())) {
    auto value = dyn_cast<Value>(index);
    int64_t constant = value ? 0 : cast<IntegerAttr>(index).getInt();
    if (i > 0) {
      if (auto aggregate = dyn_cast<LLVM::LLVMStructType>(type)) {
        for (int64_t k = 0; k < constant; ++k)
          offset += layout.getTypeSize(aggregate.getBody()[k]);
        type = aggregate.getBody()[constant];
        continue;
      }
      if (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
        type = array.getElementType();
      else if (auto vector = dyn_cast<VectorType>(type))
        type = vector.getElementType();
      else
        return unsupported(op, "element type");
    }
    uint64_t size = layout.getTypeSize(type);
    if (value)
      dynamic.push_back({value, size});
    else
      offset += size * constant;
  }
  if (auto it = ranges.find(op.getBase()); it != ranges.end())
    ranges[op] = std::pair(it->second);
  uint32_t current = use(op.getBase());
  if (offset == 0 && dynamic.empty()) {
    slots[op.getResult()] = {current};
    return success();
  }
  if (offset) {
    uint32_t next = allocate(op.getType());
    emit(op, getOffsetHandler(shared), next, current, 0, 0, offset);
    current = next;
  }
  for (auto [value, size] : dynamic) {
    Handler handler = getIndexHandler(shared, getLaneBytes(value.getType()));
    if (!handler)
      return unsupported(op, "index type");
    uint32_t next = allocate(op.getType());
    emit(op, handler, next, current, use(value), 0, size);
    current = next;
  }
  slots[op.getResult()] = {current};
  return success();
}

LogicalResult Decoder::decodeLoad(LLVM::LoadOp op) {
  return decodeAccess(op, op.getAddr(), op.getType(), define(op),
                      op.getAlignment().value_or(0), false);
}

LogicalResult Decoder::decodeStore(LLVM::StoreOp op) {
  return decodeAccess(op, op.getAddr(), op.getValue().getType(),
                      slots[op.getValue()], op.getAlignment().value_or(0),
                      true);
}

/// Vectors are accessed element by element.
LogicalResult Decoder::decodeAccess(Operation *op, Value pointer, Type type,
                                    const Slots &values, uint64_t alignment,
                                    bool isStore) {
  bool shared = isShared(pointer.getType());
  auto pointerType = dyn_cast<LLVM::LLVMPointerType>(pointer.getType());
  if (!pointerType || pointerType.getAddressSpace() > 3)
    return unsupported(op, "address space");
  uint64_t offset = 0;
  SmallVector<Type> types = flatten(type);
  if (isa<LLVM::LLVMStructType, LLVM::LLVMArrayType>(type))
    return unsupported(op, "an aggregate");
  if (types.size() > 1) {
    uint64_t natural = types.size() * getLaneBytes(types[0]);
    alignment = alignment ? alignment : llvm::bit_ceil(natural);
    emit(op, getAlignmentHandler(shared), 0, use(pointer), 0, 0, alignment);
  }
  for (auto [elementType, slot] : llvm::zip_equal(types, values)) {
    unsigned bytes = getLaneBytes(elementType);
    if (bytes == 0)
      return unsupported(op, "type");
    uint32_t address = use(pointer);
    if (offset) {
      uint32_t next = allocate(pointer.getType());
      emit(op, getOffsetHandler(shared), next, address, 0, 0, offset);
      address = next;
    }
    Instruction &in =
        isStore ? emit(op, getStoreHandler(shared, bytes), 0, address, slot)
                : emit(op, getLoadHandler(shared, bytes), slot, address);
    if (shared)
      setRange(in, pointer);
    offset += bytes;
  }
  return success();
}

LogicalResult Decoder::decodeControl(Operation *op, uint32_t cost) {
  if (auto jump = dyn_cast<LLVM::BrOp>(op)) {
    const Edge *edge = makeEdge(jump.getDest(), jump.getDestOperands(), cost);
    emit(op, branch).taken = edge;
    return success();
  }
  if (auto jump = dyn_cast<LLVM::CondBrOp>(op)) {
    const Edge *taken =
        makeEdge(jump.getTrueDest(), jump.getTrueDestOperands(), cost);
    const Edge *other =
        makeEdge(jump.getFalseDest(), jump.getFalseDestOperands(), cost);
    Instruction &in = emit(op, branchIf, 0, use(jump.getCondition()));
    in.taken = taken;
    in.other = other;
    return success();
  }
  if (isa<LLVM::ReturnOp, LLVM::UnreachableOp>(op)) {
    emit(op, returnFromKernel, 0, 0, 0, 0, cost);
    return success();
  }
  return unsupported(op);
}

LogicalResult mlir::dlc::emulator::decode(LLVM::LLVMFuncOp kernel,
                                          Program &program) {
  return Decoder(kernel, program).run();
}
