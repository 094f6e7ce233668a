/* A model of a quickstart of one's own: both ways train alike. */
#include "command/quickstart.h"
#include "command/train_view.h"

enum { USUAL_STEPS = 3000 };

int sw_quick_train(sw_command_io *io, const sw_quick_options *o,
                   const char *data, const char *mask, const char *path,
                   sw_train_result *result, sw_err *err) {
  sw_train_options t;
  sw_options_defaults(sw_train_table, sw_train_table_count, &t);
  t.data = data;
  t.mask = mask;
  t.output = path;
  t.d = o->width;
  t.layers = o->layers;
  t.until = 1;   /* flat */
  t.dropout = 0; /* the weights of the best validation loss are kept */
  t.steps = o->steps > 0 ? o->steps : USUAL_STEPS;
  t.seed = o->seed;
  t.threads = o->threads;
  t.best_loss = result->valid_loss;
  SW_TRY(sw_train_shown(io, &t, (sw_progress_mode)o->progress, result, err));
  if (result->ending == SW_ENDED_PLATEAU)
    sw_note(io,
            "warning: %s stopped on a plateau: its loss is %.3f, that of "
            "another model %.3f; what is said of it is not about a model that "
            "has learned the task",
            mask, result->valid_loss, t.best_loss);
  else if (result->ending != SW_ENDED_FLAT)
    sw_note(io,
            "warning: %s was still learning after %lld steps (not flat); what "
            "is said of it may change with --steps",
            mask, (long long)result->steps);
  return SW_OK;
}
