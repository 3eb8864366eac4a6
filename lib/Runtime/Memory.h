/*===- Memory.h - Blocks and their list -------------------------*- C -*-===*\
|*
|* Private to the runtime: how a call keeps the blocks that it has allocated.
|*
\*===----------------------------------------------------------------------===*/

#ifndef DLC_LIB_RUNTIME_MEMORY_H
#define DLC_LIB_RUNTIME_MEMORY_H

#include "DLC/Runtime/Runtime.h"

/* Frees the blocks of `call` that are still live and returns their number. */
int64_t dlc_rt_free_live(dlc_rt_call *call);

/* The call that this thread runs, or NULL. */
dlc_rt_call *dlc_rt_current(void);

/* Ends the call of this thread with `code`; `call->message` is set. */
_Noreturn void dlc_rt_jump(dlc_rt_call *call, int32_t code);

void dlc_rt_acquire(int32_t *lock);
void dlc_rt_release(int32_t *lock);

#endif /* DLC_LIB_RUNTIME_MEMORY_H */
