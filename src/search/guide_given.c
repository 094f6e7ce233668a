/* Policies of the caller's (see guide_given.h): their registry, and the guide
 * that shows each what the protocol shows. */
#include "search/guide_given.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/hash.h"
#include "search/loop.h"

enum { NAME_MAX_LENGTH = 63, USUAL_WIDTH = 32, TEXT_BYTES = 64 };

typedef struct given {
  struct given *next;
  statewise_policy policy; /* its name is `name` */
  char name[NAME_MAX_LENGTH + 1];
  char hash[17];
} given;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static given *first;

/* With the lock held. */
static given *find(const char *name) {
  for (given *g = first; g; g = g->next)
    if (!strcmp(g->name, name)) return g;
  return NULL;
}

/* Stored outcomes belong to this version, or without a version to this
 * registration. */
static void make_hash(given *g) {
  static _Atomic uint64_t registrations;
  const char *version = g->policy.version;
  uint64_t hash =
      version ? sw_xxh64(version, strlen(version), 7)
              : sw_xxh64(&(uint64_t[]){(uint64_t)time(NULL), (uint64_t)getpid(),
                                       ++registrations},
                         3 * sizeof(uint64_t), 8);
  snprintf(g->hash, sizeof g->hash, "%016llx",
           (unsigned long long)sw_xxh64(g->name, strlen(g->name), hash));
}

static int check(const statewise_policy *policy, sw_err *err) {
  static const char *const taken[] = {"none", "beside", "exact", "all",
                                      "expert"};
  const char *name = policy->name;
  if (!name || !policy->score)
    return sw_fail(err, SW_USAGE, "a policy has a name and score()");
  size_t length = strlen(name);
  if (!length || length > NAME_MAX_LENGTH ||
      strspn(name,
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
             "0123456789-_.") != length) {
    sw_fail(err, SW_USAGE, "`%.80s` is not the name of a policy", name);
    return sw_hint(err, "letters, digits, - _ and ., at most %d",
                   NAME_MAX_LENGTH);
  }
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
    if (!strcmp(name, taken[i]))
      return sw_fail(err, SW_USAGE, "the name `%s` is taken", name);
  return SW_OK;
}

int sw_given_add(const statewise_policy *policy, sw_err *err) {
  SW_TRY(check(policy, err));
  given *g = calloc(1, sizeof *g);
  if (!g) return sw_no_memory(err);
  g->policy = *policy;
  snprintf(g->name, sizeof g->name, "%s", policy->name);
  make_hash(g);
  g->policy.name = g->name;
  g->policy.version = NULL; /* the caller's text */
  pthread_mutex_lock(&lock);
  int is_taken = find(g->name) != NULL;
  if (!is_taken) {
    g->next = first;
    first = g;
  }
  pthread_mutex_unlock(&lock);
  if (!is_taken) return SW_OK;
  free(g);
  return sw_fail(err, SW_USAGE, "the name `%s` is taken", policy->name);
}

void sw_given_remove(const char *name) {
  given *gone = NULL;
  pthread_mutex_lock(&lock);
  for (given **at = &first; *at && !gone; at = &(*at)->next)
    if (!strcmp((*at)->name, name)) {
      gone = *at;
      *at = gone->next;
      break;
    }
  pthread_mutex_unlock(&lock);
  free(gone);
}

int sw_given_known(const char *name) {
  pthread_mutex_lock(&lock);
  int known = find(name) != NULL;
  pthread_mutex_unlock(&lock);
  return known;
}

/* ---- the guide ---- */

/* What one question points to. */
typedef struct material {
  int32_t *token, token_room;
  int32_t *candidate, candidate_room;
  const char **text;
  int32_t text_room;
  char (*word)[TEXT_BYTES];
  int32_t word_room;
} material;

typedef struct given_guide {
  sw_guide head;
  sw_guide_ops ops; /* with the policy's width */
  statewise_policy policy;
  statewise_question *question;
  material *material;
  int32_t question_room, material_room, materials;
} given_guide;

static int start(sw_guide *guide, int32_t seat, const sw_game *game,
                 sw_err *err) {
  int protocol = game->options->protocol;
  (void)guide;
  (void)seat;
  if (protocol == SW_CUMULATIVE || protocol == SW_REBUILT) return SW_OK;
  sw_fail(err, SW_USAGE, "a policy of your own has no protocol `%s`",
          sw_protocol_name((sw_protocol)protocol));
  return sw_hint(err, "it is shown tokens: cumulative or rebuilt");
}

