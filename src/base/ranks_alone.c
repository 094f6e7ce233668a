/* A build without MPI: always rank 0 of 1 (see ranks_link.h). It refuses to be
 * one of several copies that a launcher started, which would all do the same
 * work and overwrite each other's files. */
#include "base/ranks_link.h"
#include <stdlib.h>

int sw_link_start(int *me, int *count, sw_err *err) {
  static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                      "SLURM_STEP_NUM_TASKS"};
  *me = 0;
  *count = 1;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const char *value = getenv(sizes[i]);
    if (!value || strtol(value, NULL, 10) < 2) continue;
    sw_fail(err, SW_USAGE,
            "started as %s copies (%s), but this build knows of one process",
            value, sizes[i]);
    return sw_hint(err, "build with `make MPI=1` and start ./statewise-mpi");
  }
  return SW_OK;
}

void sw_link_send(int to, int channel, const void *data, size_t bytes,
                  sw_link_op *op) {
  (void)to, (void)channel, (void)data, (void)bytes;
  op->open = 0;
}

void sw_link_receive(int from, int channel, void *data, size_t bytes,
                     sw_link_op *op) {
  (void)from, (void)channel, (void)data, (void)bytes;
  op->open = 0;
}

int sw_link_test(sw_link_op *op) {
  op->open = 0;
  return 1;
}

void sw_link_cancel(sw_link_op *op) { op->open = 0; }
void sw_link_stop(void) {}
void sw_link_abort(int exit_code) { (void)exit_code; }
