/* A guide that is a model behind an endpoint: it is told the search in words
 * (search/words.h) and answers with the number of a choice. Protocol cumulative
 * keeps the whole conversation as turns, rebuilt tells the problem and the
 * current state only. Games in lock-step are asked at the same time.
 *
 * Scores are the log-probabilities of the choices' numbers where the endpoint
 * gives them, else 1 for the choice that was named and 0 for the others. An
 * answer that names none, also after being reminded, ends the game with
 * `unreadable`; a conversation that is too long for the endpoint with `budget`.
 */
#ifndef SW_REMOTE_GUIDE_REMOTE_H
#define SW_REMOTE_GUIDE_REMOTE_H
#include "remote/client.h"
#include "search/loop.h"

/* `options` (the task's, resolved) and `client` must outlive the guide.
 * SW_USAGE: a domain without words, or a format with a scratchpad. */
int sw_guide_remote(sw_guide **guide, sw_client *client,
                    const sw_domain *domain, const sw_domain_options *options,
                    sw_err *err);

#endif
