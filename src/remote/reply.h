/* Reading an endpoint's reply (inside src/remote and its tests). */
#ifndef SW_REMOTE_REPLY_H
#define SW_REMOTE_REPLY_H
#include "remote/client.h"

/* Values of a reply at most: a list of empty objects takes 300 times its
 * bytes. */
enum { SW_REPLY_VALUES = 50000 };

/* SW_OK: a completion of the expected shape (answer->choice may still be 0).
 * SW_DATA: not JSON, cut off, or another shape: to be tried again. */
int sw_reply_read(const char *body, size_t bytes, int chat, int choices,
                  sw_remote_answer *answer, int64_t *answer_tokens, char *text,
                  size_t room, sw_err *err);
/* The number an answer names: the one it begins with, or the only one in it
 * that is a choice; 0: none. */
int sw_reply_choice(const char *text, int choices);
/* Do these mean that the question is too long for the model? */
int sw_reply_overflow(const char *code, const char *message);
/* The message and code of an error reply, "" where there is none. */
void sw_reply_trouble(const char *body, size_t bytes, char *message,
                      size_t room, char *code, size_t code_room);

#endif
