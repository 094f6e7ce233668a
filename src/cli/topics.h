/* `statewise help TOPIC`: subjects that several commands share. What a table
 * says is printed from that table. */
#ifndef SW_CLI_TOPICS_H
#define SW_CLI_TOPICS_H
#include <stdio.h>

typedef struct sw_topic {
  const char *name, *summary;
  void (*print)(FILE *out);
} sw_topic;

extern const sw_topic sw_topics[]; /* ends with a NULL name */
const sw_topic *sw_topic_find(const char *name);

/* A row of two columns, wrapped to 80. */
void sw_help_row(FILE *out, const char *name, const char *text);
/* A paragraph, its long lines wrapped to 80. */
void sw_help_paragraph(FILE *out, const char *text);

/* A line for a shell, broken with a backslash where it is longer than 78. */
void sw_help_shell(FILE *out, const char *line);

/* X(NAME, what it does): variables that the program reads. */
#define SW_ENVIRONMENT(X)                                                      \
  X("STATEWISE_MODELS", "folder of the shipped models")                        \
  X("STATEWISE_RESULTS", "folder of the kept results (repro)")                 \
  X("STATEWISE_KERNELS",                                                       \
    "kernels: portable, avx2, avx512, avx512bf16 or neon")                     \
  X("STATEWISE_SILENCE", "seconds after which a silent rank of a job is lost") \
  X("STATEWISE_API_KEY", "key for an endpoint (--guide-key names another)")    \
  X("TMPDIR", "folder of scratch files")                                       \
  X("NO_COLOR", "set: show trace prints without colours")

#endif
