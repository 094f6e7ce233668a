/* The client (see client.h): limits, repetitions and the cache around single
 * transfers (transfer.c). */
#include "remote/client.h"

#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/file.h"
#include "base/hash.h"
#include "base/json_read.h"
#include "base/text.h"
#include "remote/reply.h"
#include "remote/transfer.h"

const sw_option sw_remote_table[] = {
#define X(...) SW_OPTION_ROW(sw_remote_options, __VA_ARGS__)
    SW_REMOTE_OPTIONS(X)
#undef X
};
const int sw_remote_table_count =
    sizeof sw_remote_table / sizeof *sw_remote_table;

/* Our own pauses grow to a minute. An endpoint may ask for up to ten minutes;
 * beyond that the run ends with a message. */
enum { LONGEST_PAUSE = 60, LONGEST_ASKED = 600, ANSWER_ROOM = 4000 };
static const char REMINDER[] =
    "That does not name one choice. Answer with one number.";

struct sw_client {
  sw_remote_options o;
  char address[1024]; /* without a slash at the end */
  char model[256];
  sw_wire **wire; /* [parallel] */
  int (*stop)(void *);
  pthread_mutex_t lock; /* around spent */
  sw_remote_spent spent;
};

const char *sw_client_model(const sw_client *c) { return c->model; }
const char *sw_client_address(const sw_client *c) { return c->address; }
int sw_client_parallel(const sw_client *c) { return c->o.guide_parallel; }

sw_remote_spent sw_client_spent(const sw_client *c) { return c->spent; }

/* ---- limits ---- */

/* Takes one request out of what is left. */
static int may_ask(sw_client *c, int repeated, sw_err *err) {
  int code = SW_OK;
  pthread_mutex_lock(&c->lock);
  if (c->o.guide_requests && c->spent.requests >= c->o.guide_requests) {
    sw_fail(err, SW_STOPPED, "%s: the limit of %lld requests is reached",
            c->address, (long long)c->o.guide_requests);
    code = sw_hint(err, "raise --guide-requests and run again to go on");
  } else if (c->o.guide_tokens && c->spent.paid_tokens >= c->o.guide_tokens) {
    sw_fail(err, SW_STOPPED, "%s: the limit of %lld tokens is reached",
            c->address, (long long)c->o.guide_tokens);
    code = sw_hint(err, "raise --guide-tokens and run again to go on");
  } else {
    c->spent.requests++;
    c->spent.repeats += repeated;
  }
  pthread_mutex_unlock(&c->lock);
  return code;
}

static void count_answer(sw_client *c, const int64_t tokens[2], int cached) {
  pthread_mutex_lock(&c->lock);
  c->spent.answers++;
  c->spent.cached += cached;
  c->spent.prompt_tokens += tokens[0];
  c->spent.answer_tokens += tokens[1];
  if (!cached) c->spent.paid_tokens += tokens[0] + tokens[1];
  pthread_mutex_unlock(&c->lock);
}

static int stopping(const sw_client *c) { return c->stop && c->stop(NULL); }

/* Sleeps in short pieces, so that a signal ends it. */
static int pause_for(const sw_client *c, double seconds) {
  while (seconds > 0 && !stopping(c)) {
    double piece = seconds < 0.1 ? seconds : 0.1;
    struct timespec t = {0, (long)(piece * 1e9)};
    nanosleep(&t, NULL);
    seconds -= piece;
  }
  return stopping(c);
}

/* ---- cache ---- */

static void cache_path(const sw_client *c, const char *body, const char *salt,
                       char *path, size_t room) {
  sw_sha sha;
  char hex[65];
  sw_sha256_init(&sha);
  sw_sha_update(&sha, c->address, strlen(c->address) + 1);
  sw_sha_update(&sha, c->o.guide_api ? "completions" : "chat",
                c->o.guide_api ? 12 : 5);
  sw_sha_update(&sha, body, strlen(body) + (salt[0] != 0));
  sw_sha_update(&sha, salt, strlen(salt));
  sw_sha_hex(&sha, hex);
  snprintf(path, room, "%.900s/%.2s/%s.json", c->o.guide_cache, hex, hex);
}

static int keeps(const sw_client *c) {
  return c->o.guide_cache && strcmp(c->o.guide_cache, "none");
}

/* Keeps what was paid for; a cache that cannot be written is an error, since
 * an audit that cannot resume would ask everything twice. */
static int keep(const sw_client *c, const char *path, const sw_buffer *reply,
                sw_err *err) {
  char folder[1024];
  if (!keeps(c)) return SW_OK;
  snprintf(folder, sizeof folder, "%.1000s", path);
  *strrchr(folder, '/') = 0;
  SW_TRY(sw_make_dirs(folder, err));
  /* Unlink a pipe first: writing would not replace it, and would wait for a
   * reader. */
  if (sw_path_exists(path) && !sw_is_regular(path)) unlink(path);
  return sw_write_file(path, reply->data, reply->bytes, err);
}

