obj-y += judge.o
judged := -Dget_random_u32=judge_u32 -Dget_random_u16=judge_u16 -Dget_random_bytes=judge_bytes -Dmod_timer=judge_timer \
          -Dflow_hash_from_keys=judge_hash -Dqdisc_watchdog_schedule_range_ns=judge_watchdog
CFLAGS_sch_cake.o := $(judged)
CFLAGS_sch_pie.o := $(judged)
CFLAGS_sch_fq_pie.o := $(judged)
CFLAGS_sch_red.o := $(judged)
