/* The published grammar, compiled in: the text of examples/paper.grammar (a
 * test compares them). */
#include "domains/parsing/grammar.h"

const char sw_grammar_published[] =
    "# Expressions with calls, indexing, tuples, parentheses and negation: an\n"
    "# ordered-choice grammar that is locally ambiguous (a name may start a "
    "call, an\n"
    "# index or an atom; an opening parenthesis a tuple or a group).\n"
    "# The format is described in docs/parsing.md.\n"
    "class IDENT  : a b c d e f g h i j k l m n o p q r s t u v w x y z\n"
    "class NUMBER : 0 1 2 3 4 5 6 7 8 9\n"
    "\n"
    "start expr\n"
    "rule expr    : call | index | tuple | paren | neg | atom\n"
    "rule call    : IDENT \"(\" arglist \")\"\n"
    "rule index   : IDENT \"[\" expr \"]\"\n"
    "rule tuple   : \"(\" expr \",\" exprlist \")\"\n"
    "rule paren   : \"(\" expr \")\"\n"
    "rule neg     : \"-\" expr\n"
    "rule atom    : IDENT | NUMBER\n"
    "list arglist  : expr \",\" 1 3\n"
    "list exprlist : expr \",\" 1 3\n"
    "\n"
    "# For drawing sentences: alternative and weight, walked in this order; * "
    "shares\n"
    "# what is left to 1.\n"
    "weights expr : 0 0.30  1 0.20  2 0.35  4 0.10  3 *  5 *\n"
    "depth 4\n";