/* ---- one question ---- */

/* Trouble that passes. */
static int passing(long status) {
  return status == 0 || status == 408 || status == 409 || status == 425 ||
         status == 429 || status >= 500;
}

/* What a refusal means. */
static int refused(const sw_client *c, long status, const sw_buffer *reply,
                   sw_err *err) {
  char message[400], code[64];
  sw_reply_trouble(reply->data, reply->bytes, message, sizeof message, code,
                   sizeof code);
  if (status == 413 || sw_reply_overflow(code, message))
    return sw_fail(err, SW_LIMIT, "%s: %s", c->address, message);
  sw_fail(err, status == 400 || status == 422 ? SW_DATA : SW_USAGE,
          "%s answers %ld%s%s", c->address, status, message[0] ? ": " : "",
          message);
  if (status == 401 || status == 403)
    return sw_hint(err, "put the key into the environment variable %s",
                   c->o.guide_key ? c->o.guide_key : "STATEWISE_API_KEY");
  return sw_hint(err,
                 "is this the address of a completion endpoint, and is"
                 " --guide-model right?");
}

static int give_up(const sw_client *c, const char *why, sw_err *err) {
  sw_fail(err, SW_STOPPED, "%s: gave up after %d tries: %s", c->address,
          c->o.guide_retries + 1, why);
  return sw_hint(err, "what was answered is kept; run again to go on");
}

/* An endpoint that asks for a pause of hours is not asked again sooner. */
static int too_long_a_wait(const sw_client *c, double seconds, sw_err *err) {
  sw_fail(err, SW_STOPPED, "%s asks for a pause of %.0f s (Retry-After)",
          c->address, seconds);
  return sw_hint(err, "what was answered is kept; run again after that time");
}

/* Sleeps before another try: a pause of ours, longer each time, or what the
 * endpoint asked for. */
static int wait_again(const sw_client *c, double *pause, double asked,
                      sw_err *err) {
  double wait = *pause < LONGEST_PAUSE ? *pause : LONGEST_PAUSE;
  if (asked > LONGEST_ASKED) return too_long_a_wait(c, asked, err);
  *pause = 2 * wait;
  if (pause_for(c, asked > wait ? asked : wait))
    return sw_fail(err, SW_STOPPED, "stopped while waiting");
  return SW_OK;
}

/* Tries until there is a usable reply. */
static int fetch(sw_client *c, int member, sw_post *post, sw_buffer *reply,
                 int64_t tokens[2], sw_err *err) {
  double pause = c->o.guide_pause, asked = 0;
  char url[1200], why[300] = "";
  snprintf(url, sizeof url, "%s/%s", c->address,
           c->o.guide_api ? "completions" : "chat/completions");
  for (int turn = 0; turn <= c->o.guide_retries; turn++) {
    sw_transfer t = {.timeout = c->o.guide_timeout, .stop = c->stop};
    if (turn) SW_TRY(wait_again(c, &pause, asked, err));
    SW_TRY(may_ask(c, turn > 0, err));
    SW_TRY(sw_wire_post(c->wire[member], url, post->body, reply, &t, err));
    post->status = t.status;
    if (t.status == 200) {
      sw_err bad = {0};
      int code =
          post->usable(reply->data, reply->bytes, post->context, tokens, &bad);
      if (code != SW_DATA) {
        if (code && err) *err = bad;
        return code;
      }
      snprintf(why, sizeof why, "%.280s", bad.text);
      asked = 0;
      continue;
    }
    if (!passing(t.status))
      return post->tolerant && t.status != 401 && t.status != 403
                 ? SW_OK
                 : refused(c, t.status, reply, err);
    asked = t.retry_after;
    if (t.status) snprintf(why, sizeof why, "it answers %ld", t.status);
    else snprintf(why, sizeof why, "%.280s", t.trouble);
  }
  return give_up(c, why, err);
}

/* A refusal that is no error is kept as what it was. */
static const char REFUSED[] = "{\"refused\":%ld}";

static int read_kept(const char *path, sw_post *post, sw_buffer *reply,
                     int64_t tokens[2]) {
  long status;
  if (!sw_is_regular(path) || /* a pipe there would be waited for */
      sw_read_file(path, 1 << 24, &reply->data, &reply->bytes, NULL))
    return 0;
  if (post->tolerant && sscanf(reply->data, REFUSED, &status) == 1) {
    post->status = status;
    return 1;
  }
  post->status = 200;
  return !post->usable(reply->data, reply->bytes, post->context, tokens, NULL);
}

