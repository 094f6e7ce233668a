/* The maze as an environment (see maze_outside.h). */
#include "maze_outside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domains/resolve.h"

enum { CELLS = MAZE_MOST * MAZE_MOST, CHOICES = 4, TEXT = 600 };

maze_vocabulary maze_vocabulary_of(const char *name) {
  maze_vocabulary v = {.name = name};
  int alike = !strcmp(name, maze_plain.name);
  for (int i = 0; i < MAZE_OWN_WORDS; i++) v.word[i] = maze_plain.words[i];
  v.word[MAZE_BACK] = alike ? "back" : "RETURN";
  v.word[MAZE_TRIED] = alike ? "tried" : "FAILED";
  for (int i = 0; i < MAZE_WORDS; i++)
    v.announced[i] = v.word[alike ? i : MAZE_WORDS - 1 - i];
  return v;
}

typedef struct way {
  const maze_vocabulary *words;
  maze problem;
  maze_state at[CELLS];
  uint64_t tried[CELLS]; /* bit c: cell c has failed at this depth */
  int32_t moves[CELLS];
  int depth;
  char problem_text[TEXT], state[TEXT], answer[TEXT];
  const char *open[CHOICES + 1], *failed[CHOICES + 1];
} way;

static int way_hello(void *context, statewise_hello *h,
                     statewise_error *error) {
  const maze_vocabulary *words = context;
  (void)error;
  *h = (statewise_hello){.name = words->name,
                         .words = words->announced,
                         .back = words->word[MAZE_BACK],
                         .seeded = 1,
                         .expert = 1,
                         .doomed = 1,
                         .check = 1};
  return 0;
}

static void append(char text[TEXT], const char *word) {
  size_t used = strlen(text);
  snprintf(text + used, TEXT - used, "%s%s", used ? " " : "", word);
}

/* What a function of the plain maze shows, in words. */
static void put_shown(const way *w, char text[TEXT], sw_trace *shown) {
  for (int64_t i = 0; i < shown->length; i++)
    append(text, w->words->word[shown->token[i]]);
  sw_trace_free(shown);
}

static int way_start(void *context, const statewise_task *task, void **search,
                     statewise_problem *problem, statewise_error *error) {
  static const sw_domain_options fair = {0};
  sw_xoshiro random;
  sw_trace shown;
  if (!task->split) {
    snprintf(error->text, sizeof error->text, "no problems as text");
    return STATEWISE_USAGE;
  }
  way *w = *search = calloc(1, sizeof *w);
  if (!w) return STATEWISE_MEMORY;
  sw_split split = !strcmp(task->split, "test")    ? SW_SPLIT_TEST
                   : !strcmp(task->split, "valid") ? SW_SPLIT_VALID
                                                   : SW_SPLIT_TRAIN;
  w->words = context;
  sw_xoshiro_seed(&random,
                  sw_philox_u64(sw_stream_seed(&fair, task->seed, split), 0,
                                (uint64_t)task->index));
  maze_plain.draw(&w->problem, maze_plain.n, &random);
  maze_plain.start(&w->problem, &w->at[0]);
  sw_trace_init(&shown);
  sw_trace_begin_block(&shown);
  maze_plain.show_problem(&w->problem, &shown);
  put_shown(w, w->problem_text, &shown);
  problem->problem = w->problem_text;
  return 0;
}

/* The moves from here in the maze's order, those that failed apart. */
static int moves_open(const way *w, int32_t *open, int32_t *failed,
                      int *failures) {
  int32_t all[SW_PLAIN_CHOICES];
  int count = 0, moves = maze_plain.choices(&w->problem, &w->at[w->depth], all);
  *failures = 0;
  for (int i = 0; i < moves; i++) {
    if (w->tried[w->depth] >> all[i] & 1) failed[(*failures)++] = all[i];
    else open[count++] = all[i];
  }
  return count;
}

