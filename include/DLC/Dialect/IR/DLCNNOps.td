#ifndef DLC_DIALECT_IR_DLCNNOPS_TD
#define DLC_DIALECT_IR_DLCNNOPS_TD

include "DLC/Dialect/IR/DLCBase.td"
include "DLC/Dialect/IR/DLCEnums.td"

#endif // DLC_DIALECT_IR_DLCNNOPS_TD
