/* What a view holds, and writing it as JSON (docs/serve.md). */
#ifndef SW_SERVE_VIEW_JSON_H
#define SW_SERVE_VIEW_JSON_H
#include "base/hash.h"
#include "search/words.h"
#include "serve/moment.h"

/* Ways of showing a state to a model. */
#define SW_SHOWINGS(X) \
  X(OWN, "own")        \
  X(NONE, "none")      \
  X(OTHER, "other")
typedef enum {
#define X(id, name) SW_SHOWING_##id,
  SW_SHOWINGS(X)
#undef X
      SW_SHOWING_COUNT
} sw_showing_id;

typedef struct sw_showing {
  int asked, best;
  uint64_t bits; /* hash of the full-vocabulary logits */
  int64_t tokens;
  double log_p[SW_WORDS_CHOICES];
  char why[256]; /* not asked: the reason */
} sw_showing;

typedef struct sw_view_side {
  sw_moment moment;
  int32_t token[SW_WORDS_CHOICES];
  sw_showing showing[SW_SHOWING_COUNT];
  int attention; /* wanted */
  sw_attention_shape shape;
  float *weights; /* [layers][heads][count], malloc'd; NULL: none */
  int32_t count, slots;
  sw_trace rows; /* the tokens behind the slots */
} sw_view_side;

enum { SW_VIEW_ADDED = 500 };
typedef struct sw_view {
  int models;
  sw_view_side side[2];
  const char *history;               /* the other history, or NULL */
  int whole;                         /* protocol of the models' own steps */
  int32_t add[SW_VIEW_ADDED], added; /* choices made by this request */
} sw_view;

/* Fetches the attention of the question just asked (the model is locked). */
int sw_view_attention(sw_view_side *side, const sw_trace *shown, sw_err *err);
void sw_view_write(const sw_view *view, sw_json *json);

#endif
