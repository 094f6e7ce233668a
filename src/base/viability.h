/* The verdict on a state of a search, as data sets store it: unknown, viable
 * (it can be completed to a solution) or dead (it cannot). */
#ifndef SW_BASE_VIABILITY_H
#define SW_BASE_VIABILITY_H

typedef enum { SW_UNJUDGED, SW_VIABLE, SW_DEAD, SW_VIABILITIES } sw_viability;

#endif
