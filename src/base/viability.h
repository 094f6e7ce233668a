/* What may be said of a state of a search: nobody has judged it, it can be
 * completed to a solution, or it cannot. As data sets keep it. */
#ifndef SW_BASE_VIABILITY_H
#define SW_BASE_VIABILITY_H

typedef enum { SW_UNJUDGED, SW_VIABLE, SW_DEAD, SW_VIABILITIES } sw_viability;

#endif
