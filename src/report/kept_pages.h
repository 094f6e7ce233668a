/* The pages of kept results: one for every experiment that has numbers
 * (docs/notebook/experiment-json.md) and an index, which shows the whole list
 * at a glance: cells, how many agree with the paper, how many do not and why.
 * In two forms: Markdown, which is read where the project is hosted, and a site
 * of HTML with figures, which is built when it is wanted. Called by `repro
 * --pages`. */
#ifndef SW_REPORT_KEPT_PAGES_H
#define SW_REPORT_KEPT_PAGES_H
#include <jansson.h>
#include <stdio.h>
#include "base/err.h"

/* What may be kept; `file` is its id, `aliases` the paper's names of it
 * ("T8 tab:verifier-swap"), `state` in a word, `seeds` how many models a row
 * has when all are there; `older`: some of it was made with settings that the
 * tables no longer have, so that none of it is counted. */
typedef struct sw_kept_entry {
  const char *file, *section, *place, *title, *aliases, *state;
  int seeds, older;
  const char *finding; /* kept_grid.h; NULL: not said */
} sw_kept_entry;

typedef enum { SW_KEPT_MARKDOWN, SW_KEPT_SITE } sw_kept_form;

/* Writes INTO/ID.md, or .html, of every object, and the index. `kept`: one an
 * entry, NULL where there is nothing. */
int sw_kept_pages(const char *into, sw_kept_form form,
                  const sw_kept_entry *entry, int count, json_t *const *kept,
                  sw_err *err);

/* kept_markdown.c; inside src/report. */
void sw_kept_markdown(const json_t *kept, FILE *out);
int sw_kept_markdown_index(const sw_kept_entry *entry, int count,
                           json_t *const *kept, FILE *out, sw_err *err);

/* What was found, in a sentence: the experiment's own words, or the numbers of
 * its first column (kept_index.c). */
void sw_kept_sentence(const sw_kept_entry *entry, const json_t *kept,
                      char *text, size_t room);

/* What the index says of the words that its findings use. */
extern const char sw_kept_terms[];
/* Explains the words of the list of models, as far as it uses them. */
void sw_kept_words(const json_t *kept, FILE *out);

/* kept_index.c; inside src/report. `kept`: one object an entry, or NULL. */
typedef struct sw_kept_tally { /* cells, counted */
  int cells, done, compared, agree, seeds;
} sw_kept_tally;
sw_kept_tally sw_kept_count(const json_t *kept);
int sw_kept_index(const sw_kept_entry *entry, int count, json_t *const *kept,
                  FILE *out, sw_err *err);
void sw_kept_head(FILE *out, const char *title, const char *style);
/* `value` escaped, between two pieces of HTML. */
void sw_kept_text(FILE *out, const char *before, const char *value,
                  const char *after);
/* "41.0 [34.2, 47.8]": a cell or statistic of ours, shares in percent. */
void sw_kept_ours(const json_t *cell, FILE *out);

/* kept_distinct.c: the object of a list whose member `name` is `text`, or NULL.
 */
const json_t *sw_kept_named(const json_t *list, const char *name,
                            const char *text);
/* How many numbers of the paper stand beside ours, and how many of them agree.
 * One that stands in several tables beside the same figure of the same model,
 * asked the same, counts once, however many seeds each table has. `trained`
 * counts those of a model that was trained for its table; what is left could
 * hardly differ: figures of rules and of shipped models, and zeros on both
 * sides. */
typedef struct sw_kept_agreement {
  int all, all_agree, trained, trained_agree;
} sw_kept_agreement;
sw_kept_agreement sw_kept_distinct(const sw_kept_entry *entry, int count,
                                   json_t *const *kept);

/* kept_claims.c: the differences between rows that the paper states, beside
 * ours. */
typedef enum { SW_SAME_WAY, SW_OTHER_WAY, SW_NOT_APART, SW_NO_RANGE } sw_claim;
/* Which way a statistic points beside the paper's: by the sign, and whether the
 * interval (of `range`) leaves zero out. */
sw_claim sw_kept_claim(const json_t *statistic, const json_t *range);
int sw_kept_claims(const sw_kept_entry *entry, int count, json_t *const *kept,
                   sw_kept_form form, FILE *out, sw_err *err);

#endif
