/* A search of one's own in C: different numbers BELOW a bound that add up to a
 * SUM, largest first. Where the numbers to come cannot make LEFT, go back.
 *   statewise gen "exec:./environment" --count 2000 -o sums.safetensors
 *   ./environment MODEL "SUM 23 OF 4 BELOW 15"    (in the process) */
#include <statewise.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* clang-format off */
enum { MOST = 32, DEEP = 6, NAMES = 7 };
typedef struct sums {
  int count, at, below[DEEP + 1], left[DEEP + 1];
  unsigned tried[DEEP + 1]; /* bits */
  char text[400];
  const char *open[MOST + 1], *failed[MOST + 1];
} sums;
typedef statewise_error fault;
#define TEN(t) t "0", t "1", t "2", t "3", t "4", t "5", t "6", t "7", t "8", t "9"
static const char *const word[] = {"SUM", "OF", "BELOW", "MORE", "LEFT", "TRIED", "BACK",
  TEN(""), TEN("1"), TEN("2"), TEN("3"), TEN("4"), TEN("5"), TEN("6"), TEN("7"), TEN("8"), TEN("9"), NULL};

static int hello(void *context, statewise_hello *h, fault *e) {
  *h = (statewise_hello){.name = "sums", .words = word, .back = "BACK", .seeded = 1, .expert = 1};
  return (void)context, (void)e, STATEWISE_OK;
}
static int start(void *context, const statewise_task *task, void **search, statewise_problem *p, fault *e) {
  sums *s = *search = calloc(1, sizeof *s);
  uint64_t draw = task->seed * 1000003 + (uint64_t)task->index * 4 + (task->split ? (uint64_t)task->split[1] % 3 : 0);
  if (!s) return STATEWISE_MEMORY;
  draw = (draw ^ draw >> 31) * 0x9e3779b97f4a7c15u;
  s->count = 3 + (int)(draw >> 33) % (DEEP - 2);
  s->below[0] = 12 + (int)(draw >> 40) % (MOST - 12);
  s->left[0] = 12 + (int)(draw >> 47) % (11 * s->count);
  if (!task->split) sscanf(task->problem, "SUM %2d OF %1d BELOW %2d", s->left, &s->count, s->below);
  if (s->count > DEEP || s->below[0] > MOST) return free(s), strcpy(e->text, "too large"), STATEWISE_DATA;
  sprintf(s->text, "SUM %d OF %d BELOW %d", s->left[0], s->count, s->below[0]);
  return p->problem = s->text, (void)context, STATEWISE_OK;
}
static int look(void *search, statewise_situation *see, fault *e) {
  sums *s = search;
  int more = s->count - s->at, left = s->left[s->at], below = s->below[s->at];
  int least = more * (more + 1) / 2, most = more * below - least, open = 0, failed = 0;
  int lost = !more || below <= more || left < least || left > most;
  int end = sprintf(s->text, "BELOW %d MORE %d LEFT %d", below, more, left);
  for (int i = below - 1; i > 0; i--)
    if (s->tried[s->at] >> i & 1) {
      s->failed[failed++] = word[NAMES + i];
      end += sprintf(s->text + end, failed > 1 ? " %d" : " TRIED %d", i);
    } else if (lost || i <= left) s->open[open++] = word[NAMES + i];
  s->open[open] = s->failed[failed] = NULL;
  see->conflict = lost || !open;
  see->over = !more && !left ? "solved" : see->conflict && !s->at ? "exhausted" : NULL;
  see->state = s->text, see->choices = s->open, see->tried = s->failed;
  return (void)e, STATEWISE_OK;
}
static int take(void *search, const char *choice, const char **refused, fault *e) {
  sums *s = search;
  int value = atoi(choice), at = s->at++;
  s->tried[at] |= 1u << value, s->tried[at + 1] = 0;
  s->left[at + 1] = s->left[at] - value, s->below[at + 1] = value;
  return (void)refused, (void)e, STATEWISE_OK;
}
static int back(void *search, int *silent, fault *e) {
  return ((sums *)search)->at--, (void)silent, (void)e, STATEWISE_OK;
}
static int expert(void *search, const char **choice, fault *e) { /* the largest */
  return *choice = ((sums *)search)->open[0], (void)e, STATEWISE_OK;
}
int main(int argc, char **argv) {
  const statewise_environment table = {.size = sizeof table, .hello = hello, .start = start, .look = look,
                                       .take = take, .back = back, .end = free, .expert = expert};
  statewise_search *search; statewise_query query; statewise *model; fault e = {0};
  if (argc < 3) return statewise_environment_serve(&table, 0, 1, &e);
  if (statewise_environment_register(&table, &e) || statewise_open(&model, argv[1], 1, &e) ||
      statewise_search_text(&search, model, argv[2], strlen(argv[2]), &e)) return puts(e.text), 1;
  while (statewise_search_next(search, &query, &e) == 1) statewise_search_choose(search, query.best, &e);
  puts(statewise_search_reason(search));
  return statewise_search_close(search), statewise_close(model), 0;
}
