/* The domains there are. Those compiled in are a constant table. Others are
 * made at run time, from a program (`exec:COMMAND`), from a caller's functions
 * or from the words of a file, and are registered under a name, so that data
 * and weights that remember the name find them.
 *
 * A registered domain is reference-counted: its close() runs when the last
 * holder releases it. Code that keeps a pointer longer than its source holds it
 * too. For compiled-in domains hold and release do nothing, so a caller need
 * not ask which kind it has. All of this may be called from any thread. */
#ifndef SW_DOMAINS_REGISTRY_H
#define SW_DOMAINS_REGISTRY_H
#include "domains/domain.h"

/* Registers a domain that its maker has filled in, and holds it once for the
 * caller. Its name is of letters, digits, `-`, `_` and `.`, at most 63, not one
 * of a compiled-in domain, and not that of an open domain with other words
 * (`words`). Refused (SW_USAGE, SW_MEMORY) the domain stays its maker's. */
int sw_domain_register(const sw_domain *domain, sw_err *err);
/* Holds the open domain that has the name and words of `made`, and closes
 * `made`; where there is none, takes `made`. A domain that is taken this way is
 * not found by its name, so that files with other words of the same name may be
 * open beside it, whatever the name (of_file.h). SW_MEMORY: `made` stays its
 * maker's. */
int sw_domain_adopt(const sw_domain *made, const sw_domain **domain,
                    sw_err *err);
void sw_domain_hold(const sw_domain *domain);
/* NULL: nothing to let go. */
void sw_domain_release(const sw_domain *domain);

/* All domains into all[room], compiled-in ones first; how many there are. */
int sw_domain_list(const sw_domain **all, int room);

/* What a name on the command line may be, for help and for parsing options: the
 * compiled-in domains and one that stands for each prefix (`exec:COMMAND`),
 * which has a name, a summary and options and nothing else. NULL: no more. */
const sw_domain *sw_domain_kind(int i);

/* What a name with a prefix opens: `rest` stands behind it. Registers the
 * domain, and the caller holds it. */
typedef int (*sw_domain_opener)(const char *rest, const sw_domain **domain,
                                sw_err *err);

/* How programs behind domains are asked, for domains opened in the scope. These
 * are options of every command that may open one, not of a domain. */
/* clang-format off */
#define SW_DOMAIN_SETTINGS(X)                                                  \
  X(seconds, REAL, "domain-timeout", "30", 0, 1e9, "", "exec: seconds that a reply may take; 0: as long as it takes") \
  X(log, TEXT, "domain-log", "", 0, 0, "", "exec: file that every request and reply is added to")
/* clang-format on */
typedef struct sw_domain_settings {
  SW_DOMAIN_SETTINGS(SW_OPTION_FIELD)
} sw_domain_settings;
enum { SW_DOMAIN_SETTINGS_COUNT = 2 };
extern const sw_option sw_domain_settings_table[SW_DOMAIN_SETTINGS_COUNT];

/* Domains that sw_domain_named opens in this thread are held until the scope is
 * left; named twice, one is opened once. Outside of every scope a name with a
 * prefix is refused. A command is one scope. Scopes nest. */
typedef struct sw_domain_scope {
  struct sw_opened *opened;
  struct sw_domain_scope *outer;
  sw_domain_settings settings;
} sw_domain_scope;
void sw_domain_scope_enter(sw_domain_scope *scope);
void sw_domain_scope_leave(sw_domain_scope *scope);
/* Those of this thread's scope, which begins with its outer one's; they may be
 * changed until a domain is opened. Never NULL. */
sw_domain_settings *sw_domain_scope_settings(void);

#endif
