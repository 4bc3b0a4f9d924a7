/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The rules of rules.h as an ordinary program, for crates/live/tests/bpf_rules.rs: reads what happens to a connection, a
 * line each, and prints the window after every ACK and the threshold after every signal.
 */
#include <stdio.h>
#include <string.h>

#include "rules.h"

#define NUMBERS(each)                                                                                                  \
    each(credit) each(limit) each(limit_after_timeout) each(growth) each(control) each(alpha) each(beta)               \
        each(per_rtt) each(first_loss_half) each(since_loss) each(tick_us)

static int set(const char *name, u64 value)
{
#define SET(known)                                                                                                     \
    if (strcmp(name, #known) == 0) {                                                                                   \
        linked_##known = value;                                                                                        \
        return 1;                                                                                                      \
    }
    NUMBERS(SET)
    /* sender.c's. */
    return strcmp(name, "initial_ssthresh") == 0 || strcmp(name, "halve_cwnd") == 0 || strcmp(name, "validate") == 0;
}

int main(void)
{
    struct state s;
    char word[32], name[32];
    u64 n[6];

    memset(&s, 0, sizeof s);
    while (scanf("%31s", word) == 1) {
        if (strcmp(word, "number") == 0 && scanf("%31s %llu", name, n) == 2 && set(name, n[0])) {
        } else if (strcmp(word, "begin") == 0 && scanf("%llu", n) == 1) {
            begin(&s, n[0], 0);
        } else if (strcmp(word, "recovering") == 0 && scanf("%llu", n) == 1) {
            s.recovering = n[0] != 0;
        } else if (strcmp(word, "ack") == 0 && scanf("%llu %llu %llu %llu", n, n + 1, n + 2, n + 3) == 4) {
            on_ack(&s, n[0], n[1], n[2], n[3]);
            printf("%llu\n", s.cwnd);
        } else if (strcmp(word, "trip") == 0 &&
                   scanf("%llu %llu %llu %llu %llu %llu", n, n + 1, n + 2, n + 3, n + 4, n + 5) == 6) {
            on_round_trip(&s, n[0], n[1], n[2], n[3], n[4], n[5]);
        } else if (strcmp(word, "signal") == 0 && scanf("%llu %llu %llu %llu", n, n + 1, n + 2, n + 3) == 4) {
            u64 left = threshold(&s, (enum signal)n[0], n[1], n[3]);

            on_signal(&s, (enum signal)n[0], n[2]);
            s.cwnd = n[0] == TIMEOUT ? n[3] : left;
            printf("%llu\n", left);
        } else {
            fprintf(stderr, "not understood: %s\n", word);
            return 1;
        }
    }
    return 0;
}
