/*===- Call.c - Calls of compiled functions and their errors --------------===*\
|*
|* A failed size check leaves the compiled function by longjmp; its memory is
|* then freed from the list of live blocks. The list of running calls exists
|* for reports of threads that OpenMP lent, which do not know their call.
|*
\*===----------------------------------------------------------------------===*/

#include "Memory.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local dlc_rt_call *current_call;
static dlc_rt_call *active_calls;
static int32_t active_lock;

dlc_rt_call *dlc_rt_current(void) { return current_call; }

void dlc_rt_jump(dlc_rt_call *call, int32_t code) {
  call->code = code;
  longjmp(*(jmp_buf *)call->jump, 1);
}

static void enter(dlc_rt_call *call) {
  call->outer = current_call;
  current_call = call;
  dlc_rt_acquire(&active_lock);
  call->next_active = active_calls;
  active_calls = call;
  dlc_rt_release(&active_lock);
}

static void leave(dlc_rt_call *call) {
  current_call = call->outer;
  dlc_rt_acquire(&active_lock);
  dlc_rt_call **link = &active_calls;
  while (*link != call)
    link = &(*link)->next_active;
  *link = call->next_active;
  dlc_rt_release(&active_lock);
}

int32_t dlc_rt_invoke(void (*function)(void **args), void **args,
                      dlc_rt_call *call) {
  jmp_buf jump;
  call->code = DLC_OK;
  call->message[0] = 0;
  call->lock = 0;
  call->live = NULL;
  call->jump = &jump;
  enter(call);
  if (!setjmp(jump))
    function(args);
  leave(call);
  call->jump = NULL;
  if (call->code != DLC_OK)
    dlc_rt_free_live(call);
  return call->code;
}

int64_t dlc_rt_end(dlc_rt_call *call) { return dlc_rt_free_live(call); }

void dlc_rt_fail_sizes(const char *message, int64_t lhs, int64_t rhs) {
  dlc_rt_call *call = current_call;
  if (!call) {
    fprintf(stderr,
            "dlc: %s, but got %lld and %lld (outside of a call, or in a "
            "parallel loop)\n",
            message, (long long)lhs, (long long)rhs);
    abort();
  }
  snprintf(call->message, sizeof(call->message), "%s, but got %lld and %lld",
           message, (long long)lhs, (long long)rhs);
  dlc_rt_jump(call, DLC_ERROR_SIZES);
}

/* The caller holds active_lock, which makes the first report win. */
static void report(dlc_rt_call *call, const char *message, int64_t index,
                   int64_t extent) {
  if (call->code != DLC_OK)
    return;
  snprintf(call->message, sizeof(call->message),
           "%s, but got index %lld for extent %lld", message, (long long)index,
           (long long)extent);
  call->code = DLC_ERROR_INDEX;
}

void dlc_rt_report_index(const char *message, int64_t index, int64_t extent) {
  dlc_rt_acquire(&active_lock);
  if (current_call)
    report(current_call, message, index, extent);
  else
    for (dlc_rt_call *call = active_calls; call; call = call->next_active)
      report(call, message, index, extent);
  dlc_rt_release(&active_lock);
}
