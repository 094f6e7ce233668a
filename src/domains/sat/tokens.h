/* The SAT vocabulary: 2,030 ids, the published layout, so that one model
 * serves every size. Everything that writes or reads SAT tokens uses these
 * names; the fixed tokens are one table. */
#ifndef SW_DOMAINS_SAT_TOKENS_H
#define SW_DOMAINS_SAT_TOKENS_H
#include <stddef.h>
#include <stdint.h>

struct sw_domain;

#define SW_SAT_FIXED_TOKENS(X) \
  X(PAD, 0, "[PAD]")           \
  X(BOS, 1, "[BOS]")           \
  X(EOS, 2, "[EOS]")           \
  X(SEP, 3, "SEP")             \
  X(CLAUSES, 4, "[CLAUSES]")   \
  X(SEARCH, 5, "[SEARCH]")     \
  X(STATE, 6, "STATE")         \
  X(PROP, 7, "[PROP]")         \
  X(PROP_END, 8, "[/PROP]")    \
  X(COLON, 9, ":")             \
  X(OK, 10, "OK")              \
  X(SOLVED, 11, "SOLVED")      \
  X(FAILED, 12, "FAILED")      \
  X(BJ, 13, "BJ")              \
  X(CONFLICT, 14, "CONFLICT")  \
  X(T, 15, "T")                \
  X(F, 16, "F")                \
  X(U, 17, "U")                \
  X(UNIT, 18, "UNIT")          \
  X(SAT_OK, 19, "SAT_OK")      \
  X(FREE, 20, "FREE")          \
  X(HIDDEN, 21, "?")           \
  X(NT, 22, "NT")              \
  X(NF, 23, "NF")              \
  X(BIN, 24, "BIN")            \
  X(UP_T, 25, "[UP_T]")        \
  X(UP_T_END, 26, "[/UP_T]")   \
  X(UP_F, 27, "[UP_F]")        \
  X(UP_F_END, 28, "[/UP_F]")   \
  X(ROUND, 29, "[R]")

enum {
#define X(name, id, text) SW_SAT_##name = id,
  SW_SAT_FIXED_TOKENS(X)
#undef X
      SW_SAT_MAX_VARS = 200,
  SW_SAT_MAX_CLAUSES = 1200,
  SW_SAT_MAX_LEVELS = 200,
  SW_SAT_POSITIVE = 30,
  SW_SAT_NEGATIVE = SW_SAT_POSITIVE + SW_SAT_MAX_VARS,
  SW_SAT_CLAUSE = SW_SAT_NEGATIVE + SW_SAT_MAX_VARS,
  SW_SAT_LEVEL = SW_SAT_CLAUSE + SW_SAT_MAX_CLAUSES,
  SW_SAT_VARIABLE = SW_SAT_LEVEL + SW_SAT_MAX_LEVELS,
  SW_SAT_VOCAB = SW_SAT_VARIABLE + SW_SAT_MAX_VARS
};

/* A literal inside the program is 2 v + (1 when negated); this is its signed
 * token. */
static inline int32_t sw_sat_literal_token(int32_t literal) {
  return (literal & 1 ? SW_SAT_NEGATIVE : SW_SAT_POSITIVE) + (literal >> 1);
}
static inline int32_t sw_sat_value_token(int value) {
  return value ? SW_SAT_T : SW_SAT_F;
}

/* Printed form ("+v3", "C5", "STATE"); returns its length as snprintf does.
 * An id outside the vocabulary prints as "<id>". */
int sw_sat_token_text(const struct sw_domain *domain, int32_t token,
                      char *buffer, size_t room);
/* The inverse for one word; -1 when it is no token of this vocabulary. */
int32_t sw_sat_token_parse(const char *word, size_t length);

#endif
