/* Transfers over libcurl (see transfer.h). */
#include "remote/transfer.h"

#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"

enum { REPLY_LIMIT = 16 << 20 };

/* ---- the key in what the other side says ---- */

/* Length of `c` at `text`, as it is or as an escape of JSON; 0: it is not. */
static size_t spells(const char *text, size_t bytes, unsigned char c) {
  if (!bytes) return 0;
  if ((unsigned char)text[0] == c) return 1;
  if (text[0] != '\\' || bytes < 2) return 0;
  if (text[1] == (char)c && strchr("\"\\/", c)) return 2;
  if (text[1] != 'u' || bytes < 6) return 0;
  unsigned value = 0;
  for (int i = 2; i < 6; i++) {
    int d = sw_lower(text[i]);
    if (!sw_is_digit((char)d) && (d < 'a' || d > 'f')) return 0;
    value = 16 * value + (unsigned)(d <= '9' ? d - '0' : d - 'a' + 10);
  }
  return value == c ? 6 : 0;
}

static size_t key_at(const char *text, size_t bytes, const char *key) {
  size_t used = 0, step;
  for (; *key; key++, used += step) {
    step = spells(text + used, bytes - used, (unsigned char)*key);
    if (!step) return 0;
  }
  return used;
}

void sw_redact(char *text, size_t *bytes, const char *key) {
  static const char instead[] = "[key]"; /* shorter than any key */
  size_t out = 0, found;
  if (!key || strlen(key) < SW_KEY_LEAST) return;
  for (size_t i = 0; i < *bytes;) {
    found = key_at(text + i, *bytes - i, key);
    if (found) {
      memcpy(text + out, instead, sizeof instead - 1);
      out += sizeof instead - 1;
      i += found;
    } else {
      text[out++] = text[i++];
    }
  }
  if (out < *bytes) text[out] = 0;
  *bytes = out;
}

/* ---- connections ---- */

struct sw_wire {
  CURL *curl;
  struct curl_slist *headers;
  char *key; /* NULL: none */
  char error[CURL_ERROR_SIZE];
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void start_curl(void) { curl_global_init(CURL_GLOBAL_DEFAULT); }

int sw_wire_new(sw_wire **wire, const char *key, sw_err *err) {
  pthread_once(&once, start_curl);
  sw_wire *w = calloc(1, sizeof *w);
  *wire = w;
  if (!w) return sw_no_memory(err);
  w->curl = curl_easy_init();
  w->headers = curl_slist_append(NULL, "Content-Type: application/json");
  if (key && *key && !(w->key = strdup(key))) return sw_no_memory(err);
  if (key && *key && w->headers) {
    size_t room = strlen(key) + 32;
    char *line = malloc(room);
    struct curl_slist *longer = NULL;
    if (line) {
      snprintf(line, room, "Authorization: Bearer %s", key);
      longer = curl_slist_append(w->headers, line);
      memset(line, 0, room);
      free(line);
    }
    if (!longer) return sw_no_memory(err);
    w->headers = longer;
  }
  return w->curl && w->headers ? SW_OK : sw_no_memory(err);
}

void sw_wire_free(sw_wire *w) {
  if (!w) return;
  curl_easy_cleanup(w->curl);
  curl_slist_free_all(w->headers);
  if (w->key) memset(w->key, 0, strlen(w->key));
  free(w->key);
  free(w);
}

static size_t receive(char *data, size_t size, size_t count, void *context) {
  sw_buffer *b = context;
  size_t bytes = size * count;
  if (b->bytes + bytes > REPLY_LIMIT) {
    b->too_large = 1;
    return 0;
  }
  if (b->bytes + bytes + 1 > b->room) {
    size_t room = 2 * (b->bytes + bytes) + 1024;
    char *grown = realloc(b->data, room);
    if (!grown) {
      b->no_memory = 1;
      return 0;
    }
    b->data = grown;
    b->room = room;
  }
  memcpy(b->data + b->bytes, data, bytes);
  b->bytes += bytes;
  b->data[b->bytes] = 0;
  return bytes;
}

/* libcurl asks this at least once a second; 1 ends the transfer. */
static int stopping(void *context, curl_off_t a, curl_off_t b, curl_off_t c,
                    curl_off_t d) {
  const sw_transfer *t = context;
  (void)a, (void)b, (void)c, (void)d;
  return t->stop && t->stop(NULL);
}

static int transfer(sw_wire *w, const char *url, const char *body,
                    sw_buffer *reply, sw_transfer *t, sw_err *err) {
  CURL *c = w->curl;
  curl_off_t after = 0;
  reply->bytes = 0;
  reply->too_large = reply->no_memory = 0;
  if (!reply->data) {
    reply->room = 1024;
    reply->data = calloc(1, reply->room);
    if (!reply->data) return sw_no_memory(err);
  }
  reply->data[0] = 0;
  w->error[0] = 0;
  curl_easy_reset(c);
  curl_easy_setopt(c, CURLOPT_URL, url);
  curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
  /* a proxy of the environment would read the key; https it only passes on */
  if (!strncmp(url, "http://", 7)) curl_easy_setopt(c, CURLOPT_PROXY, "");
  curl_easy_setopt(c, CURLOPT_HTTPHEADER, w->headers);
  curl_easy_setopt(c, CURLOPT_USERAGENT, "statewise");
  curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, (long)(1000 * t->timeout));
  curl_easy_setopt(c, CURLOPT_ERRORBUFFER, w->error);
  curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, receive);
  curl_easy_setopt(c, CURLOPT_WRITEDATA, reply);
  curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, stopping);
  curl_easy_setopt(c, CURLOPT_XFERINFODATA, t);
  if (body) {
    curl_easy_setopt(c, CURLOPT_POSTFIELDS, body);
    curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(body));
  }
  errno = 0;
  CURLcode result = curl_easy_perform(c);
  /* libcurl says this of a header beyond its limits, too */
  int no_memory = result == CURLE_OUT_OF_MEMORY && errno == ENOMEM;
  if (no_memory || reply->no_memory) return sw_no_memory(err);
  if (result == CURLE_ABORTED_BY_CALLBACK) {
    sw_fail(err, SW_STOPPED, "%.200s: stopped while waiting for it", url);
    return sw_hint(err, "what was answered is kept; run again to go on");
  }
  if (result == CURLE_URL_MALFORMAT) { /* asking again would not help */
    sw_fail(err, SW_USAGE, "`%.200s` is no address of an endpoint", url);
    return sw_hint(err, "for example http://127.0.0.1:8177/v1");
  }
  if (result == CURLE_OK) {
    curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &t->status);
    curl_easy_getinfo(c, CURLINFO_RETRY_AFTER, &after);
    t->retry_after = (double)after;
    sw_redact(reply->data, &reply->bytes, w->key);
  } else {
    size_t length = strlen(w->error);
    sw_redact(w->error, &length, w->key);
    snprintf(t->trouble, sizeof t->trouble, "%s",
             reply->too_large                ? "its reply is larger than 16 MiB"
             : result == CURLE_OUT_OF_MEMORY ? "its header is too large"
             : w->error[0]                   ? w->error
                                             : curl_easy_strerror(result));
  }
  return SW_OK;
}

int sw_wire_post(sw_wire *w, const char *url, const char *body,
                 sw_buffer *reply, sw_transfer *t, sw_err *err) {
  return transfer(w, url, body, reply, t, err);
}

int sw_wire_get(sw_wire *w, const char *url, sw_buffer *reply, sw_transfer *t,
                sw_err *err) {
  return transfer(w, url, NULL, reply, t, err);
}
