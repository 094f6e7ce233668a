/* A log for debugging a search or a training step, one line an event, on
 * standard error. Compiled into debug builds only (base/check.h) and silent
 * there until the environment variable STATEWISE_LOG names topics: `search`,
 * `train`, or `all`. */
#ifndef SW_BASE_LOG_H
#define SW_BASE_LOG_H

void sw_log(const char *topic, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int sw_log_wants(const char *topic);

#ifdef SW_DEBUG
#define SW_LOGS(topic) sw_log_wants(topic)
#else
#define SW_LOGS(topic) 0
#endif
/* The arguments are evaluated only when the topic is logged. */
#define SW_LOG(topic, ...)                          \
  do {                                              \
    if (SW_LOGS(topic)) sw_log(topic, __VA_ARGS__); \
  } while (0)

#endif
