// SPDX-License-Identifier: MIT OR Apache-2.0
/*
 * A file of the kernel that offers packets to a queueing discipline and notes what becomes of each.
 *
 * /proc/judge takes a header, random draws and packets with their times; it returns a list of records. A packet is enqueued at
 * its time. The link takes the next one when it has sent the last, at a constant rate. The clock is the kernel's own, so it
 * needs a kernel whose clock is virtual.
 */
#include <linux/hrtimer.h>
#include <linux/netdevice.h>
#include <linux/proc_fs.h>
#include <linux/random.h>
#include <linux/skbuff.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <net/flow_dissector.h>
#include <net/ip.h>
#include <net/pkt_sched.h>

struct judge_job {
	char device[16];
	u64 bits_per_second;
	u32 packets;
	u32 draws;
};

struct judge_packet {
	u64 at;		/* ns after the beginning */
	u32 length;
	u32 hash;	/* of its flow */
	u32 used;	/* bytes of header; the rest is zero */
	u8 header[84];
};

/* What happened: Arrival, X or Y a drop, Departure, Timer, Nothing departs. */
struct judge_record {
	u64 time;
	u32 what;
	u32 packet;	/* its number from 1; 0 for none */
	u32 extra;	/* TOS of a departure, memory of an arrival */
	u32 draws;	/* taken so far */
};

static struct judge_record *records;
static u32 noted, room;
static u32 *draws, draws_given, draws_taken;
static u64 begin, held;
static bool departing;

static void note(u32 what, u32 packet, u32 extra)
{
	if (noted < room)
		records[noted++] = (struct judge_record){ ktime_get_ns(), what, packet, extra, draws_taken };
}

/* The kernel's random numbers, as the job gives them. */
u32 judge_u32(void);
u32 judge_u32(void)
{
	return draws_taken < draws_given ? draws[draws_taken++] : (draws_taken++, 0);
}

u16 judge_u16(void);
u16 judge_u16(void)
{
	return judge_u32() >> 16;
}

void judge_bytes(void *to, size_t length);
void judge_bytes(void *to, size_t length)
{
	u64 draw = (u64)judge_u32() << 32;

	memcpy(to, &draw, min_t(size_t, length, 8));
}

/* A hash that can be written down, of a host's address. */
u32 judge_hash(struct flow_keys *keys);
u32 judge_hash(struct flow_keys *keys)
{
	u64 x = ntohl(keys->addrs.v4addrs.src) ^ ntohl(keys->addrs.v4addrs.dst);

	x = (x ^ x >> 33) * 0xff51afd7ed558ccdULL;
	x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ULL;
	return (x ^ x >> 33) >> 32;
}

/* The discipline asks to be called again. */
void judge_watchdog(struct qdisc_watchdog *dog, u64 expires, u64 delta);
void judge_watchdog(struct qdisc_watchdog *dog, u64 expires, u64 delta)
{
	held = expires;
}

int judge_timer(struct timer_list *timer, unsigned long expires);
int judge_timer(struct timer_list *timer, unsigned long expires)
{
	note('T', 0, 0);
	return mod_timer(timer, expires);
}

/* A packet is dropped: 'X' on arrival, 'Y' on departure. */
static void freed(struct sk_buff *skb)
{
	note(departing ? 'Y' : 'X', skb->mark, 0);
}

static void sleep_until(u64 time)
{
	ktime_t expires = ns_to_ktime(time);

	while (ktime_get_ns() < time) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		schedule_hrtimeout_range(&expires, 0, HRTIMER_MODE_ABS);
	}
}

static void arrive(struct Qdisc *q, struct net_device *dev, const struct judge_packet *packet, u32 number)
{
	struct sk_buff *skb = alloc_skb(packet->length + NET_SKB_PAD, GFP_KERNEL), *to_free = NULL;

	if (!skb)
		return;
	skb_reserve(skb, NET_SKB_PAD);
	memset(skb_put(skb, packet->length), 0, packet->length);
	memcpy(skb->data, packet->header, packet->used);
	skb_reset_mac_header(skb);
	skb_reset_network_header(skb);
	skb_set_transport_header(skb, 4 * ip_hdr(skb)->ihl);
	skb->protocol = htons(ETH_P_IP);
	skb->dev = dev;
	skb->mark = number;
	skb->destructor = freed;
	skb_set_hash(skb, packet->hash, PKT_HASH_TYPE_L4);
	qdisc_skb_cb(skb)->pkt_len = skb->len;
	note('A', number, skb->truesize);
	spin_lock_bh(qdisc_lock(q));
	q->enqueue(skb, q, &to_free);
	spin_unlock_bh(qdisc_lock(q));
	if (to_free)
		kfree_skb_list(to_free);
}

/* How long the link is busy with what the discipline gives; 0 if it gives nothing. */
static u64 depart(struct Qdisc *q, u64 bits_per_second)
{
	struct sk_buff *skb;
	u64 busy = 0;

	spin_lock_bh(qdisc_lock(q));
	departing = true;
	skb = q->dequeue(q);
	departing = false;
	spin_unlock_bh(qdisc_lock(q));
	if (skb) {
		skb->destructor = NULL;
		note('D', skb->mark, ip_hdr(skb)->tos);
		busy = div64_u64(8ULL * skb->len * NSEC_PER_SEC, bits_per_second);
		kfree_skb(skb);
	} else {
		note('N', 0, qdisc_qlen(q));
	}
	return busy;
}

static void run(struct Qdisc *q, struct net_device *dev, const struct judge_job *job, const struct judge_packet *packets)
{
	u64 free = 0, never = U64_MAX, next, arrival;
	bool idle = true;
	u32 i = 0;

	while (i < job->packets || !idle) {
		arrival = i < job->packets ? begin + packets[i].at : never;
		next = idle ? never : free;
		sleep_until(min(arrival, next));
		if (next <= arrival)
			idle = true;
		else
			i++, arrive(q, dev, &packets[i - 1], i);
		if (idle && qdisc_qlen(q)) {
			u64 busy;

			held = 0;
			busy = depart(q, job->bits_per_second);
			free = busy ? ktime_get_ns() + busy : held;
			idle = !free;
		} else if (next <= arrival) {
			/* The discipline is asked once more when all is sent. */
			depart(q, job->bits_per_second);
		}
	}
}

static ssize_t judge_write(struct file *file, const char __user *from, size_t count, loff_t *at)
{
	struct judge_job *job = vmalloc(count);
	const struct judge_packet *packets;
	struct net_device *dev;

	if (!job || copy_from_user(job, from, count))
		return -EFAULT;
	draws = (u32 *)(job + 1);
	draws_given = job->draws;
	draws_taken = noted = 0;
	packets = (const void *)(draws + draws_given);
	room = 6 * job->packets + 100000;
	vfree(records);
	records = vmalloc(room * sizeof(*records));
	dev = dev_get_by_name(&init_net, job->device);
	if (!records || !dev)
		return -ENODEV;
	netif_tx_stop_all_queues(dev);
	begin = ktime_get_ns();
	run(rcu_dereference_protected(netdev_get_tx_queue(dev, 0)->qdisc, 1), dev, job, packets);
	dev_put(dev);
	vfree(job);
	return count;
}

static ssize_t judge_read(struct file *file, char __user *to, size_t count, loff_t *at)
{
	return simple_read_from_buffer(to, count, at, records, noted * sizeof(*records));
}

static const struct proc_ops judge_ops = {
	.proc_write = judge_write,
	.proc_read = judge_read,
};

static int __init judge_init(void)
{
	proc_create("judge", 0600, NULL, &judge_ops);
	return 0;
}
late_initcall(judge_init);
