/* What the files of plain domains share: plain.c options, instances and the
 * table, plain_env.c the dialogue, plain_play.c who plays and what is true. */
#ifndef SW_DOMAINS_PLAIN_INSIDE_H
#define SW_DOMAINS_PLAIN_INSIDE_H
#include "domains/plain.h"

typedef struct sw_plain_domain {
  const sw_plain *plain;
  sw_domain domain; /* its self is this */
  sw_words words;
  int32_t back, tried; /* tokens */
} sw_plain_domain;

struct sw_instance {
  const sw_plain_domain *of;
  uint64_t hash;
  int32_t tokens; /* of the prefix */
  _Alignas(16) unsigned char problem[];
};

/* A state on the way; the bytes lie in env->bytes. */
typedef struct sw_plain_level {
  int32_t taken;  /* the choice that leads on from it */
  uint64_t tried; /* bit i: choice i has failed */
} sw_plain_level;

struct sw_env {
  const sw_plain_domain *of;
  const sw_instance *instance;
  sw_plain_level *level; /* [depth + 1] */
  unsigned char *bytes;  /* [depth + 1][state_bytes] */
  int64_t level_room, byte_room;
  int32_t depth;
  int32_t choice[SW_PLAIN_CHOICES]; /* of the current state */
  int choices, open;                /* open: not tried */
  int asking, executed, trouble;    /* trouble: a code; ends the search */
  sw_env_status status;
  const char *reason;
  int64_t explicit_back;
  sw_cands cands;
};

static inline const void *sw_plain_state(const sw_env *e) {
  return e->bytes + (size_t)e->depth * e->of->plain->state_bytes;
}

int sw_plain_env_new(sw_env **env, const sw_domain_options *options,
                     const sw_rules *rules, sw_err *err);
int sw_plain_env_reset(sw_env *env, const sw_instance *instance, sw_err *err);
void sw_plain_env_free(sw_env *env);
/* What a block shows: the state, and what has failed there. */
void sw_plain_show_state(const sw_env *env, sw_trace *out);
extern const sw_search_ops sw_plain_search;
int sw_plain_write_trace(const sw_instance *instance,
                         const sw_domain_options *options, sw_mt *mt,
                         sw_trace *trace, sw_err *err);

extern const char *const sw_plain_rules[];
int32_t sw_plain_expert(sw_env *env);
int32_t sw_plain_rule(sw_env *env, int rule, sw_mt *mt);
int sw_plain_doomed(sw_env *env);
int sw_plain_check(const sw_env *env);
int sw_plain_answer(const sw_env *env, char **text, sw_err *err);
int sw_plain_verify(const char *text, size_t bytes,
                    const sw_domain_options *options, const char *answer,
                    sw_err *err);
char *sw_plain_state_words(sw_env *env);
extern const sw_lexicon sw_plain_lexicon;

/* An instance around a problem that `make` or a file filled. */
int sw_plain_parse(sw_instance **instance, const char *path, const char *text,
                   size_t bytes, const sw_domain_options *options, sw_err *err);

#endif