/* Problem and current block, or the whole dialogue. */
static int show(const sw_game *game, statewise_question *q, material *m,
                sw_err *err) {
  const sw_trace *trace = &game->trace;
  int64_t block = trace->block_start[trace->blocks - 1];
  int64_t prefix = game->prefix_length;
  q->token = trace->token;
  q->tokens = trace->length;
  q->block = block;
  if (game->options->protocol == SW_CUMULATIVE || prefix >= block) return SW_OK;
  q->tokens = prefix + trace->length - block;
  if (q->tokens > INT32_MAX ||
      !sw_grow(&m->token, &m->token_room, (int32_t)q->tokens, sizeof *m->token))
    return sw_no_memory(err);
  memcpy(m->token, trace->token, (size_t)prefix * sizeof *m->token);
  memcpy(m->token + prefix, trace->token + block,
         (size_t)(trace->length - block) * sizeof *m->token);
  q->token = m->token;
  q->block = prefix;
  return SW_OK;
}

static int list(const sw_game *game, statewise_question *q, material *m,
                sw_err *err) {
  int count = game->candidates;
  if (!sw_grow(&m->candidate, &m->candidate_room, count,
               sizeof *m->candidate) ||
      !sw_grow(&m->text, &m->text_room, count, sizeof *m->text) ||
      !sw_grow(&m->word, &m->word_room, count, sizeof *m->word))
    return sw_no_memory(err);
  for (int i = 0; i < count; i++) {
    m->candidate[i] = game->candidate[i].token;
    game->domain->token_text(game->domain, m->candidate[i], m->word[i],
                             sizeof m->word[i]);
    m->text[i] = m->word[i];
  }
  q->count = count;
  q->candidate = m->candidate;
  q->text = m->text;
  return SW_OK;
}

static int fill(given_guide *g, const sw_question *question, int32_t at,
                sw_err *err) {
  statewise_question *q = &g->question[at];
  *q = (statewise_question){.instance = question->game->outcome.instance,
                            .score = question->score};
  SW_TRY(show(question->game, q, &g->material[at], err));
  for (int k = 0; k < question->game->candidates; k++) question->score[k] = 0;
  return list(question->game, q, &g->material[at], err);
}

static int ask(sw_guide *guide, sw_question *question, int32_t count,
               sw_err *err) {
  given_guide *g = (given_guide *)guide;
  statewise_error why = {0};
  if (!sw_grow(&g->question, &g->question_room, count, sizeof *g->question) ||
      !sw_grow(&g->material, &g->material_room, count, sizeof *g->material))
    return sw_no_memory(err);
  for (; g->materials < count; g->materials++)
    g->material[g->materials] = (material){0};
  for (int32_t i = 0; i < count; i++) SW_TRY(fill(g, &question[i], i, err));
  int code = g->policy.score(g->policy.context, g->question, count, &why);
  if (code)
    return sw_fail(err, code > 0 ? code : SW_DATA, "policy %s: %s",
                   guide->label, why.text[0] ? why.text : "it has failed");
  for (int32_t i = 0; i < count; i++)
    for (int k = 0; k < question[i].game->candidates; k++)
      if (question[i].score[k] != question[i].score[k])
        return sw_fail(err, SW_DATA, "policy %s: a score is not a number",
                       guide->label);
  return SW_OK;
}

static void close_given(sw_guide *guide) {
  given_guide *g = (given_guide *)guide;
  for (int32_t i = 0; i < g->materials; i++) {
    free(g->material[i].token);
    free(g->material[i].candidate);
    free(g->material[i].text);
    free(g->material[i].word);
  }
  free(g->material);
  free(g->question);
  free(g);
}

int sw_guide_given(sw_guide **guide, const sw_domain *domain, const char *name,
                   sw_err *err) {
  *guide = NULL;
  given_guide *g = calloc(1, sizeof *g);
  if (!g) return sw_no_memory(err);
  pthread_mutex_lock(&lock);
  const given *known = find(name);
  if (known) {
    g->policy = known->policy;
    snprintf(g->head.label, sizeof g->head.label, "%s", known->name);
    snprintf(g->head.hash, sizeof g->head.hash, "%s", known->hash);
  }
  pthread_mutex_unlock(&lock);
  if (!known) {
    free(g);
    return sw_fail(err, SW_USAGE, "there is no policy `%s`", name);
  }
  g->policy.name = g->head.label;
  g->ops = (sw_guide_ops){
      .name = "given",
      .start = start,
      .ask = ask,
      .close = close_given,
      .width = g->policy.width > 0 ? g->policy.width : USUAL_WIDTH};
  g->head.ops = &g->ops;
  g->head.domain = domain;
  g->head.mask = g->head.positions = "";
  *guide = &g->head;
  return SW_OK;
}