static int way_look(void *search, statewise_situation *see,
                    statewise_error *error) {
  way *w = search;
  int32_t open[CHOICES], failed[CHOICES];
  sw_trace shown;
  int failures, count = moves_open(w, open, failed, &failures);
  (void)error;
  if (maze_plain.solved(&w->problem, &w->at[w->depth])) {
    see->over = "solved";
    return 0;
  }
  if (!count && !w->depth) {
    see->over = "exhausted";
    return 0;
  }
  w->state[0] = 0;
  sw_trace_init(&shown);
  sw_trace_begin_block(&shown);
  maze_plain.show_state(&w->problem, &w->at[w->depth], &shown);
  put_shown(w, w->state, &shown);
  if (failures) append(w->state, w->words->word[MAZE_TRIED]);
  for (int i = 0; i < failures; i++)
    append(w->state, w->failed[i] = w->words->word[failed[i]]);
  for (int i = 0; i < count; i++) w->open[i] = w->words->word[open[i]];
  w->open[count] = w->failed[failures] = NULL;
  see->state = w->state;
  see->choices = w->open;
  see->tried = w->failed;
  see->conflict = !count;
  return 0;
}

static int way_take(void *search, const char *choice, const char **refused,
                    statewise_error *error) {
  way *w = search;
  int32_t open[CHOICES], failed[CHOICES];
  int failures, count = moves_open(w, open, failed, &failures);
  (void)error;
  for (int i = 0; i < count; i++)
    if (!strcmp(choice, w->words->word[open[i]])) {
      w->moves[w->depth] = open[i];
      w->at[w->depth + 1] = w->at[w->depth];
      w->tried[++w->depth] = 0;
      maze_plain.take(&w->problem, &w->at[w->depth], open[i]);
      return 0;
    }
  *refused = "no such move";
  return 0;
}

static int way_back(void *search, int *silent, statewise_error *error) {
  way *w = search;
  (void)silent, (void)error;
  w->depth--;
  w->tried[w->depth] |= (uint64_t)1 << w->moves[w->depth];
  return 0;
}

static int way_expert(void *search, const char **choice,
                      statewise_error *error) {
  way *w = search;
  int32_t open[CHOICES], failed[CHOICES];
  int failures, count = moves_open(w, open, failed, &failures);
  (void)error;
  *choice = count ? w->words->word[open[maze_plain.expert(
                        &w->problem, &w->at[w->depth], open, count)]]
                  : w->words->word[MAZE_BACK];
  return 0;
}

static int leads_to_goal(const maze *m, maze_state s, const int32_t *next,
                         int count) {
  int found = maze_plain.solved(m, &s);
  for (int i = 0; i < count && !found; i++) {
    int32_t further[SW_PLAIN_CHOICES];
    maze_state then = s;
    maze_plain.take(m, &then, next[i]);
    found =
        leads_to_goal(m, then, further, maze_plain.choices(m, &then, further));
  }
  return found;
}

static int way_doomed(void *search, int *doomed, statewise_error *error) {
  way *w = search;
  int32_t open[CHOICES], failed[CHOICES];
  int failures, count = moves_open(w, open, failed, &failures);
  (void)error;
  *doomed = !leads_to_goal(&w->problem, w->at[w->depth], open, count);
  return 0;
}

static int way_check(void *search, statewise_checked *checked,
                     statewise_error *error) {
  way *w = search;
  (void)error;
  w->answer[0] = 0;
  for (int i = 0; i < w->depth; i++)
    append(w->answer, w->words->word[w->moves[i]]);
  checked->right = maze_plain.solved(&w->problem, &w->at[w->depth]);
  checked->answer = w->answer;
  return 0;
}

statewise_environment maze_environment(maze_vocabulary *words) {
  return (statewise_environment){.size = sizeof(statewise_environment),
                                 .context = words,
                                 .hello = way_hello,
                                 .start = way_start,
                                 .look = way_look,
                                 .take = way_take,
                                 .back = way_back,
                                 .end = free,
                                 .expert = way_expert,
                                 .doomed = way_doomed,
                                 .check = way_check};
}
