/* What the page is made of, inside the program: the files of src/serve/assets
 * and a few examples, taken in by the assembler. Also GET /api/start, which
 * tells the page what there is to choose from. */
#include <stdio.h>
#include <string.h>
#include "base/version.h"
#include "serve/serve.h"

/*  X(id, path on the server, file, type) */
#define ASSETS(X)                                                           \
  X(page, "/", "src/serve/assets/index.html", "text/html; charset=utf-8")   \
  X(style, "/assets/style.css", "src/serve/assets/style.css", "text/css")   \
  X(app, "/assets/app.js", "src/serve/assets/app.js", "text/javascript")    \
  X(draw, "/assets/draw.js", "src/serve/assets/draw.js", "text/javascript") \
  X(results, "/assets/results.js", "src/serve/assets/results.js",           \
    "text/javascript")                                                      \
  X(icon, "/assets/icon.svg", "src/serve/assets/icon.svg", "image/svg+xml") \
  EXAMPLES(X)
#define EXAMPLES(X)                                                            \
  X(planted, "/examples/planted-20.cnf", "examples/planted-20.cnf",            \
    "text/plain")                                                              \
  X(petersen, "/examples/petersen.col", "examples/petersen.col", "text/plain") \
  X(sussman, "/examples/sussman.pddl", "examples/sussman.pddl", "text/plain")  \
  X(towers, "/examples/swap-towers.pddl", "examples/swap-towers.pddl",         \
    "text/plain")                                                              \
  X(nested, "/examples/nested.sentence", "examples/nested.sentence",           \
    "text/plain")

#define X(id, path, file, type)                                              \
  __asm__(".section .rodata\n.globl sw_asset_" #id "\n.hidden sw_asset_" #id \
          "\n.hidden sw_asset_" #id "_end\n.globl sw_asset_" #id             \
          "_end\n"                                                           \
          "sw_asset_" #id ":\n.incbin \"" file "\"\nsw_asset_" #id           \
          "_end:\n.byte 0\n.previous");                                      \
  extern const char sw_asset_##id[], sw_asset_##id##_end[];
ASSETS(X)
#undef X

static const struct {
  const char *path, *type, *begin, *end;
} assets[] = {
#define X(id, path, file, type) \
  {path, type, sw_asset_##id, sw_asset_##id##_end},
    ASSETS(X)
#undef X
};
enum { COUNT = sizeof assets / sizeof *assets };

void sw_serve_asset(void *server, const sw_request *request, sw_reply *reply) {
  (void)server;
  for (int i = 0; i < COUNT; i++)
    if (!strcmp(assets[i].path, request->path)) {
      *reply = (sw_reply){.status = 200,
                          .type = assets[i].type,
                          .body = (char *)(uintptr_t)assets[i].begin,
                          .bytes = (size_t)(assets[i].end - assets[i].begin),
                          .constant = 1};
      return;
    }
  sw_err err = {0};
  sw_fail(&err, SW_NOFILE, "there is nothing at this path");
  sw_reply_error(reply, 404, "not_found", &err);
}

static void write_model(const sw_offered_model *b, sw_json *json) {
  const sw_loaded *l = &b->loaded;
  sw_json_object(json, NULL);
  sw_json_string(json, "id", b->id);
  sw_json_string(json, "domain", l->domain->name);
  sw_json_string(json, "label", l->label);
  sw_json_string(json, "mask", sw_mask_name(l->reading.mask));
  sw_json_string(json, "format", l->options.format ? l->options.format : "");
  sw_json_int(json, "n", l->options.n);
  sw_json_int(json, "parameters", sw_net_parameters(l->model));
  sw_json_end(json);
}

void sw_serve_start_page(void *context, const sw_request *request,
                         sw_reply *reply) {
  const sw_server *server = context;
  sw_json json;
  (void)request;
  sw_json_to_text(&json);
  sw_json_object(&json, NULL);
  sw_json_string(&json, "version", SW_VERSION);
  sw_json_bool(&json, "directory", server->directory[0]);
  sw_json_array(&json, "models");
  for (int32_t i = 0; i < server->shelf.count; i++)
    write_model(server->shelf.offered[i], &json);
  sw_json_end(&json);
  sw_json_array(&json, "examples");
#define X(id, path, file, type) sw_json_string(&json, NULL, path);
  EXAMPLES(X)
#undef X
  sw_json_end(&json);
  sw_json_end(&json);
  sw_reply_json(reply, 200, &json);
}
