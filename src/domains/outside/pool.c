/* Processes behind the table of an environment (see protocol.h). */
#include "domains/outside/protocol.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/json.h"
#include "base/threads.h"
#include "domains/outside/process.h"
#include "domains/outside/reply.h"

enum { PROCESSES_MAX = 64, ENDED_MAX = 16, REQUESTS_MAX = ENDED_MAX + 2 };

typedef struct worker {
  pthread_mutex_t busy;
  sw_process *process;
  sw_json line;             /* the request that is being written */
  int64_t ended[ENDED_MAX]; /* searches whose end waits for the next line */
  int ends;
} worker;

struct sw_pool {
  statewise_environment table;
  char *command, *log;
  sw_process_options options;
  json_t *hello; /* the first reply; every further process says the same */
  const char **words;
  int32_t words_room;
  pthread_mutex_t lock; /* of all below */
  worker *worker[PROCESSES_MAX];
  int workers, most;
  int64_t searches; /* begun; a search's number is never given again */
};

typedef struct search {
  sw_pool *pool;
  worker *at;
  int64_t id;
  json_t *look, *said; /* the situation, and the reply to another question */
  const char **choices, **tried;
  int32_t choices_room, tried_room;
} search;

static sw_err *inner(statewise_error *error) { return (sw_err *)(void *)error; }
_Static_assert(sizeof(statewise_error) == sizeof(sw_err),
               "the public error is the internal one");

/* ---- one exchange ---- */

static void put_request(worker *w, const sw_request *request,
                        const char *choice) {
  sw_json_object(&w->line, NULL);
  sw_json_int(&w->line, request->name, request->id);
  if (choice) sw_json_string(&w->line, "choice", choice);
  sw_json_end(&w->line);
}

/* A line of so many requests, behind those that end searches. */
static void begin_line(worker *w, int count) {
  w->line.length = 0;
  w->line.depth = w->line.failed = 0;
  if (count + w->ends > 1) sw_json_array(&w->line, NULL);
  for (int i = 0; i < w->ends; i++)
    put_request(w, &(sw_request){"end", w->ended[i]}, NULL);
}

/* Asks what has been written. */
static int ask(worker *w, const sw_request *request, int count, json_t **root,
               json_t **reply, sw_err *err) {
  char *line;
  size_t bytes;
  sw_request all[REQUESTS_MAX];
  json_t *replies[REQUESTS_MAX];
  int ends = w->ends;
  *root = NULL;
  if (count + ends > 1) sw_json_end(&w->line);
  if (w->line.failed) return sw_no_memory(err);
  for (int i = 0; i < ends; i++) all[i] = (sw_request){"end", w->ended[i]};
  if (count) memcpy(all + ends, request, sizeof *request * (size_t)count);
  w->ends = 0;
  SW_TRY(sw_process_ask(w->process, w->line.text, w->line.length, &line, &bytes,
                        err));
  SW_TRY(sw_reply_read_all(all, count + ends, w->line.text, line, bytes, root,
                           replies, err));
  if (count) memcpy(reply, replies + ends, sizeof *reply * (size_t)count);
  return SW_OK;
}

/* `what` of a search, and its next look where `looks`. The reply to `what` is
 * kept in s->said, the situation in s->look. */
static int ask_search(search *s, const char *what, const char *choice,
                      int looks, json_t **reply, sw_err *err) {
  const sw_request request[2] = {{what, s->id}, {"look", s->id}};
  json_t *root, *replies[2] = {NULL, NULL};
  pthread_mutex_lock(&s->at->busy);
  begin_line(s->at, 1 + looks);
  put_request(s->at, &request[0], choice);
  if (looks) put_request(s->at, &request[1], NULL);
  int code = ask(s->at, request, 1 + looks, &root, replies, err);
  pthread_mutex_unlock(&s->at->busy);
  if (code) return code;
  json_decref(s->said);
  s->said = root;
  *reply = replies[0];
  if (looks) {
    json_decref(s->look);
    s->look = json_incref(replies[1]);
  }
  return SW_OK;
}

/* ---- processes ---- */

static int greet(worker *w, json_t **hello, sw_err *err) {
  const sw_request request = {"hello", 1};
  json_t *root;
  begin_line(w, 1);
  put_request(w, &request, NULL);
  return ask(w, &request, 1, hello, &root, err);
}

static void stop_worker(worker *w) {
  if (!w) return;
  sw_process_end(w->process);
  sw_json_free(&w->line);
  pthread_mutex_destroy(&w->busy);
  free(w);
}

