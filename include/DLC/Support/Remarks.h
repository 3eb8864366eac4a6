//===- Remarks.h - Optimization remarks of DLC's passes --------*- C++ -*-===//
//
// One sentence per decision: `--remarks-filter='dlc-.*'` shows them. A remark
// built from several `<<` would be printed as a list of fragments.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_SUPPORT_REMARKS_H
#define DLC_SUPPORT_REMARKS_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/Twine.h"

namespace mlir::dlc {

/// `pass` is the pass's flag, such as "dlc-tile"; it names the category.
inline remark::RemarkOpts getRemarkOpts(StringRef pass) {
  return remark::RemarkOpts::name(pass).category(pass);
}

/// Says that `pass` did what `message` states.
inline void remarkPassed(Location loc, StringRef pass, const Twine &message) {
  remark::passed(loc, getRemarkOpts(pass)) << message.str();
}

/// Says that `pass` did nothing at `loc`, and why.
inline void remarkMissed(Location loc, StringRef pass, const Twine &message) {
  remark::missed(loc, getRemarkOpts(pass)) << message.str();
}

} // namespace mlir::dlc

#endif // DLC_SUPPORT_REMARKS_H
