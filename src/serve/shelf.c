/* Models on offer, and asking them (see shelf.h). */
#include "serve/shelf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"

static void book_free(sw_book *b) {
  if (!b) return;
  for (int i = 0; i < SW_BOOK_SEATS; i++) sw_trace_free(&b->seen[i]);
  sw_seats_free(b->session);
  sw_team_free(b->team);
  sw_language_free(b->language);
  if (b->loaded.model) sw_loaded_close(&b->loaded);
  pthread_mutex_destroy(&b->lock);
  free(b);
}

void sw_shelf_free(sw_shelf *shelf) {
  for (int32_t i = 0; i < shelf->count; i++) book_free(shelf->book[i]);
  free(shelf->book);
  memset(shelf, 0, sizeof *shelf);
}

sw_book *sw_shelf_find(const sw_shelf *shelf, const char *id) {
  for (int32_t i = 0; i < shelf->count; i++)
    if (!strcmp(shelf->book[i]->id, id)) return shelf->book[i];
  return NULL;
}

/* The last part of the path, without .safetensors; a number behind it when the
 * name is taken. A run directory's file is called after the directory. */
static void name_book(const sw_shelf *shelf, const char *path, char *id,
                      size_t room) {
  static const char file[] = "model.safetensors", ending[] = ".safetensors";
  char text[1024], base[64];
  snprintf(text, sizeof text, "%s", path);
  size_t length = strlen(text);
  while (length > 1 && text[length - 1] == '/') text[--length] = 0;
  if (length > sizeof file && !strcmp(text + length - sizeof file + 1, file) &&
      text[length - sizeof file] == '/')
    text[length -= sizeof file] = 0;
  if (length > sizeof ending - 1 &&
      !strcmp(text + length - sizeof ending + 1, ending))
    text[length - sizeof ending + 1] = 0;
  const char *slash = strrchr(text, '/');
  snprintf(base, sizeof base, "%.55s", slash ? slash + 1 : text);
  for (char *p = base; *p; p++)
    if ((unsigned char)*p < 33 || *p == '"' || *p == 127) *p = '-';
  snprintf(id, room, "%s", base[0] ? base : "model");
  for (int i = 2; sw_shelf_find(shelf, id) && i < 1000; i++)
    snprintf(id, room, "%.50s-%d", base, i);
}

static int open_book(sw_book *b, const char *path, int threads, sw_err *err) {
  SW_TRY(sw_loaded_open(&b->loaded, path, err));
  const sw_loaded *l = &b->loaded;
  SW_TRY(sw_domain_searchable(l->domain, err));
  if (strcmp(l->model->family->reads, "tokens"))
    return sw_fail(err, SW_USAGE,
                   "%s reads %s; only models that read tokens are served", path,
                   l->model->family->reads);
  SW_TRY(sw_language_new(&b->language, l->domain, &l->options, err));
  SW_TRY(sw_team_new(&b->team, threads, err));
  sw_session_options o = {
      .sequences = SW_BOOK_SEATS, .reading = l->reading, .cache_prefix = 1};
  return sw_seats_new(&b->session, l->model, b->team, &o, err);
}

int sw_shelf_add(sw_shelf *shelf, const char *path, int threads, sw_err *err) {
  if (!sw_grow(&shelf->book, &shelf->room, shelf->count + 1,
               sizeof *shelf->book))
    return sw_fail(err, SW_MEMORY, "out of memory");
  sw_book *b = calloc(1, sizeof *b);
  if (!b) return sw_fail(err, SW_MEMORY, "out of memory");
  pthread_mutex_init(&b->lock, NULL);
  for (int i = 0; i < SW_BOOK_SEATS; i++) sw_trace_init(&b->seen[i]);
  name_book(shelf, path, b->id, sizeof b->id);
  int code = open_book(b, path, threads, err);
  if (code) {
    book_free(b);
    return code;
  }
  shelf->book[shelf->count++] = b;
  return SW_OK;
}

/* ---- asking ---- */

static int same_prefix(const sw_trace *a, const sw_trace *b) {
  return a->blocks > 1 && a->block_start[1] == b->block_start[1] &&
         !memcmp(a->token, b->token,
                 sizeof *a->token * (size_t)b->block_start[1]);
}

