/* Graph colouring in English (domains/lexicon.h). */
#include <stdio.h>
#include "domains/coloring/coloring_env.h"
#include "domains/domain.h"
#include "domains/lexicon.h"

static const struct {
  int32_t token;
  const char *phrase;
} phrases[] = {{SW_T_BOS, "Graph"},
               {SW_T_GRAPH, ", each node with its neighbours:"},
               {SW_T_SEARCH, "This is all of it."},
               {SW_T_EOS, " End."},
               {SW_T_SEP, ".\n"},
               {SW_T_COLON, ":"},
               {SW_T_TRIED, "Tried here, and failed:"},
               {SW_T_END_TRIED, " ;\n"},
               {SW_T_STATE, "State:"},
               {SW_T_ASSIGN, " coloured"},
               {SW_T_DOMAIN, " Possible:"},
               {SW_T_OK, " Done:"},
               {SW_T_CF, " Dead end."},
               {SW_T_LOCAL_LEGAL, " Allowed:"},
               {SW_T_SOLVED, " Solved!"},
               {SW_T_FAILED, " Nothing is left to try."}};

/* The colours of a mask token: colour 1 is the most significant bit. */
static int mask_phrase(int32_t mask, char *buffer, size_t room) {
  char list[32] = "";
  size_t used = 0;
  for (int c = 1; c <= SW_COL_COLORS_MAX; c++)
    if (mask >> (4 - c) & 1)
      used += (size_t)snprintf(list + used, sizeof list - used, " c%d", c);
  return snprintf(buffer, room, " {%s }", used ? list : " none");
}

static int phrase(const sw_domain *domain, int32_t token, char *buffer,
                  size_t room) {
  for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
    if (phrases[i].token == token)
      return snprintf(buffer, room, "%s", phrases[i].phrase);
  if (token >= SW_T_NODE && token < SW_T_NODE + SW_COL_NODES_MAX)
    return snprintf(buffer, room, " n%d", (int)(token - SW_T_NODE));
  if (token > SW_T_COLOR && token <= SW_T_COLOR + SW_COL_COLORS_MAX)
    return snprintf(buffer, room, " c%d", (int)(token - SW_T_COLOR));
  if (token >= SW_T_PAIR && token < SW_T_MASK)
    return snprintf(buffer, room, " n%d=c%d", (int)(token - SW_T_PAIR) / 4,
                    (int)(token - SW_T_PAIR) % 4 + 1);
  if (token >= SW_T_MASK && token < SW_T_MASK + 16)
    return mask_phrase(token - SW_T_MASK, buffer, room);
  if (token >= SW_T_SIZE && token <= SW_T_SIZE + SW_COL_COLORS_MAX)
    return snprintf(buffer, room, ", %d left for", (int)(token - SW_T_SIZE));
  char word[SW_PHRASE_ROOM];
  sw_col_token_text(domain, token, word, sizeof word);
  return snprintf(buffer, room, " %s", word);
}

static int choice(const sw_domain *domain, int32_t token, char *buffer,
                  size_t room) {
  char text[SW_PHRASE_ROOM];
  if (token == SW_T_CF) return snprintf(buffer, room, "go back");
  if (token == SW_T_STATE) return snprintf(buffer, room, "go on");
  phrase(domain, token, text, sizeof text);
  return snprintf(buffer, room, "%s", text + (text[0] == ' '));
}

static void rules(const sw_domain_options *options, FILE *out) {
  int colors = sw_col_own(options)->colors;
  if (colors <= 0) colors = SW_COL_COLORS_MAX;
  fprintf(out,
          "You guide a backtracking search that colours the nodes n0, n1, ... "
          "of a graph with the colours c1 to c%d so that neighbours never "
          "have the same colour. A decision gives a node a colour; that "
          "colour is then taken from its neighbours' possible ones. A state "
          "lists the nodes without a colour. \", 2 left for n7\" says how "
          "many colours are still possible for n7, and { c1 c3 } which ones. "
          "\"Tried here, and failed\" lists pairs of node and colour that led "
          "to dead ends from this very state. If some node has no colour left "
          "(0 left, or { none }) the state is a dead end: go back. If not, "
          "going back would throw a possible solution away: choose a node, "
          "then its colour.",
          colors);
}

/* Edges, colours (0: none) and the colours left for each node as bits. */
static void picture(const sw_env *env, sw_json *json) {
  const sw_col_state *s = &env->state;
  const sw_instance *g = s->graph;
  sw_json_string(json, "kind", "graph");
  sw_json_int(json, "n", g->n);
  sw_json_int(json, "colors", g->colors);
  sw_json_array(json, "edges");
  for (int32_t a = 0; a < g->n; a++)
    for (int64_t i = g->start[a]; i < g->start[a + 1]; i++) {
      if (g->neighbor[i] <= a) continue;
      sw_json_array(json, NULL);
      sw_json_int(json, NULL, a);
      sw_json_int(json, NULL, g->neighbor[i]);
      sw_json_end(json);
    }
  sw_json_end(json);
  sw_json_array(json, "color");
  for (int32_t v = 0; v < g->n; v++) sw_json_int(json, NULL, s->color[v]);
  sw_json_end(json);
  sw_json_array(json, "left");
  for (int32_t v = 0; v < g->n; v++) sw_json_int(json, NULL, s->domain[v]);
  sw_json_end(json);
}

const sw_lexicon sw_coloring_lexicon = {phrase, choice, rules, picture};
