/* Sends and receives over MPI (see ranks_link.h): eleven functions of it, and
 * no other file calls any. The calls are serialized by the caller's lock, and
 * none of them waits except the first and the last. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include "base/ranks_link.h"

_Static_assert(sizeof(MPI_Request) <= sizeof((sw_link_op){0}).handle,
               "an MPI request does not fit");

static int begun;

/* Several processes, each of which believes that it is alone. */
static int refuse_copies(sw_err *err) {
  static const struct {
    const char *variable, *hint;
  } sign[] = {
      {"SLURM_NTASKS",
       "srun --mpi=pmix or --mpi=pmi2 (srun --mpi=list shows what there is), "
       "or mpirun; srun -n1 for one process"},
      {"OMPI_COMM_WORLD_SIZE",
       "this program was built with another MPI: use that one's mpirun, or "
       "`make MPI=1 MPICC=mpicc.openmpi`"},
      {"PMI_SIZE",
       "this program was built with another MPI: use that one's mpirun, or "
       "`make MPI=1 MPICC=mpicc.mpich`"}};
  for (size_t i = 0; i < sizeof sign / sizeof *sign; i++) {
    const char *value = getenv(sign[i].variable);
    if (!value || strtol(value, NULL, 10) < 2) continue;
    sw_fail(err, SW_USAGE,
            "%s is %s, but MPI sees one process: the launcher has started "
            "copies that do not know of each other",
            sign[i].variable, value);
    return sw_hint(err, "%s", sign[i].hint);
  }
  return SW_OK;
}

int sw_link_start(int *me, int *count, sw_err *err) {
  int level;
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level))
    return sw_fail(err, SW_LOST, "MPI did not start");
  begun = 1;
  if (level < MPI_THREAD_SERIALIZED)
    return sw_fail(err, SW_LIMIT,
                   "this MPI serves one thread only (MPI_THREAD_SERIALIZED is "
                   "needed)");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, me);
  MPI_Comm_size(MPI_COMM_WORLD, count);
  return *count == 1 ? refuse_copies(err) : SW_OK;
}

static void keep(sw_link_op *op, const MPI_Request *request, int code) {
  memcpy(op->handle, request, sizeof *request);
  op->open = code ? -1 : 1;
}

void sw_link_send(int to, int channel, const void *data, size_t bytes,
                  sw_link_op *op) {
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_Isend(data, (int)bytes, MPI_BYTE, to, channel, MPI_COMM_WORLD,
                       &request);
  keep(op, &request, code);
}

void sw_link_receive(int from, int channel, void *data, size_t bytes,
                     sw_link_op *op) {
  MPI_Request request = MPI_REQUEST_NULL;
  int code =
      MPI_Irecv(data, (int)bytes, MPI_BYTE, from < 0 ? MPI_ANY_SOURCE : from,
                channel, MPI_COMM_WORLD, &request);
  keep(op, &request, code);
}

int sw_link_test(sw_link_op *op) {
  MPI_Request request;
  int done = 0;
  if (!op->open) return 1;
  if (op->open < 0) return -1;
  memcpy(&request, op->handle, sizeof request);
  int code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  keep(op, &request, code);
  if (code) return -1;
  if (done) op->open = 0;
  return done;
}

void sw_link_cancel(sw_link_op *op) {
  MPI_Request request;
  if (op->open <= 0) return;
  memcpy(&request, op->handle, sizeof request);
  MPI_Cancel(&request);
  MPI_Request_free(&request);
  op->open = 0;
}

void sw_link_stop(void) {
  if (begun) MPI_Finalize();
  begun = 0;
}

void sw_link_abort(int exit_code) {
  if (begun) MPI_Abort(MPI_COMM_WORLD, exit_code);
}
