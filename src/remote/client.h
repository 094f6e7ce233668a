/* A client for completion endpoints (the shape that llama.cpp, vLLM and OpenAI
 * share): one conversation in, the number of a choice out.
 *
 *   key        from an environment variable; sent as a bearer token, never
 *              stored, printed or put into a message; taken out of what the
 *              endpoint says
 *   trouble    time-outs, cut connections, 408, 409, 425, 429, 5xx and bodies
 *              that are not what they should be are tried again, each time
 *              after a longer pause (or as long as Retry-After says; more than
 *              ten minutes end the run)
 *   limits     requests and tokens; when one is reached SW_STOPPED says so, and
 *              nothing that was paid for is lost:
 *   cache      every usable answer is a file named after the hash of address
 *              and request, so the same question is never asked twice
 *
 * Several questions can be asked at once, one a member of a team; each member
 * has a connection of its own. */
#ifndef SW_REMOTE_CLIENT_H
#define SW_REMOTE_CLIENT_H
#include "base/options.h"
#include "search/words.h"

/* clang-format off */
#define SW_REMOTE_OPTIONS(X)                                                   \
  X(guide, TEXT, "guide", "", 0, 0, "", "address of an endpoint (http://HOST/v1) whose model plays in words") \
  X(guide_model, TEXT, "guide-model", "", 0, 0, "", "name of the model there; default: the first it lists") \
  X(guide_api, CHOICE, "guide-api", "chat", 0, 0, "chat|completions", "which of the two calls is used") \
  X(guide_key, TEXT, "guide-key", "STATEWISE_API_KEY", 0, 0, "", "name of the environment variable that holds the key") \
  X(guide_cache, TEXT, "guide-cache", "out/guide-cache", 0, 0, "", "folder that keeps every answer; none: keep nothing") \
  X(guide_requests, LONG, "guide-requests", "100000", 0, 1e12, "", "most requests of this run, repeated ones included; 0: no limit") \
  X(guide_tokens, LONG, "guide-tokens", "0", 0, 1e15, "", "most tokens of this run, as the endpoint counts them; 0: no limit") \
  X(guide_timeout, REAL, "guide-timeout", "120", 0.01, 1e6, "", "seconds to wait for an answer") \
  X(guide_retries, INT, "guide-retries", "6", 0, 100, "", "how often a failed request is tried again") \
  X(guide_pause, REAL, "guide-pause", "0.5", 0, 1e4, "", "seconds before the first repetition; each further one waits twice as long, at most a minute") \
  X(guide_parallel, INT, "guide-parallel", "4", 1, 64, "", "requests under way at the same time")
/* clang-format on */

typedef struct sw_remote_options {
  SW_REMOTE_OPTIONS(SW_OPTION_FIELD)
} sw_remote_options;
extern const sw_option sw_remote_table[];
extern const int sw_remote_table_count;

/* What was spent so far. Cached answers count in `answers` and in the tokens
 * they cost when they were asked, not in `requests`. */
typedef struct sw_remote_spent {
  int64_t answers, requests, repeats, cached, reminders, unreadable;
  int64_t prompt_tokens, answer_tokens; /* of all answers */
  int64_t paid_tokens;                  /* of this run's requests */
} sw_remote_spent;

/* An answer. choice 0: what came back names no choice. */
enum { SW_REMOTE_CHOICES = 512 };
typedef struct sw_remote_answer {
  int choice;       /* from 1 */
  int has_logprobs; /* log_p is filled: of every choice the endpoint gave */
  double log_p[SW_REMOTE_CHOICES]; /* by choice; -INFINITY: not given */
  int64_t prompt_tokens;
} sw_remote_answer;

typedef struct sw_client sw_client;
/* Also asks for the model's name when none is given. */
int sw_client_new(sw_client **client, const sw_remote_options *options,
                  int (*stop)(void *), sw_err *err);
void sw_client_free(sw_client *client);
const char *sw_client_model(const sw_client *client);
const char *sw_client_address(const sw_client *client);
int sw_client_parallel(const sw_client *client);
sw_remote_spent sw_client_spent(const sw_client *client);
/* Any request. `usable` reads a reply and fills in the tokens of question and
 * answer. SW_DATA: not a valid reply, the request is repeated. */
typedef struct sw_post {
  const char *body; /* JSON */
  const char *salt; /* not sent: the same body is asked anew under another */
  int tolerant;     /* 1: a refusal (4xx) is no error, `status` tells it */
  int (*usable)(const char *reply, size_t bytes, void *context,
                int64_t tokens[2], sw_err *err);
  void *context;
  long status; /* out */
} sw_post;
int sw_client_post(sw_client *client, int member, sw_post *post, sw_err *err);

/* `member` names the connection. SW_LIMIT: the endpoint says that the
 * conversation is too long for it. SW_STOPPED: a limit of ours, a signal, or
 * the endpoint stayed in trouble; run again to go on. */
int sw_client_ask(sw_client *client, int member, const sw_messages *messages,
                  int choices, sw_remote_answer *answer, sw_err *err);

#endif
