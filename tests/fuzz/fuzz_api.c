/* Fuzz target: the C API as a sequence of calls. Each byte is a call (and takes
 * the bytes it needs as arguments): open and close searches on good and bad
 * text, step, choose anything, ask for everything in every state, with NULL in
 * every place where a pointer goes. The model is a small untrained one. A
 * failing sequence is a file: libFuzzer shrinks it (-minimize_crash=1) and
 * replay_api repeats it. */
#include <stdio.h>
#include "fuzz.h"
#include "fuzz_model.h"
#include "statewise.h"

enum { SEARCHES = 3 };
static statewise *model;
static int32_t vocabulary;

static void prepare(void) {
  char path[96];
  statewise_error error;
  fuzz_model("sat", 12, path);
  if (statewise_open(&model, path, 1, &error)) abort();
  vocabulary = statewise_vocabulary(model);
  unlink(path);
}

static const char *const texts[] = {
    "p cnf 3 4\n1 2 3 0\n-1 2 3 0\n1 -2 3 0\n-1 -2 3 0\n",
    ("p cnf 4 8\n1 2 3 0\n1 2 -3 0\n1 -2 3 0\n1 -2 -3 0\n-1 2 3 0\n-1 2 -3 0\n"
     "-1 -2 3 0\n-1 -2 -3 0\n"),
    "p cnf 3 1\n1 2 3 0\n",
    "p cnf 1 1\n1 -2147483647 0\n",
    "",
    "p cnf 3 2\n1 2 3 0\n99999999999"};

static uint8_t next(const uint8_t **p, const uint8_t *end) {
  return *p < end ? *(*p)++ : 0;
}

static void open_search(statewise_search **s, uint8_t which) {
  statewise_error error;
  size_t texts_count = sizeof texts / sizeof *texts;
  const char *text = texts[which % texts_count];
  size_t bytes = strlen(text);
  char *exact = (char *)fuzz_copy((const uint8_t *)text, bytes);
  statewise_search_close(*s);
  *s = NULL;
  (void)statewise_search_text(s, model, exact, bytes,
                              which & 128 ? NULL : &error);
  free(exact);
}

static void ask_all(statewise_search *s) {
  statewise_counters c;
  statewise_status status = statewise_search_status(s);
  const char *reason = statewise_search_reason(s);
  const char *answer = statewise_search_answer(s);
  statewise_search_counters(s, &c);
  statewise_search_counters(s, NULL);
  if (reason) fuzz_touch(reason, strlen(reason));
  if (answer) fuzz_touch(answer, strlen(answer));
  if (s && status != STATEWISE_SOLVED && answer) abort();
}

static void ask_logits(const uint8_t **p, const uint8_t *end) {
  int32_t token[8], block[8], count = next(p, end) % 9;
  for (int32_t i = 0; i < 8; i++) {
    token[i] = (int32_t)next(p, end) * 3 - 6;
    block[i] = (int32_t)(next(p, end) % 4) - (i == 0);
  }
  float *out = malloc(sizeof *out * (size_t)(count * vocabulary + 1));
  if (!out) abort();
  if (!statewise_logits(model, token, block, count, out, NULL))
    fuzz_touch(out, sizeof *out * (size_t)(count * vocabulary));
  statewise_shape shape = {0};
  if (statewise_shape_of(model, &shape, NULL)) abort();
  if (shape.width <= vocabulary &&
      !statewise_hidden(model, token, block, count, out, NULL))
    fuzz_touch(out, sizeof *out * (size_t)(count * shape.width));
  if (shape.slots + 8 <= vocabulary &&
      !statewise_attention(model, token[0], block[1], token, block, count, out,
                           NULL))
    fuzz_touch(out, sizeof *out * (size_t)(count * (shape.slots + count)));
  free(out);
}

static void call(statewise_search **s, uint8_t code, const uint8_t **p,
                 const uint8_t *end) {
  statewise_query q;
  statewise_error error;
  int more;
  switch (code % 8) {
    case 0:
      open_search(s, next(p, end));
      break;
    case 1:
      more = statewise_search_next(*s, &q, &error);
      if (more == 1) {
        fuzz_touch(q.candidate, sizeof *q.candidate * (size_t)q.count);
        fuzz_touch(q.token, sizeof *q.token * (size_t)q.tokens);
        if (q.best < 0 || q.best >= q.count || q.block >= q.tokens) abort();
      }
      break;
    case 2:
      (void)statewise_search_choose(*s, (int8_t)next(p, end), &error);
      break;
    case 3: /* as a program does */
      if (statewise_search_next(*s, &q, NULL) == 1)
        (void)statewise_search_choose(
            *s, q.best_legal >= 0 ? q.best_legal : q.best, NULL);
      break;
    case 4:
      ask_all(*s);
      break;
    case 5:
      ask_logits(p, end);
      break;
    case 6:
      statewise_search_close(*s);
      *s = NULL;
      break;
    default:
      (void)statewise_search_next(*s, NULL, &error);
      (void)statewise_logits(NULL, NULL, NULL, 1, NULL, NULL);
      (void)statewise_search_text(NULL, model, "x", 1, &error);
      (void)statewise_domain(NULL);
      (void)statewise_mask(NULL);
      if (statewise_parameters(NULL) || statewise_vocabulary(NULL)) abort();
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  statewise_search *search[SEARCHES] = {0};
  const uint8_t *p = bytes, *end = bytes + length;
  if (!model) prepare();
  for (int calls = 0; p < end && calls < 64; calls++) {
    uint8_t code = next(&p, end);
    call(&search[code / 8 % SEARCHES], code, &p, end);
  }
  for (int i = 0; i < SEARCHES; i++) statewise_search_close(search[i]);
  return 0;
}
