/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * What net/sched/sch_dualpi2.c asks of a kernel, for one queue in one thread of a program: lists of packets, a timer, a clock and random numbers that
 * judge.c supplies. No rule of the discipline is here.
 */
#ifndef SHIM_H
#define SHIM_H
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;
typedef u8 __u8;
typedef u16 __u16;
typedef u32 __u32;
typedef u64 __u64;
typedef int16_t __s16;
typedef s32 __s32;
typedef s64 __s64;
typedef s64 ktime_t;
typedef int spinlock_t;
typedef u64 netdev_features_t;

#define READ_ONCE(x) (x)
#define WRITE_ONCE(x, value) ((x) = (value))
#define likely(x) (x)
#define unlikely(x) (x)
#define WARN_ON_ONCE(x) (x)
#define U32_MAX UINT32_MAX
#define NSEC_PER_USEC 1000L
#define NSEC_PER_MSEC 1000000L
#define NSEC_PER_SEC 1000000000L
#define min_t(type, a, b) ((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define clamp_t(type, x, low, high) min_t(type, (type)(x) < (type)(low) ? (type)(low) : (type)(x), high)
#define do_div(n, by) ((n) /= (by))
#define mul_u32_u32(a, b) ((u64)(a) * (b))
#define upper_32_bits(x) ((u32)((x) >> 32))
#define lower_32_bits(x) ((u32)(x))
#define htons(x) __builtin_bswap16(x)
#define __rcu
#define __init
#define __exit
#define __read_mostly
#define MODULE_ALIAS_NET_SCH(x)
#define MODULE_DESCRIPTION(x)
#define MODULE_AUTHOR(x)
#define MODULE_LICENSE(x)
#define MODULE_VERSION(x)
#define THIS_MODULE NULL
#define module_init(x) int (*begin_module)(void) = x;
#define module_exit(x) void (*end_module)(void) = x;
#define rcu_read_lock()
#define rcu_read_unlock()
#define rcu_dereference_bh(x) (x)
#define spin_lock(x)
#define spin_unlock(x)

/* A clock, random numbers, one timer. */
u64 ktime_get_ns(void);
u32 get_random_u32(void);
enum hrtimer_restart { HRTIMER_NORESTART, HRTIMER_RESTART };
struct hrtimer { ktime_t expires; enum hrtimer_restart (*function)(struct hrtimer *); };
#define CLOCK_MONOTONIC 0
#define HRTIMER_MODE_ABS_PINNED_SOFT 0
#define ktime_add_ns(time, ns) ((ktime_t)((time) + (ns)))
#define hrtimer_setup(timer, what, clock, mode) ((timer)->function = (what))
#define hrtimer_set_expires(timer, time) ((timer)->expires = (time))
#define hrtimer_start(timer, time, mode) ((timer)->expires = (time))
#define hrtimer_cancel(timer)
#define timer_container_of(var, timer, field) ((typeof(var))((char *)(timer) - offsetof(typeof(*var), field)))

/* Packets. */
struct iphdr { u8 version, tos, rest[18]; };
struct ipv6hdr { u8 all[40]; };
struct sk_buff {
	struct sk_buff *next, *prev;
	struct iphdr ip;
	u32 len, truesize, priority, number;
	u64 cb[6];
};
struct qdisc_skb_cb { u32 pkt_len; u16 pkt_segs; u64 data[3]; };
#define ETH_P_IP 0x0800
#define ETH_P_IPV6 0x86DD
#define INET_ECN_NOT_ECT 0
#define INET_ECN_MASK 3
#define ip_hdr(skb) (&(skb)->ip)
#define ipv6_hdr(skb) ((struct ipv6hdr *)NULL)
#define ipv4_get_dsfield(ip) ((ip)->tos)
#define ipv6_get_dsfield(ip) 0
#define skb_protocol(skb, vlan) ((u16)htons(ETH_P_IP))
#define skb_network_offset(skb) 0
#define pskb_may_pull(skb, bytes) true
#define skb_try_make_writable(skb, bytes) 0
#define qdisc_skb_cb(skb) ((struct qdisc_skb_cb *)(skb)->cb)
#define qdisc_cb_private_validate(skb, size) ((void)sizeof(char[sizeof(((struct qdisc_skb_cb *)0)->data) >= (size) ? 1 : -1]))
#define qdisc_pkt_len(skb) (qdisc_skb_cb(skb)->pkt_len)
static inline bool INET_ECN_set_ce(struct sk_buff *skb)
{
	bool able = skb->ip.tos & INET_ECN_MASK;

	if (able)
		skb->ip.tos |= INET_ECN_MASK;
	return able;
}

