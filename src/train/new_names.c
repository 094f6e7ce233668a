/* Rows for names that were never seen; see new_names.h. */
#include "train/new_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

/* Rows of unseen tokens have a cosine of .98 and more with each other, those of
 * seen ones below .75 (every shipped model); the last name of a kind is far
 * beyond what any preset draws. */
static const double ALIKE = 0.9;
/* Of the variance of the seen names; the rest tells none from another. */
static const double EXPLAINED = 0.8;
enum { FEWEST = 4, MOST_CODES = 16, ROUNDS = 200, STREAM = 0x6e616d65 };

/* Codes drawn for a name, of which the farthest is taken; where there are very
 * many names they lie close whatever is done. */
static int candidates(const sw_names *names) {
  return names->count <= 256 ? 400 : 8;
}

/* A name's place is its row, or the middle of the rows of its two signs. Its
 * code is that place along the principal directions of the seen names, in
 * standard deviations. */
typedef struct kind {
  const sw_names *names;
  float *row[3]; /* of each range's first name */
  int d, codes;
  int32_t *seen; /* indices of the names that were */
  int32_t count;
  double *left;   /* [count][d] what no direction so far accounts for */
  double *mean;   /* [ranges][d] of the seen: rows; range 0: places */
  double *effect; /* [ranges][codes][d] of a code on a row, or on the place */
  double *code;   /* [names][codes] */
  uint64_t seed, draws;
} kind;

static double dot(const double *a, const double *b, int d) {
  double sum = 0;
  for (int i = 0; i < d; i++) sum += a[i] * b[i];
  return sum;
}

static int alike(const float *a, const float *b, int d) {
  double ab = 0, aa = 0, bb = 0;
  for (int i = 0; i < d; i++) {
    ab += (double)a[i] * (double)b[i];
    aa += (double)a[i] * (double)a[i];
    bb += (double)b[i] * (double)b[i];
  }
  return aa * bb > 0 && ab > ALIKE * sqrt(aa * bb);
}

static double *mean_of(const kind *k, int r) { return k->mean + r * k->d; }
static double *effect_of(const kind *k, int r, int c) {
  return k->effect + (r * MOST_CODES + c) * k->d;
}
static double *code_of(const kind *k, int32_t name) {
  return k->code + (ptrdiff_t)name * MOST_CODES;
}
static double *left_of(const kind *k, int32_t s) {
  return k->left + (ptrdiff_t)s * k->d;
}

/* Element i of the name's row in a range; of its place for the signs. */
static double element(const kind *k, int r, int32_t name, int i) {
  ptrdiff_t at = (ptrdiff_t)name * k->d + i;
  if (!k->names->signs || r > 1) return (double)k->row[r][at];
  return 0.5 * ((double)k->row[0][at] + (double)k->row[1][at]);
}

static void find_seen(kind *k) {
  const float *last = k->row[0] + (ptrdiff_t)(k->names->count - 1) * k->d;
  for (int32_t i = 0; i < k->names->count; i++)
    if (!alike(k->row[0] + (ptrdiff_t)i * k->d, last, k->d))
      k->seen[k->count++] = i;
}

static void find_means(kind *k) {
  for (int r = 0; r < k->names->ranges; r++)
    for (int i = 0; i < k->d; i++) {
      double sum = 0;
      for (int32_t s = 0; s < k->count; s++)
        sum += element(k, r, k->seen[s], i);
      mean_of(k, r)[i] = sum / k->count;
    }
  for (int32_t s = 0; s < k->count; s++)
    for (int i = 0; i < k->d; i++)
      left_of(k, s)[i] = element(k, 0, k->seen[s], i) - mean_of(k, 0)[i];
}

/* The direction of the largest variance of what is left, by power iteration. */
static void principal(const kind *k, double *direction) {
  double *next = effect_of(k, 2, MOST_CODES - 1); /* written last */
  memcpy(direction, left_of(k, 0), sizeof(double) * (size_t)k->d);
  for (int round = 0; round < ROUNDS; round++) {
    memset(next, 0, sizeof(double) * (size_t)k->d);
    for (int32_t s = 0; s < k->count; s++) {
      double along = dot(left_of(k, s), direction, k->d);
      for (int i = 0; i < k->d; i++) next[i] += along * left_of(k, s)[i];
    }
    double length = sqrt(dot(next, next, k->d));
    if (!(length > 0)) return;
    for (int i = 0; i < k->d; i++) direction[i] = next[i] / length;
  }
}

/* Codes of the seen names, and what a code does to the rows of each range:
 * codes are uncorrelated, so each effect is found alone. */
static void find_codes(kind *k) {
  double all = 0, found = 0;
  for (int32_t s = 0; s < k->count; s++)
    all += dot(left_of(k, s), left_of(k, s), k->d);
  while (k->codes < MOST_CODES - 1 && found < EXPLAINED * all) {
    int c = k->codes;
    double *direction = effect_of(k, 0, c), power = 0;
    principal(k, direction);
    for (int32_t s = 0; s < k->count; s++) {
      double along = dot(left_of(k, s), direction, k->d);
      code_of(k, k->seen[s])[c] = along;
      power += along * along;
      for (int i = 0; i < k->d; i++) left_of(k, s)[i] -= along * direction[i];
    }
    if (!(power > 0)) return;
    k->codes++;
    found += power;
    double deviation = sqrt(power / k->count);
    for (int32_t s = 0; s < k->count; s++)
      code_of(k, k->seen[s])[c] /= deviation;
    for (int r = 0; r < k->names->ranges; r++)
      for (int i = 0; i < k->d; i++) {
        double sum = 0;
        for (int32_t s = 0; s < k->count; s++)
          sum += code_of(k, k->seen[s])[c] *
                 (element(k, r, k->seen[s], i) - mean_of(k, r)[i]);
        effect_of(k, r, c)[i] = sum / k->count;
      }
  }
}

