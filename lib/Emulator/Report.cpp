//===- Report.cpp - Collects and prints findings --------------------------===//
//
// Findings are merged per check and pair of ops; the first one's details stay.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mlir::dlc;
using namespace mlir::dlc::emulator;

StringRef mlir::dlc::getName(FindingKind kind) {
  switch (kind) {
  case FindingKind::RaceWriteWrite:
    return "race write/write";
  case FindingKind::RaceWriteRead:
    return "race write/read";
  case FindingKind::RaceReadWrite:
    return "race read/write";
  case FindingKind::UninitializedRead:
    return "uninitialized shared read";
  case FindingKind::OutOfBoundsShared:
    return "out of bounds, shared";
  case FindingKind::OutOfBoundsGlobal:
    return "out of bounds, global";
  case FindingKind::Misaligned:
    return "misaligned access";
  case FindingKind::BarrierDivergence:
    return "barrier divergence";
  case FindingKind::WarpDivergence:
    return "warp op without lanes that its mask names";
  case FindingKind::Deadlock:
    return "deadlock";
  case FindingKind::MissingAsyncWait:
    return "missing wait for an async copy";
  }
  return "";
}

void emulator::report(Warp &warp, FindingKind kind, uint32_t op, uint32_t other,
                      uint32_t thread, int32_t otherThread, uint64_t address) {
  Machine &machine = *warp.cta->machine;
  std::array<uint32_t, 3> key = {static_cast<uint32_t>(kind), op, other};
  auto it = machine.findings.find(key);
  if (it != machine.findings.end()) {
    ++it->second.count;
    return;
  }
  const std::vector<Operation *> &ops = machine.program->ops;
  Finding finding{kind,
                  ops[op]->getName().getStringRef().str(),
                  ops[op]->getLoc(),
                  std::nullopt,
                  {warp.cta->id[0], warp.cta->id[1], warp.cta->id[2]},
                  static_cast<int32_t>(thread),
                  otherThread,
                  address,
                  1};
  if (other)
    finding.otherLocation = ops[other]->getLoc();
  machine.findings.emplace(key, std::move(finding));
}

/// "file:line:column" where there is one.
static std::string printLocation(Location location) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (auto file = location->findInstanceOf<FileLineColLoc>())
    stream << file.getFilename().getValue() << ':' << file.getLine() << ':'
           << file.getColumn();
  else
    stream << location;
  return text;
}

void mlir::dlc::printFindings(raw_ostream &stream,
                              const EmulatorReport &report) {
  for (const Finding &finding : report.findings) {
    stream << printLocation(finding.location) << ": " << getName(finding.kind)
           << ": '" << finding.opName << "' in block (" << finding.block[0]
           << ", " << finding.block[1] << ", " << finding.block[2]
           << "), thread " << finding.thread;
    if (finding.otherThread == -2)
      stream << ", with several threads";
    else if (finding.otherThread >= 0)
      stream << ", with thread " << finding.otherThread;
    if (finding.otherLocation)
      stream << " at " << printLocation(*finding.otherLocation);
    if (finding.address)
      stream << llvm::format(", address 0x%llx",
                             static_cast<unsigned long long>(finding.address));
    stream << "; " << finding.count << " times\n";
  }
}

void mlir::dlc::printJson(raw_ostream &stream, StringRef kernel,
                          const EmulatorReport &report) {
  llvm::json::OStream json(stream, 2);
  const EmulatorCounters &c = report.counters;
  auto number = [&](StringRef name, uint64_t value) {
    json.attribute(name, static_cast<int64_t>(value));
  };
  json.object([&] {
    json.attribute("kernel", kernel);
    json.attributeArray("findings", [&] {
      for (const Finding &finding : report.findings)
        json.object([&] {
          json.attribute("kind", getName(finding.kind));
          json.attribute("op", finding.opName);
          json.attribute("location", printLocation(finding.location));
          if (finding.otherLocation)
            json.attribute("other_location",
                           printLocation(*finding.otherLocation));
          json.attributeArray("block", [&] {
            for (uint32_t id : finding.block)
              json.value(static_cast<int64_t>(id));
          });
          number("thread", finding.thread);
          if (finding.otherThread >= 0)
            number("other_thread", finding.otherThread);
          number("address", finding.address);
          number("count", finding.count);
        });
    });
    json.attributeObject("counters", [&] {
      number("thread_instructions", c.threadInstructions);
      number("warp_instructions", c.warpInstructions);
      number("shared_accesses", c.sharedAccesses);
      number("shared_wavefronts", c.sharedWavefronts);
      number("global_accesses", c.globalAccesses);
      number("global_sectors", c.globalSectors);
      number("barriers", c.barriers);
      number("divergent_branches", c.divergentBranches);
    });
    json.attribute("seconds", report.seconds);
  });
  stream << '\n';
}
