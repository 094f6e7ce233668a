/* Blocks World in English (domains/lexicon.h). */
#include <stdio.h>
#include "domains/blocks/blocks_env.h"
#include "domains/lexicon.h"

static const struct {
  int32_t token;
  const char *phrase;
} phrases[] = {{SW_BLOCKS_BOS, "Blocks."},
               {SW_BLOCKS_EOS, " End."},
               {SW_BLOCKS_SEP, ".\n"},
               {SW_BLOCKS_STATE, "State:"},
               {SW_BLOCKS_GOAL, " Goal:"},
               {SW_BLOCKS_MOVE, " Move"},
               {SW_BLOCKS_BACKTRACK, " Back."},
               {SW_BLOCKS_SOLVED, " Solved!"},
               {SW_BLOCKS_FAILED, " Nothing is left to try."},
               {SW_BLOCKS_TRIED, "Tried here, and failed:"},
               {SW_BLOCKS_END_TRIED, " ;\n"},
               {SW_BLOCKS_EMPTY, " empty"}};

static int phrase(const sw_domain *domain, int32_t token, char *buffer,
                  size_t room) {
  (void)domain;
  for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
    if (phrases[i].token == token)
      return snprintf(buffer, room, "%s", phrases[i].phrase);
  if (token >= SW_BLOCKS_FIRST_STACK &&
      token < SW_BLOCKS_FIRST_STACK + SW_BLOCKS_STACKS_MAX)
    return snprintf(buffer, room, " S%d", (int)(token - SW_BLOCKS_FIRST_STACK));
  for (int32_t b = 0; b < SW_BLOCKS_VOCAB_BLOCKS; b++)
    if (token == sw_blocks_block_token(b))
      return snprintf(buffer, room, " b%d", (int)b);
  if (token >= SW_BLOCKS_VOCAB)
    return snprintf(buffer, room, " b%d",
                    (int)(token - SW_BLOCKS_VOCAB + SW_BLOCKS_VOCAB_BLOCKS));
  return snprintf(buffer, room, " <%d>", (int)token);
}

static int choice(const sw_domain *domain, int32_t token, char *buffer,
                  size_t room) {
  (void)domain;
  char text[SW_PHRASE_ROOM];
  if (token == SW_BLOCKS_BACKTRACK) return snprintf(buffer, room, "go back");
  if (token == SW_BLOCKS_MOVE) return snprintf(buffer, room, "move a block");
  if (token == SW_BLOCKS_SOLVED) return snprintf(buffer, room, "solved");
  phrase(domain, token, text, sizeof text);
  return snprintf(buffer, room, "%s", text + (text[0] == ' '));
}

static void rules(const sw_domain_options *options, FILE *out) {
  (void)options;
  fputs(
      "You guide a backtracking search that moves blocks one at a time from "
      "the state to the goal. S0, S1, ... are places on a table; \"S0 b1 b2\" "
      "says that at S0 block b1 lies on the table and b2 on top of it. Only "
      "the top block of a place can be moved, onto the top of another place. "
      "The order of the places does not matter for the goal. \"Tried here, "
      "and failed: b1 S0 S2\" says that moving b1 from S0 to S2 has been "
      "tried in this very state, or leads to a state that was visited "
      "before. If every possible move is in that list the state is a dead "
      "end: go back. If not, move: choose the block, then where it goes.",
      out);
}

static void stacks(const sw_blocks_state *state, const char *key,
                   sw_json *json) {
  uint16_t block[SW_BLOCKS_MAX];
  sw_json_array(json, key);
  for (int32_t s = 0; s < state->stacks; s++) {
    int32_t height = sw_blocks_stack(state, s, block);
    sw_json_array(json, NULL);
    for (int32_t i = 0; i < height; i++) sw_json_int(json, NULL, block[i]);
    sw_json_end(json);
  }
  sw_json_end(json);
}

/* Stacks from the table up, now and at the goal. */
static void picture(const sw_env *env, sw_json *json) {
  sw_json_string(json, "kind", "blocks");
  stacks(&env->walk.now, "now", json);
  stacks(&env->walk.goal, "goal", json);
}

const sw_lexicon sw_blocks_lexicon = {phrase, choice, rules, picture};
