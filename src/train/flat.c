/* When a run has stopped improving (see flat.h). */
#include "train/flat.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/text.h"

static const double LEAST_GAIN = 0.01; /* over the last fifth of the steps */
static const double LEAST_FALL = 0.01; /* that is worth a word at the end */
static const double PLATEAU_LOSS = 0.05, PLATEAU_SHARE = 1.1;

const char *sw_ending_name(sw_train_ending ending) {
  static const char *const names[] = {
#define X(id, name) name,
      SW_TRAIN_ENDINGS(X)
#undef X
  };
  return names[ending];
}

/* One of the endings up to `last`; -1: none of them. */
static int find_ending(const char *text, size_t length, int last) {
  for (int i = SW_ENDED_STEPS; i <= last; i++) {
    const char *name = sw_ending_name((sw_train_ending)i);
    if (strlen(name) == length && !strncmp(name, text, length)) return i;
  }
  return -1;
}

sw_train_ending sw_ending_from_name(const char *name) {
  int found = name ? find_ending(name, strlen(name), SW_ENDED_PLATEAU) : -1;
  return found < 0 ? SW_ENDED_STEPS : (sw_train_ending)found;
}

sw_train_ending sw_ending_beside(sw_train_ending ending, double loss,
                                 double best) {
  if (ending != SW_ENDED_FLAT && ending != SW_ENDED_PLATEAU) return ending;
  if (!(best > 0)) return ending;
  return loss - best > PLATEAU_LOSS && loss > PLATEAU_SHARE * best
             ? SW_ENDED_PLATEAU
             : SW_ENDED_FLAT;
}

void sw_flat_init(sw_flat *flat, int64_t cap, double curriculum) {
  memset(flat, 0, sizeof *flat);
  flat->cap = cap;
  flat->shown = (int64_t)ceil(curriculum * (double)cap);
  flat->not_before = (cap + 2) / 3;
  flat->tail_begin = -1;
}

void sw_flat_free(sw_flat *flat) {
  free(flat->point);
  flat->point = NULL;
  flat->count = flat->room = 0;
}

int64_t sw_flat_tail(int64_t begin) { return begin < 5 ? 1 : (begin + 4) / 5; }

int64_t sw_flat_end(const sw_flat *flat) {
  int64_t end = flat->tail_begin + sw_flat_tail(flat->tail_begin);
  return flat->tail_begin < 0 || end > flat->cap ? flat->cap : end;
}

/* The lowest loss up to a step; infinite before the first validation. */
static double best_at(const sw_flat *flat, int64_t step) {
  double best = HUGE_VAL;
  for (int64_t i = 0; i < flat->count && flat->point[i].step <= step; i++)
    best = flat->point[i].best;
  return best;
}

static int note(sw_flat *flat, int64_t step, double loss) {
  if (flat->count == flat->room) {
    int64_t room = flat->room ? 2 * flat->room : 64;
    void *grown = realloc(flat->point, (size_t)room * sizeof *flat->point);
    if (!grown) return -1;
    flat->point = grown;
    flat->room = room;
  }
  double before = flat->count ? flat->point[flat->count - 1].best : HUGE_VAL;
  flat->point[flat->count++] =
      (sw_flat_point){step, loss < before ? loss : before};
  return 0;
}

typedef enum { TOO_EARLY, LEVEL, FALLING } course;

/* The course of the best loss over the last fifth of the steps up to `step`. */
static course course_at(const sw_flat *flat, int64_t step) {
  int64_t from = step - step / 5;
  double then = best_at(flat, from), now = best_at(flat, step);
  if (step < flat->not_before || from < flat->warm || !(then < HUGE_VAL))
    return TOO_EARLY;
  return now > (1 - LEAST_GAIN) * then || now == then /* both may be 0 */ ||
                 then - now < flat->least
             ? LEVEL
             : FALLING;
}

int sw_flat_falling(const sw_flat *flat) {
  if (!flat->count) return 0;
  int64_t step = flat->point[flat->count - 1].step;
  return course_at(flat, step) == FALLING &&
         best_at(flat, step - step / 5) - best_at(flat, step) > LEAST_FALL;
}

int sw_flat_step(sw_flat *flat, int64_t step, double loss) {
  SW_ASSERT(flat && step >= 0);
  SW_ASSERT(!flat->count || flat->point[flat->count - 1].step <= step);
  if (flat->tail_begin >= 0) return 0;
  if (loss >= 0 && step > flat->shown) {
    if (note(flat, step, loss)) return -1;
    if (!flat->watch && course_at(flat, step) == LEVEL)
      flat->ending = SW_ENDED_FLAT;
  }
  if (flat->watch) return 0;
  /* One step later the tail would run past the cap. */
  if (flat->ending != SW_ENDED_FLAT &&
      step + 1 + sw_flat_tail(step + 1) > flat->cap)
    flat->ending = SW_ENDED_CAP;
  if (flat->ending == SW_ENDED_STEPS) return 0;
  flat->tail_begin = step;
  return 1;
}

char *sw_flat_text(const sw_flat *flat) {
  size_t room = 64 + (size_t)flat->count * 56, used;
  char *text = malloc(room);
  if (!text) return NULL;
  used = (size_t)snprintf(text, room, "%" PRId64 " %s", flat->tail_begin,
                          sw_ending_name(flat->ending));
  for (int64_t i = 0; i < flat->count; i++) {
    char best[32];
    sw_real_text(best, sizeof best, 17, flat->point[i].best);
    used += (size_t)snprintf(text + used, room - used, " %" PRId64 ":%s",
                             flat->point[i].step, best);
  }
  return text;
}

int sw_flat_read(sw_flat *flat, const char *text, sw_err *err) {
  char *at;
  long long begin = strtoll(text, &at, 10);
  size_t word = *at == ' ' ? strcspn(at + 1, " ") : 0;
  int ending = word ? find_ending(at + 1, word, SW_ENDED_CAP) : -1;
  if (ending < 0 || begin < -1 || begin > flat->cap)
    return sw_fail(err, SW_DATA, "the checkpoint's `flat` is damaged: %.40s",
                   text);
  at += 1 + word;
  flat->count = 0;
  while (*at == ' ') {
    char *colon, *end;
    long long step = strtoll(at + 1, &colon, 10);
    double best = *colon == ':' ? sw_text_real(colon + 1, &end) : NAN;
    int64_t last = flat->count ? flat->point[flat->count - 1].step : 0;
    if (*colon != ':' || end == colon + 1 || isnan(best) || step <= last)
      return sw_fail(err, SW_DATA, "the checkpoint's `flat` is damaged: %.40s",
                     at);
    if (note(flat, step, best)) return sw_no_memory(err);
    at = end;
  }
  flat->tail_begin = begin;
  flat->ending = (sw_train_ending)ending;
  return SW_OK;
}
