/* Which searches belong together, and which part their group goes to (see
 * import.h). Problems and given names are keys of one hash table; a search
 * joins the sets of its two keys. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "base/rng.h"
#include "domains/own/import.h"

typedef struct key {
  uint64_t hash; /* 0: empty */
  int32_t set;
} key;
struct sw_groups {
  key *slot; /* at most half full */
  int64_t slots, keys;
  int32_t *parent; /* of every set that was ever made */
  uint64_t *first; /* the hash that it was made for */
  int32_t sets, parent_room, first_room;
  int32_t *search; /* its set */
  int64_t searches, search_room;
};

sw_groups *sw_groups_new(void) { return calloc(1, sizeof(sw_groups)); }

void sw_groups_free(sw_groups *g) {
  if (!g) return;
  free(g->slot);
  free(g->parent);
  free(g->first);
  free(g->search);
  free(g);
}

static key *find(key *slot, int64_t slots, uint64_t hash) {
  uint64_t at = hash & (uint64_t)(slots - 1);
  while (slot[at].hash && slot[at].hash != hash)
    at = (at + 1) & (uint64_t)(slots - 1);
  return &slot[at];
}

static int widen(sw_groups *g) {
  if (g->keys * 2 < g->slots) return 1;
  int64_t slots = g->slots ? g->slots * 2 : 64;
  key *slot = calloc((size_t)slots, sizeof *slot);
  if (!slot) return 0;
  for (int64_t i = 0; i < g->slots; i++)
    if (g->slot[i].hash) *find(slot, slots, g->slot[i].hash) = g->slot[i];
  free(g->slot);
  g->slot = slot;
  g->slots = slots;
  return 1;
}

static int32_t root(sw_groups *g, int32_t set) {
  while (g->parent[set] != set)
    set = g->parent[set] = g->parent[g->parent[set]];
  return set;
}

/* The set of a key, made where it is new; -1: out of memory. */
static int32_t set_of(sw_groups *g, uint64_t hash) {
  if (!widen(g)) return -1;
  key *k = find(g->slot, g->slots, hash);
  if (k->hash) return root(g, k->set);
  if (!sw_grow(&g->parent, &g->parent_room, g->sets + 1, sizeof *g->parent) ||
      !sw_grow(&g->first, &g->first_room, g->sets + 1, sizeof *g->first))
    return -1;
  k->hash = hash;
  k->set = g->sets;
  g->keys++;
  g->first[g->sets] = hash;
  g->parent[g->sets] = g->sets;
  return g->sets++;
}

int sw_groups_add(sw_groups *g, uint64_t problem, uint64_t group) {
  int32_t set = set_of(g, problem | 1), other;
  if (set < 0) return 0;
  if (group) {
    if ((other = set_of(g, group & ~(uint64_t)1)) < 0) return 0;
    if (other != set) { /* the older one stays */
      int32_t old = other < set ? other : set,
              young = other < set ? set : other;
      g->parent[young] = old;
      set = old;
    }
  }
  if (!sw_grow64(&g->search, &g->search_room, g->searches + 1,
                 sizeof *g->search))
    return 0;
  g->search[g->searches++] = set;
  return 1;
}

/* Groups without a part, in an order of their own. */
typedef struct lot {
  uint64_t draw;
  int32_t group;
} lot;

static int by_draw(const void *a, const void *b) {
  const lot *x = a, *y = b;
  if (x->draw != y->draw) return x->draw < y->draw ? -1 : 1;
  return x->group < y->group ? -1 : x->group > y->group;
}

/* How many of `count` a share takes: none of a single one, else at least one
 * unless the share is 0. */
static int64_t share_of(double share, int64_t count) {
  if (share <= 0 || count < 2) return 0;
  int64_t part = (int64_t)nearbyint(share * (double)count);
  return part < 1 ? 1 : part > count - 1 ? count - 1 : part;
}

static void deal(lot *lots, int64_t count, int test, int valid,
                 const sw_import_options *o, uint8_t *part) {
  qsort(lots, (size_t)count, sizeof *lots, by_draw);
  int64_t tests = test ? share_of(o->test_share, count) : 0;
  int64_t valids = valid ? share_of(o->valid_share, count - tests) : 0;
  for (int64_t i = 0; i < count; i++)
    part[lots[i].group] = i < tests            ? SW_PART_TEST
                          : i < tests + valids ? SW_PART_VALID
                                               : SW_PART_TRAIN;
}

/* Numbers the groups, and takes over what they say of their part. */
static int64_t number(sw_groups *g, const uint8_t *said, int32_t *group,
                      int32_t *name, uint8_t *part, int64_t *other) {
  int64_t groups = 0;
  for (int32_t s = 0; s < g->sets; s++) name[s] = -1;
  for (int64_t i = 0; i < g->searches; i++) {
    int32_t set = root(g, g->search[i]);
    if (name[set] < 0) {
      part[groups] = 255;
      name[set] = (int32_t)groups++;
    }
    group[i] = name[set];
    uint8_t *its = &part[group[i]];
    if (said[i] == 255) continue;
    if (*its == 255) *its = said[i];
    else if (*its != said[i] && *other < 0) *other = i;
  }
  return groups;
}

int sw_groups_split(sw_groups *g, const sw_import_options *o, uint8_t *said,
                    int32_t *group, int64_t *count, int64_t *other,
                    sw_err *err) {
  int32_t *name = malloc(sizeof *name * ((size_t)g->sets + 1));
  uint8_t *part = malloc((size_t)g->sets + 1);
  lot *lots = malloc(sizeof *lots * ((size_t)g->sets + 1));
  int64_t free_groups = 0;
  int has[SW_PARTS] = {0};
  *other = -1;
  if (!name || !part || !lots) {
    free(name), free(part), free(lots);
    return sw_no_memory_for(err, "groups");
  }
  *count = number(g, said, group, name, part, other);
  for (int64_t i = 0; i < *count; i++)
    if (part[i] != 255) has[part[i]] = 1;
  for (int64_t i = 0; i < g->searches; i++) {
    if (part[group[i]] != 255 || name[root(g, g->search[i])] < 0) continue;
    name[root(g, g->search[i])] = -1; /* listed */
    lots[free_groups++] =
        (lot){sw_philox_u64(o->seed, 0x6f776e, g->first[root(g, g->search[i])]),
              group[i]};
  }
  deal(lots, free_groups, !has[SW_PART_TEST], !has[SW_PART_VALID], o, part);
  for (int64_t i = 0; i < g->searches; i++) said[i] = part[group[i]];
  free(name), free(part), free(lots);
  return SW_OK;
}
