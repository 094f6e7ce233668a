/* The probes of an endpoint, for the commands that are given --guide. */
#ifndef SW_CLI_PROBE_GUIDE_H
#define SW_CLI_PROBE_GUIDE_H

int sw_probe_guide_wanted(int argc, char **argv); /* 1: --guide is there */
/* `probe guide` with these arguments; returns its exit code. */
int sw_probe_guide_instead(int argc, char **argv);

#endif