static int fetch_and_keep(sw_client *c, int member, sw_post *post,
                          const char *path, sw_buffer *reply, int64_t tokens[2],
                          sw_err *err) {
  SW_TRY(fetch(c, member, post, reply, tokens, err));
  if (post->status == 200) return keep(c, path, reply, err);
  char text[64];
  sw_buffer note = {.data = text};
  note.bytes = (size_t)snprintf(text, sizeof text, REFUSED, post->status);
  return keep(c, path, &note, err);
}

int sw_client_post(sw_client *c, int member, sw_post *post, sw_err *err) {
  char path[1200];
  int64_t tokens[2] = {0, 0};
  sw_buffer reply = {0};
  if (stopping(c)) return sw_fail(err, SW_STOPPED, "stopped");
  cache_path(c, post->body, post->salt, path, sizeof path);
  int cached = keeps(c) && read_kept(path, post, &reply, tokens);
  int code = cached
                 ? SW_OK
                 : fetch_and_keep(c, member, post, path, &reply, tokens, err);
  if (!code && post->status == 200) count_answer(c, tokens, cached);
  free(reply.data);
  return code;
}

/* ---- a choice in words ---- */

static char *request_text(const sw_client *c, const sw_messages *m) {
  json_t *body = json_object();
  json_object_set_new(body, "model", json_string(c->model));
  if (c->o.guide_api) {
    char *prompt = sw_messages_flat(m);
    json_object_set_new(body, "prompt", json_string(prompt ? prompt : ""));
    json_object_set_new(body, "logprobs", json_integer(5));
    free(prompt);
  } else {
    json_t *list = json_array();
    for (int32_t i = 0; i < m->count; i++)
      json_array_append_new(
          list, json_pack("{s:s, s:s}", "role", sw_role_name(m->item[i].role),
                          "content", m->item[i].text));
    json_object_set_new(body, "messages", list);
    json_object_set_new(body, "logprobs", json_true());
    json_object_set_new(body, "top_logprobs", json_integer(20));
  }
  json_object_set_new(body, "max_tokens", json_integer(16));
  json_object_set_new(body, "temperature", json_integer(0));
  char *text = json_dumps(body, JSON_COMPACT | JSON_SORT_KEYS);
  json_decref(body);
  return text;
}

typedef struct reading {
  int chat, choices;
  sw_remote_answer *answer;
  char *text; /* [ANSWER_ROOM] */
} reading;

static int read_words(const char *reply, size_t bytes, void *context,
                      int64_t tokens[2], sw_err *err) {
  reading *r = context;
  SW_TRY(sw_reply_read(reply, bytes, r->chat, r->choices, r->answer, &tokens[1],
                       r->text, ANSWER_ROOM, err));
  tokens[0] = r->answer->prompt_tokens;
  return SW_OK;
}

static int ask_once(sw_client *c, int member, const sw_messages *m, int choices,
                    sw_remote_answer *a, char *text, sw_err *err) {
  char *body = request_text(c, m);
  if (!body) return sw_no_memory(err);
  reading r = {!c->o.guide_api, choices, a, text};
  sw_post post = {
      .body = body, .salt = "", .usable = read_words, .context = &r};
  int code = sw_client_post(c, member, &post, err);
  free(body);
  return code;
}

int sw_client_ask(sw_client *c, int member, const sw_messages *m, int choices,
                  sw_remote_answer *a, sw_err *err) {
  char text[ANSWER_ROOM];
  if (stopping(c)) return sw_fail(err, SW_STOPPED, "stopped");
  if (choices > SW_REMOTE_CHOICES)
    return sw_fail(err, SW_LIMIT, "%d choices are too many", choices);
  SW_TRY(ask_once(c, member, m, choices, a, text, err));
  if (a->choice) return SW_OK;
  /* Prose: say once what is wanted, as a further turn. */
  sw_messages again = {0};
  for (int32_t i = 0; i < m->count; i++)
    sw_messages_add(&again, m->item[i].role, m->item[i].text,
                    strlen(m->item[i].text));
  sw_messages_add(&again, SW_ASSISTANT, text, strlen(text));
  sw_messages_add(&again, SW_USER, REMINDER, sizeof REMINDER - 1);
  int code = again.failed ? sw_no_memory(err)
                          : ask_once(c, member, &again, choices, a, text, err);
  sw_messages_free(&again);
  pthread_mutex_lock(&c->lock);
  c->spent.reminders++;
  c->spent.unreadable += !code && !a->choice;
  pthread_mutex_unlock(&c->lock);
  return code;
}

/* ---- opening ---- */