/* Is `a`, as far as it goes, the beginning of `b`, blocks included? */
static int begins(const sw_trace *a, const sw_trace *b) {
  if (a->length > b->length || a->blocks > b->blocks) return 0;
  if (a->blocks < b->blocks && a->length > b->block_start[a->blocks]) return 0;
  return !memcmp(a->block_start, b->block_start,
                 sizeof *a->block_start * (size_t)a->blocks) &&
         !memcmp(a->token, b->token, sizeof *a->token * (size_t)a->length);
}

/* A sequence that has seen the beginning of the trace, else one with its
 * prefix, else the one unused for longest. *how: 2, 1, 0. */
static int find_seat(const sw_book *b, const sw_trace *t, int *how) {
  int best = 0;
  *how = -1;
  for (int i = 0; i < SW_BOOK_SEATS; i++) {
    int fit = !b->used[i] || !same_prefix(&b->seen[i], t) ? 0
              : begins(&b->seen[i], t)                    ? 2
                                                          : 1;
    if (fit > *how ||
        (fit == *how && (fit == 2 ? b->seen[i].length > b->seen[best].length
                                  : b->used[i] < b->used[best]))) {
      best = i;
      *how = fit;
    }
  }
  return best;
}

static int64_t block_end(const sw_trace *t, int64_t block) {
  return block + 1 < t->blocks ? t->block_start[block + 1] : t->length;
}

/* Shows the sequence what it lacks of the trace. Under a block-local mask with
 * positions that start anew in each block nobody sees the earlier blocks, so
 * they are left out (as search/shown.c does). */
static int show(sw_book *b, int seat, int how, const sw_trace *t, sw_err *err) {
  const sw_trace *seen = &b->seen[seat];
  int alone = sw_reading_block_local(&b->loaded.reading);
  int64_t block = 1, from;
  if (how == 0)
    SW_TRY(sw_seats_prefix(b->session, seat, t->token,
                           (int32_t)t->block_start[1], err));
  if (how == 2 && seen->blocks > 1 && (!alone || seen->blocks == t->blocks)) {
    block = seen->blocks - 1;
    from = seen->length;
  } else {
    if (alone) block = t->blocks - 1;
    SW_TRY(sw_seats_begin_block(b->session, seat, 0, err));
    from = t->block_start[block];
  }
  for (;; from = t->block_start[block]) {
    int64_t end = block_end(t, block);
    if (end > from)
      SW_TRY(sw_seats_push(b->session, seat, t->token + from,
                           (int32_t)(end - from), err));
    if (++block >= t->blocks) return SW_OK;
    SW_TRY(sw_seats_begin_block(b->session, seat, 1, err));
  }
}

static int remember(sw_trace *seen, const sw_trace *t) {
  sw_trace_clear(seen);
  for (int64_t b = 0; b < t->blocks; b++) {
    sw_trace_begin_block(seen);
    for (int64_t i = t->block_start[b]; i < block_end(t, b); i++)
      sw_trace_put(seen, t->token[i], 0);
  }
  return !seen->failed;
}

int sw_book_ask(sw_book *b, const sw_trace *t, const float **logits, int *seat,
                sw_err *err) {
  int how, place = find_seat(b, t, &how);
  int32_t sequence = place;
  if (t->blocks < 2 || t->length > INT32_MAX / 4)
    return sw_fail(err, SW_USAGE, "a question needs a problem and a state");
  int code = show(b, place, how, t, err);
  b->used[place] = 0; /* until it is known to be whole */
  if (!code) code = sw_seats_run(b->session, &sequence, 1, logits, err);
  if (!code && remember(&b->seen[place], t)) b->used[place] = ++b->clock;
  *seat = place;
  return code;
}

int sw_book_choice(const float *logits, const int32_t *candidate, int32_t count,
                   double *log_p) {
  int best = 0;
  double sum = 0;
  for (int i = 1; i < count; i++) {
    float z = logits[candidate[i]], top = logits[candidate[best]];
    if (z > top || (z == top && candidate[i] < candidate[best])) best = i;
  }
  double top = (double)logits[candidate[best]];
  for (int i = 0; i < count; i++)
    sum += exp((double)logits[candidate[i]] - top);
  for (int i = 0; i < count; i++)
    log_p[i] = (double)logits[candidate[i]] - top - log(sum);
  return best;
}
