/* Small messages at any time (see ranks.h): results as they come, and the word
 * to stop. What is posted is copied, and its copy lives until it has left. */
#include <stdlib.h>
#include <string.h>
#include "base/ranks.h"
#include "base/ranks_link.h"
#include "base/ranks_wait.h"

typedef struct letter {
  sw_link_op op;
  struct letter *next;
  char data[SW_POST_MOST];
} letter;

static letter *outbox; /* on their way */
static struct {
  sw_link_op op;
  char data[SW_POST_MOST];
  int open;
} inbox;

/* Forgets those that have left; 0, or SW_LOST. */
static int tidy(sw_err *err) {
  for (letter **at = &outbox; *at;) {
    letter *this = *at;
    int done = sw_wait_test(&this->op);
    if (done < 0) return sw_wait(&this->op, err);
    if (done) {
      *at = this->next;
      free(this);
    } else {
      at = &this->next;
    }
  }
  return SW_OK;
}

int sw_ranks_post(int to, const void *data, size_t bytes, sw_err *err) {
  SW_TRY(tidy(err));
  letter *l = calloc(1, sizeof *l);
  if (!l || bytes > SW_POST_MOST) {
    free(l);
    return sw_no_memory_for(err, "a message of %zu bytes", bytes);
  }
  memcpy(l->data, data, bytes);
  l->next = outbox;
  outbox = l;
  sw_wait_send(to, SW_CHANNEL_POST, l->data, SW_POST_MOST, &l->op);
  return SW_OK;
}

int sw_ranks_poll(void *data, size_t bytes, sw_err *err) {
  if (sw_ranks_count() == 1) return 0;
  if (!inbox.open) {
    sw_wait_receive(-1, SW_CHANNEL_POST, inbox.data, SW_POST_MOST, &inbox.op);
    inbox.open = 1;
  }
  int came = sw_wait_test(&inbox.op);
  if (came < 0) return sw_wait(&inbox.op, err), -1;
  if (!came) return 0;
  inbox.open = 0;
  memcpy(data, inbox.data, bytes < SW_POST_MOST ? bytes : SW_POST_MOST);
  return 1;
}

void sw_post_stop(void) {
  tidy(NULL);
  if (inbox.open) {
    sw_link_lock();
    sw_link_cancel(&inbox.op);
    sw_link_unlock();
  }
  inbox.open = 0;
}