/* The first model the endpoint lists. */
static int find_model(sw_client *c, sw_err *err) {
  char url[1200];
  sw_buffer reply = {0};
  double pause = c->o.guide_pause, asked = 0;
  long status = 0;
  snprintf(url, sizeof url, "%s/models", c->address);
  for (int turn = 0; turn <= c->o.guide_retries; turn++) {
    sw_transfer t = {.timeout = c->o.guide_timeout, .stop = c->stop};
    int code = turn ? wait_again(c, &pause, asked, err) : SW_OK;
    if (!code) code = may_ask(c, turn > 0, err);
    if (!code) code = sw_wire_get(c->wire[0], url, &reply, &t, err);
    if (code) {
      free(reply.data);
      return code;
    }
    status = t.status;
    asked = t.retry_after;
    json_t *list = NULL;
    if (sw_json_read_bounded(&list, reply.data, reply.bytes, SW_REPLY_VALUES) ==
        SW_MEMORY) {
      free(reply.data);
      return sw_no_memory(err);
    }
    const char *id = json_string_value(json_object_get(
        json_array_get(json_object_get(list, "data"), 0), "id"));
    /* it is printed, kept and sent back: one harmless line */
    if (status == 200 && id) sw_clean_text(c->model, sizeof c->model, id);
    json_decref(list);
    if (c->model[0] || (status != 200 && !passing(status))) break;
  }
  int code = SW_OK;
  if (!c->model[0]) {
    if (status == 0 || passing(status))
      code = give_up(c, "it does not list its models", err);
    else code = refused(c, status, &reply, err);
  }
  free(reply.data);
  return code;
}

static int check_address(sw_client *c, sw_err *err) {
  const char *url = c->o.guide;
  size_t length = url ? strlen(url) : 0;
  size_t scheme = !length                        ? 0
                  : !strncmp(url, "http://", 7)  ? 7
                  : !strncmp(url, "https://", 8) ? 8
                                                 : 0;
  if (!scheme || length > 900 || !url[scheme] || url[scheme] == '/') {
    sw_fail(err, SW_USAGE, "`%.100s` is no address of an endpoint",
            url ? url : "");
    return sw_hint(err, "for example http://127.0.0.1:8177/v1");
  }
  if (strchr(url, '@') || strchr(url, '?') || strchr(url, '#')) {
    sw_fail(err, SW_USAGE,
            "the address of an endpoint holds no name, key or"
            " query");
    return sw_hint(err, "keys come from the environment (--guide-key NAME)");
  }
  snprintf(c->address, sizeof c->address, "%s", url);
  while (length && c->address[length - 1] == '/') c->address[--length] = 0;
  /* An address that is only a server's root gets the usual path. */
  if (!strchr(c->address + scheme, '/'))
    snprintf(c->address + length, sizeof c->address - length, "/v1");
  return SW_OK;
}

/* A line end in a key would add a header of its own to every request. */
static int check_key(const char *name, const char *key, sw_err *err) {
  for (const char *k = key; k && *k; k++)
    if ((unsigned char)*k < ' ' || *k == 0x7f) {
      sw_fail(err, SW_USAGE,
              "the key in %s holds a line end or another control character",
              name);
      return sw_hint(err, "set it again without (it is not shown here)");
    }
  return SW_OK;
}

int sw_client_new(sw_client **client, const sw_remote_options *options,
                  int (*stop)(void *), sw_err *err) {
  *client = NULL;
  sw_client *c = calloc(1, sizeof *c);
  if (!c) return sw_no_memory(err);
  c->o = *options;
  c->stop = stop;
  pthread_mutex_init(&c->lock, NULL);
  int code = check_address(c, err);
  const char *name = options->guide_key ? options->guide_key : "";
  const char *key = name[0] ? getenv(name) : NULL;
  if (!code) code = check_key(name, key, err);
  if (!code) {
    c->wire = calloc((size_t)options->guide_parallel, sizeof *c->wire);
    if (!c->wire) code = sw_no_memory(err);
  }
  for (int i = 0; !code && i < options->guide_parallel; i++)
    code = sw_wire_new(&c->wire[i], key, err);
  if (!code && options->guide_model)
    snprintf(c->model, sizeof c->model, "%.250s", options->guide_model);
  else if (!code) code = find_model(c, err);
  if (code) {
    sw_client_free(c);
    return code;
  }
  *client = c;
  return SW_OK;
}

void sw_client_free(sw_client *c) {
  if (!c) return;
  for (int i = 0; c->wire && i < c->o.guide_parallel; i++)
    sw_wire_free(c->wire[i]);
  free(c->wire);
  pthread_mutex_destroy(&c->lock);
  free(c);
}
