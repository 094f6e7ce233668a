/* The exec: protocol, JSON Lines, both ways: a pool of processes that stands
 * behind the table of include/statewise.h (asked by outside.c), and the loop of
 * a program that answers for such a table. docs/your-own.md has the requests
 * and replies.
 *
 * What always holds for a pool: a reply is taken only if it has the members
 * that the request asks for, with their types, and no others (but for those
 * that begin with "x-" and the echo of the request). After a take, back or new
 * the next look is asked in the same line. A process is asked by one thread at
 * a time; where all are busy a further one is started, up to `most`. No outcome
 * depends on which process answers. */
#ifndef SW_DOMAINS_OUTSIDE_PROTOCOL_H
#define SW_DOMAINS_OUTSIDE_PROTOCOL_H
#include <stddef.h>
#include "base/err.h"
#include "statewise.h"

typedef struct sw_pool sw_pool;
typedef struct sw_pool_options {
  double seconds;  /* a reply may take so long; 0: as long as it takes */
  const char *log; /* requests and replies are kept here; NULL: nowhere */
  int most;        /* processes at once; 0: one for each core */
} sw_pool_options;

/* Starts one process and greets it. The table belongs to the pool. */
int sw_pool_open(sw_pool **pool, const char *command,
                 const sw_pool_options *options, sw_err *err);
const statewise_environment *sw_pool_table(const sw_pool *pool);
void sw_pool_close(sw_pool *pool); /* after the last search has ended */

/* Answers one line of requests, appended to a growing text with a newline
 * behind it: what statewise_environment_serve does with each. */
typedef struct sw_answerer sw_answerer;
int sw_answerer_new(sw_answerer **answerer,
                    const statewise_environment *environment, sw_err *err);
/* The reply belongs to the answerer and is good until the next call. */
int sw_answerer_line(sw_answerer *answerer, const char *line, size_t bytes,
                     const char **reply, size_t *length, sw_err *err);
void sw_answerer_free(sw_answerer *answerer);

/* For fuzzing and tests: reads a reply to a hello, and to the requests of one
 * line ("new", "look", "take", "back", "expert", "doomed", "check"). */
int sw_protocol_read(const char *request, const char *line, size_t bytes,
                     sw_err *err);

#endif
