/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Offers packets to DualPI2 of a Linux source tree and notes the result: the file sch_dualpi2.c is compiled as it stands, and shim.h is in the place of
 * the kernel around it. It reads a job and writes records as ../kernel/judge.c does. Its words are pairs of an attribute and a number.
 */
#include "shim.h"
#include <linux/pkt_sched.h>
#include <stdio.h>

/* The source; -DSOURCE names it. */
#include SOURCE

struct judge_job { char device[16]; u64 bits_per_second; u32 packets, draws; };
struct judge_packet { u64 at; u32 length, hash, used; u8 header[84]; };
struct judge_record { u64 time; u32 what, packet, extra, draws; };

struct nlattr *given[64];
static u64 now = 1000000000;
static u32 *draws, draws_given, draws_taken;
static struct Qdisc_ops *ops;

u64 ktime_get_ns(void) { return now; }
u32 get_random_u32(void) { return draws_taken < draws_given ? draws[draws_taken++] : (draws_taken++, 0); }
int register_qdisc(struct Qdisc_ops *these) { ops = these; return 0; }

static void note(u32 what, u32 packet, u32 extra)
{
	struct judge_record record = { now, what, packet, extra, draws_taken };

	fwrite(&record, sizeof(record), 1, stdout);
}

static void drop(struct sk_buff *list, u32 what)
{
	for (; list; list = list->next)
		note(what, list->number, 0);
}

/* How long the link is busy with what the discipline gives; 0 if it gives nothing. */
static u64 depart(struct Qdisc *q, u64 bits_per_second)
{
	struct sk_buff *skb = ops->dequeue(q);

	drop(q->to_free, 'Y');
	q->to_free = NULL;
	if (!skb) {
		note('N', 0, qdisc_qlen(q));
		return 0;
	}
	note('D', skb->number, skb->ip.tos);
	return 8ULL * skb->len * NSEC_PER_SEC / bits_per_second;
}

int main(int count, char **words)
{
	static char read[64 << 20];
	struct judge_job *job = (void *)read;
	const struct judge_packet *packets;
	struct Qdisc *q;
	struct hrtimer *timer;
	u64 begin, arrival, free = 0, never = UINT64_MAX;
	bool idle = true;
	u32 i = 0;

	for (int word = 1; word + 1 < count; word += 2) {
		given[atoi(words[word])] = calloc(1, sizeof(struct nlattr));
		given[atoi(words[word])]->value = strtoul(words[word + 1], NULL, 10);
	}
	if (fread(read, 1, sizeof(read), stdin) < sizeof(*job))
		return 1;
	draws = (u32 *)(job + 1);
	draws_given = job->draws;
	packets = (const void *)(draws + draws_given);
	begin_module();
	q = new_qdisc(ops->priv_size);
	if (ops->init(q, count > 1 ? &(struct nlattr){ 0 } : NULL, NULL))
		return 1;
	timer = &((struct dualpi2_sched_data *)q->priv)->pi2_timer;
	begin = now += 5 * NSEC_PER_MSEC;
	while (i < job->packets || !idle) {
		u64 next = idle ? never : free;

		arrival = i < job->packets ? begin + packets[i].at : never;
		if ((u64)timer->expires <= min_t(u64, arrival, next)) {
			now = timer->expires;
			note('T', 0, 0);
			timer->function(timer);
			continue;
		}
		now = min_t(u64, arrival, next);
		if (next <= arrival) {
			idle = true;
		} else {
			struct sk_buff *skb = calloc(1, sizeof(*skb)), *to_free = NULL;

			skb->len = qdisc_pkt_len(skb) = packets[i].length;
			/* What it takes in a kernel matters only to the limit of memory. */
			skb->truesize = packets[i].length;
			skb->ip.tos = packets[i].header[1];
			skb->number = ++i;
			note('A', i, skb->truesize);
			ops->enqueue(skb, q, &to_free);
			drop(to_free, 'X');
		}
		if (idle && qdisc_qlen(q)) {
			u64 busy = depart(q, job->bits_per_second);

			free = now + busy;
			idle = !busy;
		} else if (next <= arrival) {
			depart(q, job->bits_per_second);
		}
	}
	return 0;
}