static double nearest(const kind *k, const double *code, int32_t before) {
  double least = INFINITY;
  for (int32_t n = 0, s = 0; n < k->names->count; n++) {
    double sum = 0;
    int known = s < k->count && k->seen[s] == n;
    s += known;
    if (!known && n >= before) continue;
    for (int c = 0; c < k->codes; c++) {
      double x = code[c] - code_of(k, n)[c];
      sum += x * x;
    }
    least = sum < least ? sum : least;
  }
  return least;
}

/* On the sphere of the seen names' mean square, far from every name so far. */
static void draw_code(kind *k, int32_t name) {
  double farthest = -1, trial[MOST_CODES] = {0};
  for (int t = 0; t < candidates(k->names); t++) {
    for (int c = 0; c < k->codes; c++)
      trial[c] = sw_philox_normal(k->seed, STREAM, k->draws++);
    double stretch = sqrt(k->codes / dot(trial, trial, k->codes));
    for (int c = 0; c < k->codes; c++) trial[c] *= stretch;
    double far = nearest(k, trial, name);
    if (far <= farthest) continue;
    farthest = far;
    memcpy(code_of(k, name), trial, sizeof trial);
  }
}

/* The two signs stand on both sides of the place, as those of a seen name do.
 */
static void write_name(kind *k, int32_t name) {
  uint64_t draw = sw_philox_u64(k->seed, STREAM + 1, (uint64_t)name);
  ptrdiff_t like = (ptrdiff_t)k->seen[draw % (uint64_t)k->count] * k->d;
  ptrdiff_t at = (ptrdiff_t)name * k->d;
  for (int r = 0; r < k->names->ranges; r++)
    for (int i = 0; i < k->d; i++) {
      double sum = mean_of(k, r)[i];
      for (int c = 0; c < k->codes; c++)
        sum += code_of(k, name)[c] * effect_of(k, r, c)[i];
      if (k->names->signs && r < 2)
        sum += (r ? -0.5 : 0.5) *
               ((double)k->row[0][like + i] - (double)k->row[1][like + i]);
      k->row[r][at + i] = (float)sum;
    }
}

static int64_t make_names(kind *k) {
  int64_t made = 0;
  find_seen(k);
  if (k->count < FEWEST) return 0;
  if (k->count >= k->names->count - 1) return 0; /* the last is like itself */
  find_means(k);
  find_codes(k);
  if (!k->codes) return 0; /* they are all the same */
  for (int32_t n = 0, s = 0; n < k->names->count; n++) {
    if (s < k->count && k->seen[s] == n) {
      s++;
      continue;
    }
    draw_code(k, n);
    write_name(k, n);
    made++;
  }
  return made;
}

static int one_kind(const sw_names *names, float *table, int d, uint64_t seed,
                    int64_t *made, sw_err *err) {
  size_t count = (size_t)names->count, width = (size_t)d;
  kind k = {.names = names, .d = d, .seed = seed};
  double *space = calloc(
      width * (count + 3 + 3 * MOST_CODES) + count * MOST_CODES, sizeof *space);
  k.seen = calloc(count, sizeof *k.seen);
  if (space && k.seen) {
    k.left = space;
    k.mean = k.left + count * width;
    k.effect = k.mean + 3 * width;
    k.code = k.effect + 3 * MOST_CODES * width;
    for (int r = 0; r < names->ranges; r++)
      k.row[r] = table + (ptrdiff_t)names->first[r] * d;
    *made += make_names(&k);
  }
  int code = space && k.seen ? SW_OK : sw_no_memory(err);
  free(space);
  free(k.seen);
  return code;
}

int sw_new_names(sw_net *net, const sw_domain *domain, uint64_t seed,
                 int64_t *made, sw_err *err) {
  const sw_tensor *table = NULL;
  for (int t = 0; t < net->tensors; t++)
    if (!strcmp(net->tensor[t].name, "token_embedding.weight"))
      table = &net->tensor[t];
  *made = 0;
  if (!table)
    return sw_fail(err, SW_USAGE,
                   "--init-names: models of the family %s have no table of "
                   "tokens",
                   net->family->name);
  if (!domain || !domain->token.names)
    return sw_fail(err, SW_USAGE, "--init-names: the domain %s names nothing",
                   domain ? domain->name : "?");
  for (const sw_names *n = domain->token.names; n->ranges; n++) {
    for (int r = 0; r < n->ranges; r++)
      if (n->first[r] + n->count > table->shape[0])
        return sw_fail(err, SW_USAGE,
                       "--init-names: %s end at token %d, the model has %lld",
                       n->text, n->first[r] + n->count - 1,
                       (long long)table->shape[0]);
    SW_TRY(one_kind(n, net->weights + table->offset, (int)table->shape[1],
                    sw_philox_u64(seed, STREAM, (uint64_t)n->first[0]), made,
                    err));
  }
  sw_net_changed(net);
  return SW_OK;
}
