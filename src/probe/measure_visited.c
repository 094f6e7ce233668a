/* The measure `visited`: the visited-set oracle in the closed loop. */
#include "probe/measured.h"
#include "search/guide_family.h"

typedef sw_visited_session session;
static const sw_option table[] = {SW_MEASURE_TABLE(SW_VISITED_OPTIONS)};

static int ask(void *context, const sw_loaded *loaded, sw_err *err) {
  session *s = context;
  sw_probe *p = &s->probe;
  sw_guide *guide;
  sw_condition c;
  sw_condition_options o;
  sw_guide_setup setup = {.mask = p->eval_mask, .positions = p->eval_positions};
  sw_condition_defaults(&o);
  o.seed = p->seed;
  o.instances = s->instances;
  o.max_decisions = s->decisions;
  o.max_tokens = 0;
  o.protocol = s->protocol;
  SW_TRY(sw_guide_model(&guide, loaded, &setup, p->team, err));
  int code = sw_condition_make(&c, &o, guide, &p->options, err);
  sw_probe_begin(p, "instances", s->instances);
  if (!code)
    code = sw_visited(&c, s->intervene, sw_probe_step, s, &s->result[p->models],
                      err);
  sw_probe_end(p);
  sw_guide_close(guide);
  return code;
}

static void members(const void *context, int m, sw_json *json) {
  const session *s = context;
  const sw_visited_result *r = &s->result[m];
  sw_json_int(json, "instances", r->instances);
  sw_json_int(json, "solved", r->solved);
  sw_json_int(json, "decisions", r->decisions);
  sw_json_int(json, "revisited_states", r->revisits);
  sw_json_int(json, "repeated_actions", r->repeated);
  sw_json_int(json, "interventions", r->interventions);
  sw_json_int(json, "missed_conflicts", r->missed_conflicts);
  sw_json_int(json, "false_prunes", r->false_prunes);
  sw_json_int(json, "early_backs", r->early_backs);
  sw_json_int(json, "repeats", r->repeats);
  sw_json_int(json, "budget", r->budget);
}

const sw_measure sw_measure_visited = {
    .name = "visited",
    .bytes = sizeof(session),
    .options = table,
    .option_count = sizeof table / sizeof *table,
    .ask = ask,
    .members = members};