/* A further process, which must say the same of itself as the first. */
static int start_worker(sw_pool *pool, worker **out, sw_err *err) {
  json_t *hello = NULL;
  worker *w = *out = calloc(1, sizeof *w);
  if (!w) return sw_no_memory(err);
  pthread_mutex_init(&w->busy, NULL);
  sw_json_to_text(&w->line);
  sw_process_options options = pool->options;
  options.number = pool->workers + 1;
  int code = sw_process_start(&w->process, pool->command, &options, err);
  if (!code) code = greet(w, &hello, err);
  if (!code && pool->hello && !json_equal(hello, pool->hello))
    code = sw_fail(err, SW_DATA,
                   "the environment says something else of itself each time "
                   "it is started (hello)");
  if (!code && !pool->hello) pool->hello = json_incref(hello);
  json_decref(hello);
  if (code) {
    stop_worker(w);
    *out = NULL;
  }
  return code;
}

/* A process for a new search, locked: an idle one, else a new one, else the
 * next in turn. */
static int take_worker(sw_pool *pool, search *s, sw_err *err) {
  pthread_mutex_lock(&pool->lock);
  s->id = ++pool->searches;
  for (int i = 0; i < pool->workers && !s->at; i++)
    if (!pthread_mutex_trylock(&pool->worker[i]->busy)) s->at = pool->worker[i];
  worker *w = s->at;
  int code = SW_OK, wait = 0;
  if (!w && pool->workers < pool->most) {
    code = start_worker(pool, &w, err);
    if (!code) pool->worker[pool->workers++] = w;
    if (!code) pthread_mutex_lock(&w->busy);
  } else if (!w) {
    w = pool->worker[s->id % pool->workers];
    wait = 1;
  }
  s->at = w;
  pthread_mutex_unlock(&pool->lock);
  if (wait) pthread_mutex_lock(&w->busy);
  return code;
}

/* ---- the table ---- */

static int has(const sw_pool *pool, const char *what) {
  size_t i;
  json_t *item;
  json_array_foreach(json_object_get(pool->hello, "has"), i,
                     item) if (!strcmp(json_string_value(item), what)) return 1;
  return 0;
}

static int64_t limit(const sw_pool *pool, const char *name) {
  return json_integer_value(
      json_object_get(json_object_get(pool->hello, "limits"), name));
}

static const char *text_of(const json_t *object, const char *name) {
  return json_string_value(json_object_get(object, name));
}

static int pool_hello(void *context, statewise_hello *hello,
                      statewise_error *error) {
  sw_pool *pool = context;
  *hello = (statewise_hello){.name = text_of(pool->hello, "name"),
                             .back = text_of(pool->hello, "back"),
                             .rules = text_of(pool->hello, "rules"),
                             .seeded = has(pool, "seed"),
                             .expert = has(pool, "expert"),
                             .doomed = has(pool, "doomed"),
                             .check = has(pool, "check"),
                             .decisions = limit(pool, "decisions"),
                             .tokens = limit(pool, "tokens"),
                             .instances = limit(pool, "instances"),
                             .verdict_shown = json_is_true(json_object_get(
                                 pool->hello, "verdict_shown"))};
  SW_TRY(sw_reply_texts(json_object_get(pool->hello, "words"), &pool->words,
                        &pool->words_room, inner(error)));
  hello->words = pool->words;
  return SW_OK;
}

static void put_new(worker *w, int64_t id, const statewise_task *task) {
  sw_json_object(&w->line, NULL);
  sw_json_int(&w->line, "new", id);
  if (task->split) {
    sw_json_string(&w->line, "split", task->split);
    sw_json_int(&w->line, "seed", (int64_t)task->seed);
    sw_json_int(&w->line, "index", task->index);
  } else {
    sw_json_string(&w->line, "problem", task->problem);
  }
  sw_json_end(&w->line);
}

/* The end of a search is sent with the next line; too many ends are sent as a
 * line of their own. */
static void end_search(search *s) {
  json_t *root;
  worker *w = s->at;
  pthread_mutex_lock(&w->busy);
  if (w->ends == ENDED_MAX) {
    begin_line(w, 0);
    ask(w, NULL, 0, &root, NULL, NULL);
    json_decref(root);
  }
  w->ended[w->ends++] = s->id;
  pthread_mutex_unlock(&w->busy);
}

static void pool_end(void *of) {
  search *s = of;
  if (s->look) end_search(s);
  json_decref(s->look);
  json_decref(s->said);
  free(s->choices);
  free(s->tried);
  free(s);
}

static int pool_start(void *context, const statewise_task *task, void **out,
                      statewise_problem *problem, statewise_error *error) {
  sw_pool *pool = context;
  json_t *replies[2];
  search *s = calloc(1, sizeof *s);
  *out = NULL;
  if (!s) return sw_no_memory(inner(error));
  s->pool = pool;
  int code = take_worker(pool, s, inner(error));
  if (!code) {
    const sw_request request[2] = {{"new", s->id}, {"look", s->id}};
    begin_line(s->at, 2);
    put_new(s->at, s->id, task);
    put_request(s->at, &request[1], NULL);
    code = ask(s->at, request, 2, &s->said, replies, inner(error));
    pthread_mutex_unlock(&s->at->busy);
  }
  if (code) {
    pool_end(s);
    return code;
  }
  s->look = json_incref(replies[1]);
  problem->problem = text_of(replies[0], "problem");
  problem->id = text_of(replies[0], "id");
  if (!problem->id) problem->id = problem->problem;
  *out = s;
  return SW_OK;
}

