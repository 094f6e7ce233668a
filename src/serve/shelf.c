/* Models on offer, and asking them (see shelf.h). */
#include "serve/shelf.h"

#include <stdlib.h>
#include <string.h>
#include "base/grow.h"

static void offered_free(sw_offered_model *b) {
  if (!b) return;
  sw_asker_free(b->asker);
  sw_team_free(b->team);
  sw_language_free(b->language);
  if (b->loaded.model) sw_loaded_close(&b->loaded);
  pthread_mutex_destroy(&b->lock);
  free(b);
}

void sw_shelf_free(sw_shelf *shelf) {
  for (int32_t i = 0; i < shelf->count; i++) offered_free(shelf->offered[i]);
  free(shelf->offered);
  memset(shelf, 0, sizeof *shelf);
}

sw_offered_model *sw_shelf_find(const sw_shelf *shelf, const char *id) {
  for (int32_t i = 0; i < shelf->count; i++)
    if (!strcmp(shelf->offered[i]->id, id)) return shelf->offered[i];
  return NULL;
}

/* The last part of the path, without .safetensors; a number behind it when the
 * name is taken. A run directory's file is called after the directory. */
static void name_book(const sw_shelf *shelf, const char *path, char *id,
                      size_t room) {
  static const char file[] = "model.safetensors", ending[] = ".safetensors";
  char text[1024], base[64];
  snprintf(text, sizeof text, "%s", path);
  size_t length = strlen(text);
  while (length > 1 && text[length - 1] == '/') text[--length] = 0;
  if (length > sizeof file && !strcmp(text + length - sizeof file + 1, file) &&
      text[length - sizeof file] == '/')
    text[length -= sizeof file] = 0;
  if (length > sizeof ending - 1 &&
      !strcmp(text + length - sizeof ending + 1, ending))
    text[length - sizeof ending + 1] = 0;
  const char *slash = strrchr(text, '/');
  snprintf(base, sizeof base, "%.55s", slash ? slash + 1 : text);
  for (char *p = base; *p; p++)
    if ((unsigned char)*p < 33 || *p == '"' || *p == 127) *p = '-';
  snprintf(id, room, "%s", base[0] ? base : "model");
  for (int i = 2; sw_shelf_find(shelf, id) && i < 1000; i++)
    snprintf(id, room, "%.50s-%d", base, i);
}

static int open_offered(sw_offered_model *b, const char *path, int threads,
                        sw_err *err) {
  SW_TRY(sw_loaded_open(&b->loaded, path, err));
  const sw_loaded *l = &b->loaded;
  SW_TRY(sw_domain_searchable(l->domain, err));
  if (strcmp(l->model->family->reads, "tokens"))
    return sw_fail(err, SW_USAGE,
                   "%s reads %s; only models that read tokens are served", path,
                   l->model->family->reads);
  SW_TRY(sw_language_new(&b->language, l->domain, &l->options, err));
  SW_TRY(sw_team_new(&b->team, threads, err));
  sw_ask_options o = {.model = l->model,
                      .reading = l->reading,
                      .cached = 1,
                      .skips_unseen = 1,
                      .seats = SW_OFFERED_SEATS};
  return sw_asker_new(&b->asker, &o, b->team, err);
}

int sw_shelf_add(sw_shelf *shelf, const char *path, int threads, sw_err *err) {
  if (!sw_grow(&shelf->offered, &shelf->room, shelf->count + 1,
               sizeof *shelf->offered))
    return sw_no_memory(err);
  sw_offered_model *b = calloc(1, sizeof *b);
  if (!b) return sw_no_memory(err);
  pthread_mutex_init(&b->lock, NULL);
  name_book(shelf, path, b->id, sizeof b->id);
  int code = open_offered(b, path, threads, err);
  if (code) {
    offered_free(b);
    return code;
  }
  shelf->offered[shelf->count++] = b;
  return SW_OK;
}

int sw_offered_ask(sw_offered_model *b, const sw_trace *t, const float **logits,
                   sw_err *err) {
  if (t->blocks < 2 || t->length > INT32_MAX / 4)
    return sw_fail(err, SW_USAGE, "a question needs a problem and a state");
  int code = sw_ask(b->asker, t, logits, err);
  return code == SW_DATA ? SW_INTERNAL : code; /* not the question's fault */
}
