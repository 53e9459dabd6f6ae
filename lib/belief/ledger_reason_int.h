/* SPDX-License-Identifier: Apache-2.0 */
/* Why a fact does not stand, as field superseded_reason has it. */
#ifndef MEM_LEDGER_REASON_INT_H
#define MEM_LEDGER_REASON_INT_H

#define LEDGER_NEWER      "newer"        /* functional: another object since then */
#define LEDGER_EXCLUSIVE  "exclusive"    /* an object that excludes it */
#define LEDGER_OPPOSITE   "opposite"     /* the opposite predicate */
#define LEDGER_NEGATED    "negated"      /* the same, denied or affirmed */
#define LEDGER_CORRECTED  "corrected"    /* a correction of what stood */
#define LEDGER_HINT       "hint"         /* its source was replaced by the other's */
#define LEDGER_TIE        "tie"          /* true at the same instant as a stronger one */
#define LEDGER_TRUST      "less_trusted" /* weak, against one of higher standing */
#define LEDGER_OUTWEIGHED "outweighed"   /* a statement about the same, of less weight */
#define LEDGER_RESTATED   "restated"     /* it is part of another fact, which began earlier */
#define LEDGER_BY_HAND    "by_hand"

#endif
