/* Fuzz target: any body sent to the server's handlers. The first byte chooses
 * the handler, the rest is the request (a body, or a path below /files/). Two
 * small untrained models are on offer. */
#include "fuzz.h"
#include "fuzz_model.h"
#include "serve/serve.h"

static sw_server server;

static void prepare(void) {
  static const char *const domains[] = {"sat", "coloring"};
  sw_err err;
  for (int i = 0; i < 2; i++) {
    char path[96];
    fuzz_model(domains[i], 6, path);
    if (sw_shelf_add(&server.shelf, path, 1, &err)) abort();
    unlink(path);
    snprintf(server.shelf.offered[i]->id, sizeof server.shelf.offered[i]->id,
             "%s", domains[i]);
  }
  snprintf(server.directory, sizeof server.directory, "/proc/self/net");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  static void (*const handlers[])(void *, const sw_request *, sw_reply *) = {
      sw_serve_view,   sw_serve_chat, sw_serve_completion,
      sw_serve_models, sw_serve_file, sw_serve_asset};
  if (!server.shelf.count) prepare();
  if (length < 1) return 0;
  char *body = fuzz_text(bytes + 1, length - 1);
  sw_request request = {
      .path = body, .rest = body, .body = body, .bytes = length - 1};
  sw_reply reply = {.status = 500, .type = "text/plain"};
  handlers[bytes[0] % 6](&server, &request, &reply);
  if (reply.status < 200 || reply.status > 599 || !reply.type) abort();
  fuzz_touch(reply.body, reply.bytes);
  if (!reply.constant) free(reply.body);
  free(body);
  return 0;
}