static int pool_look(void *of, statewise_situation *situation,
                     statewise_error *error) {
  search *s = of;
  *situation = (statewise_situation){
      .over = text_of(s->look, "over"),
      .state = text_of(s->look, "state"),
      .conflict = json_is_true(json_object_get(s->look, "conflict")),
      .key = text_of(s->look, "key")};
  SW_TRY(sw_reply_texts(json_object_get(s->look, "choices"), &s->choices,
                        &s->choices_room, inner(error)));
  SW_TRY(sw_reply_texts(json_object_get(s->look, "tried"), &s->tried,
                        &s->tried_room, inner(error)));
  situation->choices = s->choices;
  situation->tried = s->tried;
  return SW_OK;
}

static int pool_take(void *of, const char *choice, const char **refused,
                     statewise_error *error) {
  json_t *reply;
  SW_TRY(ask_search(of, "take", choice, 1, &reply, inner(error)));
  *refused = text_of(reply, "refused");
  return SW_OK;
}

static int pool_back(void *of, int *silent, statewise_error *error) {
  json_t *reply;
  SW_TRY(ask_search(of, "back", NULL, 1, &reply, inner(error)));
  *silent = (int)json_integer_value(json_object_get(reply, "silent"));
  return SW_OK;
}

static int pool_expert(void *of, const char **choice, statewise_error *error) {
  json_t *reply;
  SW_TRY(ask_search(of, "expert", NULL, 0, &reply, inner(error)));
  *choice = text_of(reply, "choice");
  return SW_OK;
}

static int pool_doomed(void *of, int *doomed, statewise_error *error) {
  json_t *reply;
  SW_TRY(ask_search(of, "doomed", NULL, 0, &reply, inner(error)));
  *doomed = json_is_true(json_object_get(reply, "doomed"));
  return SW_OK;
}

static int pool_check(void *of, statewise_checked *checked,
                      statewise_error *error) {
  json_t *reply;
  SW_TRY(ask_search(of, "check", NULL, 0, &reply, inner(error)));
  checked->right = json_is_true(json_object_get(reply, "right"));
  checked->answer = text_of(reply, "answer");
  return SW_OK;
}

/* ---- the pool ---- */

static const statewise_environment table = {.size = sizeof table,
                                            .hello = pool_hello,
                                            .start = pool_start,
                                            .look = pool_look,
                                            .take = pool_take,
                                            .back = pool_back,
                                            .end = pool_end,
                                            .expert = pool_expert,
                                            .doomed = pool_doomed,
                                            .check = pool_check};

int sw_pool_open(sw_pool **out, const char *command,
                 const sw_pool_options *options, sw_err *err) {
  sw_pool *pool = *out = calloc(1, sizeof *pool);
  if (!pool) return sw_no_memory(err);
  pthread_mutex_init(&pool->lock, NULL);
  pool->table = table;
  pool->table.context = pool;
  pool->command = strdup(command);
  pool->log = options->log ? strdup(options->log) : NULL;
  pool->options =
      (sw_process_options){.seconds = options->seconds, .log = pool->log};
  pool->most = options->most > 0 ? options->most : sw_cpu_count();
  if (pool->most > PROCESSES_MAX) pool->most = PROCESSES_MAX;
  int code = pool->command && !pool->log == !options->log
                 ? start_worker(pool, &pool->worker[0], err)
                 : sw_no_memory(err);
  if (!code) {
    pool->workers = 1;
    return SW_OK;
  }
  sw_pool_close(pool);
  *out = NULL;
  return code;
}

const statewise_environment *sw_pool_table(const sw_pool *pool) {
  return &pool->table;
}

void sw_pool_close(sw_pool *pool) {
  if (!pool) return;
  for (int i = 0; i < pool->workers; i++) stop_worker(pool->worker[i]);
  pthread_mutex_destroy(&pool->lock);
  json_decref(pool->hello);
  free(pool->words);
  free(pool->command);
  free(pool->log);
  free(pool);
}

int sw_protocol_read(const char *request, const char *line, size_t bytes,
                     sw_err *err) {
  const sw_request asked = {request, 1};
  json_t *root, *reply;
  int code =
      sw_reply_read_all(&asked, 1, request, line, bytes, &root, &reply, err);
  json_decref(root);
  return code;
}