/* Bursts that a card divides: there are none. */
#define NETIF_F_GSO_MASK 0
#define skb_is_gso(skb) false
#define netif_skb_features(skb) 0
#define skb_gso_segment(skb, features) ((struct sk_buff *)NULL)
#define IS_ERR_OR_NULL(x) (!(x))
#define skb_list_walk_safe(first, skb, following) for ((skb) = (first); (skb) && ((following) = (skb)->next, true); (skb) = (following))
#define skb_mark_not_on_list(skb) ((skb)->next = NULL)
#define consume_skb(skb)

/* A discipline: a list, and what it counts. */
struct list { struct sk_buff *head, *tail; u32 qlen; };
struct Qdisc {
	struct list q, gso_skb;
	struct { u32 backlog; } qstats;
	u32 flags, limit, handle;
	void *dev_queue, *priv;
	struct sk_buff *to_free;
};
enum qdisc_drop_reason { QDISC_DROP_OVERLIMIT, QDISC_DROP_CONGESTED, QDISC_DROP_L4S_STEP_NON_ECN };
#define NET_XMIT_SUCCESS 0
#define NET_XMIT_DROP 1
#define __NET_XMIT_STOLEN 0x10000
#define __NET_XMIT_BYPASS 0x20000
#define TCQ_F_DEQUEUE_DROPS 0x400
#define qdisc_priv(sch) ((sch)->priv)
#define qdisc_dev(sch) NULL
#define psched_mtu(dev) 1500
#define qdisc_qlen(sch) ((int)(sch)->q.qlen)
#define qdisc_qlen_inc(sch) ((sch)->q.qlen++)
#define qdisc_qlen_dec(sch) ((sch)->q.qlen--)
#define qdisc_qstats_backlog_inc(sch, skb) ((sch)->qstats.backlog += qdisc_pkt_len(skb))
#define qdisc_qstats_backlog_dec(sch, skb) ((sch)->qstats.backlog -= qdisc_pkt_len(skb))
#define qdisc_qstats_overlimit(sch)
#define qdisc_qstats_drop(sch)
#define qdisc_bstats_update(sch, skb)
#define qdisc_tree_reduce_backlog(sch, packets, bytes) ((void)(packets), (void)(bytes))
#define qdisc_peek_head(sch) ((sch)->q.head)
#define qdisc_root_sleeping(sch) (sch)
#define qdisc_lock(sch) ((spinlock_t *)NULL)
#define sch_tree_lock(sch)
#define sch_tree_unlock(sch)
#define skb_peek(list) ((list)->head)
#define __skb_queue_head(list, skb) ((list)->head = (skb))
#define qdisc_reset_queue(sch)
#define qdisc_put(sch)
static inline int qdisc_enqueue_tail(struct sk_buff *skb, struct Qdisc *sch)
{
	skb->next = NULL;
	if (sch->q.tail)
		sch->q.tail->next = skb;
	else
		sch->q.head = skb;
	sch->q.tail = skb;
	sch->q.qlen++;
	qdisc_qstats_backlog_inc(sch, skb);
	return NET_XMIT_SUCCESS;
}
static inline struct sk_buff *__qdisc_dequeue_head(struct list *list)
{
	struct sk_buff *skb = list->head;

	if (skb) {
		list->head = skb->next;
		list->tail = list->head ? list->tail : NULL;
		list->qlen--;
	}
	return skb;
}
#define qdisc_dequeue_internal(sch, direct) __qdisc_dequeue_head(&(sch)->q)
#define rtnl_qdisc_drop(skb, sch)
static inline int __qdisc_drop(struct sk_buff *skb, struct sk_buff **to_free)
{
	skb->next = *to_free;
	*to_free = skb;
	return NET_XMIT_DROP;
}
#define qdisc_drop(skb, sch, to_free) __qdisc_drop(skb, to_free)
#define qdisc_drop_reason(skb, sch, to_free, reason) __qdisc_drop(skb, to_free)
#define qdisc_dequeue_drop(sch, skb, reason) __qdisc_drop(skb, &(sch)->to_free)
static inline struct Qdisc *new_qdisc(size_t size)
{
	struct Qdisc *sch = calloc(1, sizeof(*sch));

	sch->priv = calloc(1, size);
	return sch;
}
static int pfifo_qdisc_ops;
#define qdisc_create_dflt(queue, ops, id, why) (*(ops) = 0, new_qdisc(1))

