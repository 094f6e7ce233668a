/* Inside src/serve: a question to the endpoint, between its reading
 * (endpoint.c) and its answer (endpoint_answer.c). */
#ifndef SW_SERVE_ENDPOINT_INSIDE_H
#define SW_SERVE_ENDPOINT_INSIDE_H
#include "serve/serve.h"

enum { TOP_MAX = 20 };

typedef struct sw_endpoint_question {
  sw_offered_model *offered;
  sw_messages messages;
  sw_trace trace;
  int32_t candidate[SW_WORDS_CHOICES], count;
  double log_p[SW_WORDS_CHOICES];
  int order[SW_WORDS_CHOICES]; /* candidates, most probable first */
  int best, top;               /* top: log-probabilities wanted; 0: none */
  int chat, stream, usage;     /* usage: wanted at the end of a stream */
  int warm;                    /* a temperature was asked for, and taken as 0 */
} sw_endpoint_question;

/* The reply: one JSON document, or server-sent events. */
void sw_endpoint_answer(const sw_endpoint_question *question, sw_reply *reply);

#endif
