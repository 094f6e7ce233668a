/* The second tab: what a directory holds (/api/results) and its report files
 * (/files/...). Only regular files of a few kinds are given out, none that is
 * hidden or in a hidden folder, and only when
 * their resolved path lies inside the directory, so neither `..` nor a link
 * leads anywhere else. Reports are sent sandboxed: a script in one of them has
 * no origin and cannot reach this server. */
#include <dirent.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/clock.h"
#include "base/file.h"
#include "base/stats.h"
#include "serve/serve.h"

enum {
  DEPTH_MAX = 4,
  FOUND_MAX = 400,
  FILE_LIMIT = 32 << 20,
  QUERY_SECONDS = 1
};

/* clang-format off */
#define FILE_KINDS(X)                                                          \
  X(".html", "text/html; charset=utf-8", 1) X(".svg", "image/svg+xml", 1)      \
  X(".png", "image/png", 0) X(".csv", "text/csv; charset=utf-8", 0)            \
  X(".json", "application/json", 0) X(".jsonl", "text/plain; charset=utf-8", 0) \
  X(".md", "text/plain; charset=utf-8", 0) X(".tex", "text/plain; charset=utf-8", 0) \
  X(".txt", "text/plain; charset=utf-8", 0)
/* clang-format on */

static int ends_with(const char *text, const char *tail) {
  size_t a = strlen(text), b = strlen(tail);
  return a >= b && !strcmp(text + a - b, tail);
}

/* ---- /api/results ---- */

typedef struct finder {
  const char *root;
  sw_json *json;
  int found;
  int stores;      /* 1: list stores, 0: list pages */
  double deadline; /* of all stores together */
} finder;

static void write_conditions(sqlite3 *db, sw_json *json) {
  static const char sql[] =
      "SELECT c.domain, c.policy, c.protocol, c.loop, c.format, c.n, count(*),"
      " sum(o.solved), avg(o.decisions) FROM conditions c JOIN outcomes o ON"
      " o.condition = c.id GROUP BY c.id ORDER BY c.id LIMIT 500";
  static const char *const names[] = {"domain", "policy", "protocol", "loop",
                                      "format"};
  sqlite3_stmt *s;
  sw_json_array(json, "rows");
  if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK) {
    while (sqlite3_step(s) == SQLITE_ROW) {
      int64_t count = sqlite3_column_int64(s, 6),
              solved = sqlite3_column_int64(s, 7);
      sw_json_object(json, NULL);
      for (int i = 0; i < 5; i++) {
        const unsigned char *text = sqlite3_column_text(s, i);
        sw_json_string(json, names[i], text ? (const char *)text : "");
      }
      sw_json_int(json, "n", sqlite3_column_int64(s, 5));
      sw_json_int(json, "instances", count);
      sw_json_int(json, "solved", solved);
      sw_interval wilson = sw_wilson(solved, count, SW_Z95);
      sw_json_real(json, "low", wilson.low);
      sw_json_real(json, "high", wilson.high);
      sw_json_real(json, "decisions", sqlite3_column_double(s, 8));
      sw_json_end(json);
    }
    sqlite3_finalize(s);
  }
  sw_json_end(json);
}

/* The store may be a foreign file with views that never end. */
static int overdue(void *deadline) { return sw_now() > *(double *)deadline; }

static void list_store(finder *f, const char *path) {
  sqlite3 *db = NULL;
  sw_json_object(f->json, NULL);
  sw_json_string(f->json, "path", path + strlen(f->root) + 1);
  if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK) {
    sqlite3_busy_timeout(db, 1000);
    sqlite3_progress_handler(db, 10000, overdue, &f->deadline);
    write_conditions(db, f->json);
  }
  sqlite3_close(db);
  sw_json_end(f->json);
}

static void look_at(finder *f, const char *path, const char *name) {
  if (f->stores && (!strcmp(name, "results.db") || !strcmp(name, "audit.db"))) {
    list_store(f, path);
    f->found++;
  } else if (!f->stores && ends_with(name, ".html")) {
    sw_json_string(f->json, NULL, path + strlen(f->root) + 1);
    f->found++;
  }
}

static void find(finder *f, const char *folder, int depth) {
  struct dirent **entry;
  int count;
  if (sw_list_directory(folder, &entry, &count, NULL)) return;
  for (int i = 0; i < count; i++) {
    char path[PATH_MAX];
    struct stat status;
    const char *name = entry[i]->d_name;
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (name[0] != '.' && length < (int)sizeof path && f->found < FOUND_MAX &&
        !lstat(path, &status)) {
      if (S_ISDIR(status.st_mode) && depth < DEPTH_MAX)
        find(f, path, depth + 1);
      else if (S_ISREG(status.st_mode)) look_at(f, path, name);
    }
    free(entry[i]);
  }
  free(entry);
}

void sw_serve_results(void *context, const sw_request *request,
                      sw_reply *reply) {
  const sw_server *server = context;
  sw_json json;
  (void)request;
  sw_json_to_text(&json);
  finder f = {.root = server->directory, .json = &json};
  sw_json_object(&json, NULL);
  sw_json_array(&json, "pages");
  if (f.root[0]) find(&f, f.root, 0);
  sw_json_end(&json);
  f.found = 0;
  f.stores = 1;
  f.deadline = sw_now() + QUERY_SECONDS;
  sw_json_array(&json, "stores");
  if (f.root[0]) find(&f, f.root, 0);
  sw_json_end(&json);
  sw_json_end(&json);
  sw_reply_json(reply, 200, &json);
}

/* ---- /files/ ---- */

/* The resolved path of a file inside the directory; 0: there is none such. */
static int inside(const sw_server *server, const char *rest, char *path) {
  char wanted[PATH_MAX];
  struct stat status;
  size_t root = strlen(server->directory);
  int length =
      snprintf(wanted, sizeof wanted, "%s/%s", server->directory, rest);
  if (!root || !rest[0] || length >= (int)sizeof wanted) return 0;
  if (!realpath(wanted, path)) return 0;
  if (strncmp(path, server->directory, root) || path[root] != '/') return 0;
  if (strstr(path + root, "/.")) return 0; /* hidden, or in a hidden folder */
  return !lstat(path, &status) && S_ISREG(status.st_mode) &&
         status.st_size <= FILE_LIMIT;
}

void sw_serve_file(void *context, const sw_request *request, sw_reply *reply) {
  static const struct {
    const char *ending, *type;
    int document;
  } kinds[] = {
#define X(ending, type, document) {ending, type, document},
      FILE_KINDS(X)
#undef X
  };
  char path[PATH_MAX];
  sw_err err = {0};
  sw_fail(&err, SW_NOFILE, "there is no such report");
  if (inside(context, request->rest, path))
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
      char *text;
      size_t bytes;
      if (!ends_with(path, kinds[i].ending)) continue;
      if (sw_read_file(path, FILE_LIMIT, &text, &bytes, &err)) break;
      *reply = (sw_reply){.status = 200,
                          .type = kinds[i].type,
                          .body = text,
                          .bytes = bytes,
                          .sandboxed = kinds[i].document};
      return;
    }
  sw_reply_error(reply, 404, "not_found", &err);
}