/* Filters: there are none. */
struct tcf_proto;
struct tcf_block;
struct tcf_result { u32 classid; };
#define tcf_block_get(block, filters, sch, why) 0
#define tcf_block_put(block)
#define tcf_classify_qdisc(skb, filter, result, compat) ((result)->classid = 0, -1)

/* Options: numbers by their attribute, given by judge.c. */
struct netlink_ext_ack;
struct nlattr { u32 value; };
struct nla_policy { int type; };
struct netlink_range_validation { u64 min, max; };
extern struct nlattr *given[];
#define NLA_U8 1
#define NLA_U32 3
#define NLA_POLICY_MIN(kind, low) { .type = kind }
#define NLA_POLICY_MAX(kind, high) { .type = kind }
#define NLA_POLICY_RANGE(kind, low, high) { .type = kind }
#define NLA_POLICY_FULL_RANGE(kind, range) { .type = (range) ? kind : 0 }
#define nla_len(attribute) 1
#define nla_parse_nested(into, most, from, policy, why) ((void)(policy), memcpy(into, given, sizeof(*(into)) * ((most) + 1)), 0)
#define nla_get_u32(attribute) ((attribute)->value)
#define nla_get_u8(attribute) ((u8)(attribute)->value)
#define NL_SET_ERR_MSG_MOD(why, text)

/* Reports: not asked for. */
struct gnet_dump;
struct qdisc_walker { int stop, skip, count; int (*fn)(struct Qdisc *, unsigned long, struct qdisc_walker *); };
#define TCA_OPTIONS 2
#define nla_nest_start_noflag(skb, kind) ((struct nlattr *)NULL)
#define nla_nest_end(skb, options) 0
#define nla_nest_cancel(skb, options)
#define nla_put_u32(skb, kind, value) ((void)(value), 0)
#define nla_put_u8(skb, kind, value) ((void)(value), 0)
#define gnet_stats_copy_app(dump, what, size) ((void)(what), 0)
struct Qdisc_class_ops {
	struct Qdisc *(*leaf)(struct Qdisc *, unsigned long);
	unsigned long (*find)(struct Qdisc *, u32);
	struct tcf_block *(*tcf_block)(struct Qdisc *, unsigned long, struct netlink_ext_ack *);
	unsigned long (*bind_tcf)(struct Qdisc *, unsigned long, u32);
	void (*unbind_tcf)(struct Qdisc *, unsigned long);
	void (*walk)(struct Qdisc *, struct qdisc_walker *);
};
struct Qdisc_ops {
	const char *id;
	const struct Qdisc_class_ops *cl_ops;
	size_t priv_size;
	int (*enqueue)(struct sk_buff *, struct Qdisc *, struct sk_buff **);
	struct sk_buff *(*dequeue)(struct Qdisc *), *(*peek)(struct Qdisc *);
	int (*init)(struct Qdisc *, struct nlattr *, struct netlink_ext_ack *);
	void (*destroy)(struct Qdisc *), (*reset)(struct Qdisc *);
	int (*change)(struct Qdisc *, struct nlattr *, struct netlink_ext_ack *);
	int (*dump)(struct Qdisc *, struct sk_buff *), (*dump_stats)(struct Qdisc *, struct gnet_dump *);
	void *owner;
};
int register_qdisc(struct Qdisc_ops *ops);
static inline void unregister_qdisc(struct Qdisc_ops *ops) { (void)ops; }
#endif
