/* The terms of the theory (theory.h) on a bank: its states, what is shown of
 * them, their histories, and a model's backtrack mass after each history. */
#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "probe/bank_eval.h"

int sw_bank_theory(const sw_bank *bank, const double *mass, uint64_t seed,
                   sw_theory *out, sw_err *err) {
  sw_theory_row *row = malloc(sizeof *row * (size_t)(bank->histories + 1));
  int64_t count = 0;
  if (!row) return sw_no_memory(err);
  for (int64_t s = 0; s < bank->states; s++)
    for (int64_t h = bank->probe_history[s]; h < bank->probe_history[s + 1];
         h++) {
      const int32_t *token = bank->tokens + bank->history_start[h];
      size_t before = (size_t)bank->state_start[h];
      size_t all =
          (size_t)(bank->history_start[h + 1] - bank->history_start[h]);
      if (isnan(mass[h])) continue;
      row[count++] = (sw_theory_row){
          .state = (uint64_t)s,
          .trace = sw_xxh64(token + before, sizeof *token * (all - before),
                            (uint64_t)bank->instance[s]),
          .history = sw_xxh64(token, sizeof *token * before, 0),
          .cluster = bank->instance[s],
          .label = bank->label[s],
          .score = mass[h]};
    }
  int code = sw_theory_of(row, count, seed, out, err);
  free(row);
  return code;
}
