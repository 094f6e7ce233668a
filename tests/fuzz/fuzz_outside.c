/* Fuzz target: any bytes as what an environment's program replies, and as the
 * requests that such a program gets. The first byte says which. */
#include "fuzz.h"
#include "domains/outside/protocol.h"

static int hello(void *context, statewise_hello *h, statewise_error *error) {
  static const char *const words[] = {"a", "b", "BACK", NULL};
  (void)context;
  (void)error;
  *h = (statewise_hello){
      .name = "stub", .words = words, .back = "BACK", .expert = 1};
  return 0;
}

static int start(void *context, const statewise_task *task, void **search,
                 statewise_problem *problem, statewise_error *error) {
  (void)context;
  (void)error;
  *search = malloc(1);
  if (!*search) abort();
  problem->problem = task->problem ? task->problem : task->split;
  fuzz_touch(problem->problem, strlen(problem->problem));
  return 0;
}

static int look(void *search, statewise_situation *s, statewise_error *error) {
  static const char *const choices[] = {"a", "b", NULL};
  (void)search;
  (void)error;
  s->state = "a b";
  s->choices = choices;
  return 0;
}

static int take(void *search, const char *choice, const char **refused,
                statewise_error *error) {
  (void)search;
  (void)error;
  if (strcmp(choice, "a")) *refused = choice;
  return 0;
}

static int back(void *search, int *silent, statewise_error *error) {
  (void)search;
  *silent = 1;
  strcpy(error->text, "nothing to go back to");
  return 1;
}

static const statewise_environment stub = {.size = sizeof stub,
                                           .hello = hello,
                                           .start = start,
                                           .look = look,
                                           .take = take,
                                           .back = back,
                                           .end = free};

static void ask(const char *line, size_t bytes) {
  sw_answerer *answerer;
  const char *reply;
  size_t length;
  if (sw_answerer_new(&answerer, &stub, NULL)) abort();
  if (!sw_answerer_line(answerer, line, bytes, &reply, &length, NULL)) {
    if (!length || reply[length - 1] != '\n' || strlen(reply) != length)
      abort();
    if (memchr(reply, '\n', length - 1)) abort(); /* one line */
  }
  sw_answerer_free(answerer);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static const char *const requests[] = {"hello",  "new",   "look",
                                         "take",   "back",  "expert",
                                         "doomed", "check", "end"};
  enum { REQUESTS = sizeof requests / sizeof *requests };
  sw_err err = {0};
  if (length < 1) return 0;
  char *line = (char *)fuzz_copy(bytes + 1, length - 1);
  char *text = fuzz_text(bytes + 1, length - 1);
  unsigned which = bytes[0] % (REQUESTS + 1);
  if (which == REQUESTS) ask(line, length - 1);
  else if (sw_protocol_read(requests[which], text, length - 1, &err) &&
           (!err.text[0] || memchr(err.text, '\n', strlen(err.text))))
    abort(); /* every refusal says why, in one line */
  free(text);
  free(line);
  return 0;
}
