/* SPDX-License-Identifier: MIT */
/* Plans are understood as docs/wire.md says, and every misunderstanding has its line and words. */
#include "plan.h"

#include <errno.h>
#include <stdbool.h>

#include "calls.h"
#include "check.h"
#include "place.h"
#include "scenario.h"

#define HEAD  "sockmeter-plan 1\nclock auto\ncap 0\n"
#define WORDS "scenario=recv " WORDS_BUT_SCENARIO
#define WORDS_BUT_SCENARIO                                                                         \
	"call=recvfrom family=udp4 size=64 batch=1 name=yes control=none "                         \
	"connected=no cpu=1 priority=auto calls=5000 warmup=512 queue=64 observe=yes work=0"
#define SEGMENT "segment id=0 " WORDS "\n"

static struct plan plan;
static struct plan_error error;

static void the_golden_plan_is_understood(const char *path)
{
	static char text[8192];
	FILE *file = fopen(path, "re");

	CHECK(file);
	const size_t length = fread(text, 1, sizeof(text), file);

	fclose(file);
	CHECK_EQUAL(0, plan_read(&plan, text, length, &error));
	CHECK_EQUAL(CLOCK_AUTO, plan.clock);
	CHECK_EQUAL(5000, plan.cap);
	CHECK_EQUAL(4, plan.segment_count);

	const struct spec *second = &plan.segments[1];

	CHECK_EQUAL(1, second->id);
	CHECK_TEXT("send", second->scenario->name);
	CHECK_TEXT("sendmmsg", second->call->name);
	CHECK_TEXT("unix-dgram", second->family->name);
	CHECK_EQUAL(1400, second->size);
	CHECK_EQUAL(8, second->batch);
	CHECK_EQUAL(0, second->name);
	CHECK_EQUAL(CONTROL_NONE, second->control);
	CHECK_EQUAL(1, second->connected);
	CHECK_EQUAL(PLACE_ANY_CPU, second->cpu);
	CHECK_EQUAL(0, second->priority);
	CHECK_EQUAL(7, second->calls);
	CHECK_EQUAL(0, second->warmup);
	CHECK_EQUAL(32, second->queue);
	CHECK_EQUAL(0, second->observe);
	CHECK_EQUAL(20, second->work);
	CHECK_EQUAL(PLACE_AUTO_PRIORITY, plan.segments[0].priority);
	CHECK_EQUAL(CONTROL_TIMESTAMP, plan.segments[2].control);

	const struct spec *last = &plan.segments[3];

	CHECK_TEXT("zerocopy", last->scenario->name);
	CHECK_TEXT("sendmsg-gso", last->call->name);
	CHECK_TEXT("2001:2:0:2::2", last->to);
	CHECK_EQUAL(0, last->receiver);
	CHECK_EQUAL(0, last->gro);
	CHECK_EQUAL(42, last->segments);
	CHECK_EQUAL(256, last->buffers);
	CHECK_EQUAL(NOTIFY_RECVMMSG, last->zerocopy);
	CHECK_EQUAL(32, last->limit);
	CHECK_EQUAL(1, last->cork);
}

static void a_plan_of_no_segments_is_a_plan(void)
{
	const char text[] = "\n# nothing\n" HEAD "\nend\n";

	CHECK_EQUAL(0, plan_read(&plan, text, strlen(text), &error));
	CHECK_EQUAL(0, plan.segment_count);
}

static void every_end_of_a_range_is_in_it(void)
{
	const char text[] =
		"sockmeter-plan 1\nclock tsc\ncap 9223372036854775807\n"
		"segment id=2147483647 scenario=recv call=recvmmsg family=tcp4 size=1048576 "
		"batch=1024 name=yes control=buffer connected=yes cpu=8191 priority=99 "
		"calls=1073741824 warmup=1073741824 queue=65536 observe=no work=1048576\nend";

	CHECK_EQUAL(0, plan_read(&plan, text, strlen(text), &error));
	CHECK(plan.cap == INT64_MAX);
	CHECK_EQUAL(INT32_MAX, plan.segments[0].id);
	CHECK_EQUAL(1 << 30, plan.segments[0].calls);
}

struct bad_plan {
	const char *text;
	uint32_t line;
	const char *message;
};

static const struct bad_plan bad_plans[] = {
	{ "", 0, "the plan has no 'end': it is truncated, and nothing is run" },
	{ HEAD SEGMENT, 0, "the plan has no 'end': it is truncated, and nothing is run" },
	{ "sockmeter-plan 2\nend\n", 1,
	  "the first line is 'sockmeter-plan 2', not 'sockmeter-plan 1'" },
	{ "#\n\nclock auto\n", 3, "the first line is 'clock auto', not 'sockmeter-plan 1'" },
	{ "sockmeter-plan 1\nend\n", 2, "the plan has no clock" },
	{ "sockmeter-plan 1\nclock auto\nend\n", 3, "the plan has no cap" },
	{ "sockmeter-plan 1\nclock sundial\n", 2, "unknown clock 'sundial'" },
	{ HEAD "clock tsc\nend\n", 4, "clock is given twice" },
	{ HEAD "cap 1\nend\n", 4, "cap is given twice" },
	{ "sockmeter-plan 1\ncap 9223372036854775808\n", 2,
	  "cap 9223372036854775808 is not a whole number below 2^63" },
	{ "sockmeter-plan 1\ncap -1\n", 2, "cap -1 is not a whole number below 2^63" },
	{ "sockmeter-plan 1\ncap 0\n" SEGMENT, 3, "a segment before clock" },
	{ "sockmeter-plan 1\nclock auto\n" SEGMENT, 3, "a segment before cap" },
	{ HEAD "repeat 3\nend\n", 4, "unknown statement 'repeat'" },
	{ HEAD SEGMENT "cap 3\nend\n", 5, "unknown statement 'cap'" },
	{ HEAD "end now\n", 4, "'end' stands alone" },
	{ HEAD "end\nend\n", 5, "a statement after 'end'" },
	{ HEAD "segment id=0\nend\n", 4, "the segment has no scenario" },
	{ HEAD "segment scenario=recv call=recv family=udp4 id=0\nend\n", 4,
	  "the segment has no size" },
	{ HEAD "segment " WORDS "\nend\n", 4, "the segment has no id" },
	{ HEAD "segment id=0 wait=spin " WORDS "\nend\n", 4, "wait is no key of scenario recv" },
	{ HEAD "segment id=0 scenario=rr " WORDS_BUT_SCENARIO "\nend\n", 4,
	  "the segment has no wait" },
	{ HEAD "segment id=0 raw=maybe\n", 4, "raw=maybe is not one of its words" },
	{ HEAD "segment id=0 raw=yes scenario=recv call=recv family=udp4 size=1 batch=1 name=no "
	       "control=none connected=no cpu=1 priority=auto calls=1 warmup=0 queue=1 "
	       "observe=no work=0\n",
	  4, "raw=yes: with observe=no there are no differences" },
	{ HEAD "segment id=0 raw=yes scenario=recv call=recv family=udp4 size=1 batch=1 name=no "
	       "control=none connected=no cpu=1 priority=auto calls=32769 warmup=0 queue=1 "
	       "observe=yes work=0\n",
	  4, "raw=yes: calls=32769 is more than 32768" },
	{ HEAD "segment id=0 channels=16385\n", 4,
	  "channels=16385 is not a whole number from 1 to 16384" },
	{ HEAD "segment id=0 tick_us=99\n", 4,
	  "tick_us=99 is not a whole number from 100 to 10000000" },
	{ HEAD "segment id=0 duration_ms=3600001\n", 4,
	  "duration_ms=3600001 is not a whole number from 1 to 3600000" },
	{ HEAD "segment id=0 ring=square\n", 4, "ring=square is not one of its words" },
	{ HEAD "segment id=0 ring=sqpoll " WORDS "\nend\n", 4,
	  "ring, registered: recvfrom goes through no ring" },
	{ HEAD "segment id=0 registered=buffers scenario=recv call=uring-recv family=udp4 size=1 "
	       "batch=1 name=no control=none connected=no cpu=1 priority=auto calls=1 warmup=0 "
	       "queue=1 observe=yes work=0\n",
	  4, "registered=buffers: uring-recv takes no registered buffer" },
	{ HEAD "segment id=0 wait=doze\n", 4, "wait=doze is not one of its words" },
	{ HEAD "segment id=0 peer=pod\n", 4, "peer=pod is not one of its words" },
	{ HEAD "segment id=0 peer_cpu=-1\n", 4,
	  "peer_cpu=-1 is not a whole number from 0 to 8191" },
	{ HEAD SEGMENT SEGMENT "end\n", 5, "id=0 is used twice" },
	{ HEAD "segment id=0 id=1 " WORDS "\n", 4, "id is given twice" },
	{ HEAD "segment id=0 call=recv " WORDS "\n", 4, "call is given twice" },
	{ HEAD "segment id=0 color=red " WORDS "\n", 4, "unknown key 'color'" },
	{ HEAD "segment id=0  " WORDS "\n", 4, "'' is not key=value" },
	{ HEAD "segment id " WORDS "\n", 4, "'id' is not key=value" },
	{ HEAD "segment id=-1 " WORDS "\n", 4, "id=-1 is not a whole number from 0 to 2147483647" },
	{ HEAD "segment id=2147483648 " WORDS "\n", 4,
	  "id=2147483648 is not a whole number from 0 to 2147483647" },
	{ HEAD "segment id= " WORDS "\n", 4, "id= is not a whole number from 0 to 2147483647" },
	{ HEAD "segment id=1e3 " WORDS "\n", 4,
	  "id=1e3 is not a whole number from 0 to 2147483647" },
	{ HEAD "segment id=0 call=recvfro\n", 4, "unknown call 'recvfro'" },
	{ HEAD "segment id=0 scenario=sctp\n", 4, "unknown scenario 'sctp'" },
	{ HEAD "segment id=0 family=sctp4\n", 4, "unknown family 'sctp4'" },
	{ HEAD "segment id=0 size=0\n", 4, "size=0 is not a whole number from 1 to 1048576" },
	{ HEAD "segment id=0 batch=0\n", 4, "batch=0 is not a whole number from 1 to 1024" },
	{ HEAD "segment id=0 batch=1025\n", 4, "batch=1025 is not a whole number from 1 to 1024" },
	{ HEAD "segment id=0 name=maybe\n", 4, "name=maybe is not one of its words" },
	{ HEAD "segment id=0 name=1\n", 4, "name=1 is not one of its words" },
	{ HEAD "segment id=0 cpu=-2\n", 4, "cpu=-2 is not a whole number from 0 to 8191" },
	{ HEAD "segment id=0 priority=100\n", 4,
	  "priority=100 is not a whole number from 0 to 99" },
	{ HEAD "segment id=0 queue=0\n", 4, "queue=0 is not a whole number from 1 to 65536" },
	{ HEAD "segment id=0 "
	       "family=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
	  4, "unknown family 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'" },
};

static void every_bad_plan_has_its_line_and_words(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad_plans); i++) {
		const struct bad_plan *bad = &bad_plans[i];

		CHECK_EQUAL(-EINVAL, plan_read(&plan, bad->text, strlen(bad->text), &error));
		CHECK_TEXT(bad->message, error.text);
		CHECK_EQUAL(bad->line, error.line);
	}
}

/* A segment that differs from a good one in these words; the last of a key counts here. */
struct bad_combination {
	const char *scenario, *call, *family, *size, *batch, *name, *control, *connected;
	const char *message;
};

static const struct bad_combination bad_combinations[] = {
	{ "recv", "send", "udp4", "64", "1", "no", "none", "no",
	  "call send is not one of scenario recv" },
	{ "send", "recvmsg", "udp4", "64", "1", "no", "none", "no",
	  "call recvmsg is not one of scenario send" },
	{ "recv", "recv", "udp4", "65508", "1", "no", "none", "no",
	  "size=65508: a message of udp4 holds at most 65507 bytes" },
	{ "recv", "recv", "udp6", "65528", "1", "no", "none", "no",
	  "size=65528: a message of udp6 holds at most 65527 bytes" },
	{ "recv", "recvmsg", "udp4", "64", "2", "no", "none", "no",
	  "batch=2: recvmsg moves one message a call" },
	{ "recv", "null", "udp4", "64", "2", "no", "none", "no",
	  "batch=2: null moves one message a call" },
	{ "recv", "read", "udp4", "64", "1", "yes", "none", "no",
	  "name=yes: read cannot ask for the sender's address" },
	{ "send", "sendto", "udp4", "64", "1", "yes", "none", "no",
	  "name=yes: sendto cannot ask for the sender's address" },
	{ "recv", "recvfrom", "udp4", "64", "1", "no", "buffer", "no",
	  "control: recvfrom takes no control buffer" },
	{ "send", "sendmsg", "udp4", "64", "1", "no", "timestamp", "no",
	  "control: sendmsg takes no control buffer" },
	{ "recv", "recvmmsg", "udp4", "64", "65", "no", "none", "no",
	  "queue=64 is smaller than batch=65" },
	{ "recv", "recv", "tcp4", "64", "1", "no", "none", "no",
	  "connected=no: a tcp4 socket is always connected" },
	{ "send", "sendto", "unix-stream", "64", "1", "no", "none", "no",
	  "connected=no: a unix-stream socket is always connected" },
	{ "recv", "uring-recv-bundle", "udp4", "64", "8", "no", "none", "yes",
	  "call uring-recv-bundle: a bundle parts a stream, and udp4 is none" },
	{ "send", "uring-send-bundle", "unix-dgram", "64", "8", "no", "none", "yes",
	  "call uring-send-bundle: a bundle parts a stream, and unix-dgram is none" },
	{ "send", "write", "udp4", "64", "1", "no", "none", "no",
	  "connected=no: write cannot name a destination" },
	{ "send", "send", "unix-dgram", "64", "1", "no", "none", "no",
	  "connected=no: send cannot name a destination" },
};

static const struct bad_combination bad_conversations[] = {
	{ "rr", "recvmmsg", "udp4", "64", "8", "no", "none", "yes",
	  "call recvmmsg is not one of scenario rr" },
	{ "rr", "uring-recv-multishot", "udp4", "64", "1", "no", "none", "yes",
	  "call uring-recv-multishot is not one of scenario rr" },
	{ "rr", "uring-recvmsg", "udp4", "64", "1", "yes", "none", "no",
	  "connected=no: uring-recvmsg cannot learn whom to answer" },
	{ "rr", "uring-recv", "udp4", "64", "2", "no", "none", "yes",
	  "batch=2: one transaction is in flight at a time" },
	{ "rr", "uring-recv", "udp4", "64", "1", "no", "none", "no",
	  "connected=no: uring-recv cannot learn whom to answer" },
	{ "rr", "send", "udp4", "64", "1", "no", "none", "yes",
	  "call send is not one of scenario rr" },
	{ "rr", "read", "udp4", "64", "1", "no", "none", "no",
	  "connected=no: read cannot learn whom to answer" },
	{ "rr", "recvmsg", "udp4", "64", "1", "no", "buffer", "yes",
	  "control: scenario rr has no control data" },
};

static const struct bad_combination bad_channels[] = {
	{ "channels", "null", "udp4", "64", "1", "no", "none", "no",
	  "call null is not one of scenario channels" },
	{ "channels", "uring-recv-multishot", "udp4", "64", "1", "no", "none", "no",
	  "find=multishot: with and only with a multishot call" },
	{ "channels", "uring-recvmsg-multishot", "udp4", "64", "1", "no", "none", "no",
	  "call uring-recvmsg-multishot is not one of scenario channels" },
	{ "channels", "recv", "tcp4", "64", "1", "no", "none", "yes",
	  "family tcp4: scenario channels is UDP" },
	{ "channels", "recv", "unix-dgram", "64", "1", "no", "none", "no",
	  "family unix-dgram: scenario channels is UDP" },
	{ "channels", "recv", "udp4", "15", "1", "no", "none", "no",
	  "size=15: a message begins with a stamp of 16 bytes" },
	{ "channels", "recvmmsg", "udp4", "65507", "32", "no", "none", "no",
	  "size=65507, batch=32: more than 1048576 bytes" },
	{ "channels", "recvmsg", "udp4", "64", "1", "no", "timestamp", "no",
	  "control: scenario channels asks for no timestamps" },
};

static int read_combination(const struct bad_combination *bad, const char *more)
{
	char text[512];

	snprintf(text, sizeof(text),
		 HEAD "segment id=0 scenario=%s call=%s family=%s size=%s batch=%s name=%s "
		      "control=%s connected=%s cpu=1 priority=auto calls=1 warmup=0 queue=64 "
		      "observe=yes work=0%s\nend\n",
		 bad->scenario, bad->call, bad->family, bad->size, bad->batch, bad->name,
		 bad->control, bad->connected, more);
	return plan_read(&plan, text, strlen(text), &error);
}

static void every_impossible_combination_is_refused_with_its_line(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad_combinations); i++) {
		CHECK_EQUAL(-EINVAL, read_combination(&bad_combinations[i], ""));
		CHECK_TEXT(bad_combinations[i].message, error.text);
		CHECK_EQUAL(4, error.line);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad_conversations); i++) {
		CHECK_EQUAL(-EINVAL, read_combination(&bad_conversations[i],
						      " wait=block peer=thread peer_cpu=same"));
		CHECK_TEXT(bad_conversations[i].message, error.text);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad_channels); i++) {
		CHECK_EQUAL(-EINVAL, read_combination(&bad_channels[i],
						      " channels=1 interval_us=1000 tick_us=1000 "
						      "busy=0 duration_ms=1 find=scan "
						      "peer_cpu=same"));
		CHECK_TEXT(bad_channels[i].message, error.text);
	}
}

/* A segment of bulk that differs from a good one in these words. */
struct bad_sending {
	const char *call, *family, *to, *more;
	const char *message;
};

#define MORE                                                                                       \
	"size=1472 batch=1 connected=yes receiver=no gro=no segments=1 zerocopy=no limit=1 cork=1"
static const struct bad_sending bad_sendings[] = {
	{ "write", "udp4", "127.0.0.1", MORE, "call write is not one of scenario bulk" },
	{ "sendto", "udp4", "127.0.0.1", MORE, "call sendto is not one of scenario bulk" },
	{ "send", "unix-dgram", "127.0.0.1", MORE,
	  "family unix-dgram: scenario bulk needs a network" },
	{ "send", "udp6", "127.0.0.1", MORE, "to=127.0.0.1 is no address of udp6" },
	{ "send", "udp4", "::1", MORE, "to=::1 is no address of udp4" },
	{ "send", "udp4", "127.0.0.1.1", MORE, "to=127.0.0.1.1 is no address of udp4" },
	{ "send", "udp4", "1111:2222:3333:4444:5555:6666:7777:8888:9999", MORE,
	  "to=1111:2222:3333:4444:5555:6666:7777:8888:9999 is no address of udp4" },
	{ "send-gso", "tcp4", "127.0.0.1", MORE,
	  "call send-gso: a tcp4 socket has no UDP_SEGMENT" },
	{ "send", "udp4", "127.0.0.1",
	  "size=10 batch=1 connected=yes receiver=no gro=no segments=1 zerocopy=cqe limit=1 cork=1",
	  "zerocopy=cqe: send goes through no ring" },
	{ "uring-send-bundle", "tcp4", "127.0.0.1",
	  "size=10 batch=1 connected=yes receiver=no gro=no segments=1 zerocopy=cqe limit=1 cork=1",
	  "zerocopy=cqe: uring-send-bundle has no zerocopy form" },
	{ "uring-send", "udp4", "127.0.0.1",
	  "size=10 batch=1 connected=yes receiver=no gro=no segments=1 zerocopy=poll limit=1 "
	  "cork=1",
	  "zerocopy: the notifications of uring-send are completions, cqe" },
	{ "uring-send-zc", "udp4", "127.0.0.1", MORE,
	  "call uring-send-zc is not one of scenario bulk" },
	{ "uring-sendmsg", "udp4", "127.0.0.1", MORE " registered=buffers",
	  "registered=buffers: uring-sendmsg takes no registered buffer" },
	{ "uring-send", "udp4", "127.0.0.1",
	  "size=10 batch=1 connected=yes receiver=no gro=no segments=1 zerocopy=no limit=1 cork=2",
	  "cork=2: uring-send makes whole messages" },
	{ "uring-send-gso", "tcp4", "127.0.0.1", MORE,
	  "call uring-send-gso: a tcp4 socket has no UDP_SEGMENT" },
	{ "sendmsg", "udp4", "127.0.0.1",
	  "size=10 batch=1 connected=yes receiver=no gro=no segments=2 zerocopy=no limit=1 cork=1",
	  "segments=2: sendmsg sends whole messages" },
	{ "send-gso", "udp4", "127.0.0.1",
	  "size=1472 batch=1 connected=yes receiver=no gro=no segments=1000 zerocopy=no limit=1 "
	  "cork=1",
	  "size=1472, segments=1000: more than 1048576 bytes" },
	{ "send", "udp4", "127.0.0.1",
	  "size=10 batch=1 connected=yes receiver=no gro=yes segments=1 zerocopy=no limit=1 cork=1",
	  "gro=yes: there is no UDP receiver" },
	{ "send", "tcp4", "127.0.0.1",
	  "size=10 batch=1 connected=yes receiver=yes gro=yes segments=1 zerocopy=no limit=1 "
	  "cork=1",
	  "gro=yes: there is no UDP receiver" },
	{ "sendmmsg", "udp4", "127.0.0.1",
	  "size=10 batch=8 connected=yes receiver=no gro=no segments=1 zerocopy=no limit=1 cork=2",
	  "cork=2: sendmmsg makes whole messages" },
	{ "sendmmsg", "udp4", "127.0.0.1",
	  "size=10 batch=8 connected=yes receiver=no gro=no segments=1 zerocopy=poll limit=4 "
	  "cork=1",
	  "limit=4 is smaller than batch=8" },
	{ "send", "udp4", "127.0.0.1",
	  "size=10 batch=1 connected=yes receiver=no gro=no segments=1 zerocopy=poll limit=4 "
	  "cork=5",
	  "limit=4 is smaller than cork=5" },
	{ "send", "udp4", "127.0.0.1",
	  "size=10 batch=1 connected=no receiver=no gro=no segments=1 zerocopy=no limit=1 cork=1",
	  "connected=no: send cannot name a destination" },
	{ "sendmsg", "udp4", "127.0.0.1",
	  "size=10 batch=1 connected=no receiver=no gro=no segments=1 zerocopy=no limit=1 cork=1",
	  "connected=no: scenario bulk connects its socket" },
};

static void every_impossible_sending_is_refused_with_its_line(void)
{
	char text[768];

	for (size_t i = 0; i < ARRAY_SIZE(bad_sendings); i++) {
		const struct bad_sending *bad = &bad_sendings[i];

		snprintf(text, sizeof(text),
			 HEAD "segment id=0 scenario=bulk call=%s family=%s to=%s name=no "
			      "control=none cpu=1 priority=auto calls=1 warmup=0 queue=64 "
			      "observe=yes work=0 buffers=1 %s\nend\n",
			 bad->call, bad->family, bad->to, bad->more);
		CHECK_EQUAL(-EINVAL, plan_read(&plan, text, strlen(text), &error));
		CHECK_TEXT(bad->message, error.text);
		CHECK_EQUAL(4, error.line);
	}
}

static void a_key_of_another_scenario_is_refused(void)
{
	CHECK_EQUAL(-EINVAL,
		    plan_read(&plan, HEAD "segment id=0 cork=1 " WORDS "\nend\n",
			      strlen(HEAD "segment id=0 cork=1 " WORDS "\nend\n"), &error));
	CHECK_TEXT("cork is no key of scenario recv", error.text);
	CHECK_EQUAL(-EINVAL,
		    plan_read(&plan, HEAD "segment id=0 to=::1 " WORDS "\nend\n",
			      strlen(HEAD "segment id=0 to=::1 " WORDS "\nend\n"), &error));
	CHECK_TEXT("to is no key of scenario recv", error.text);
}

static void a_plan_holds_1024_segments_and_no_more(void)
{
	char *text = NULL;
	size_t size = 0;

	for (int count = PLAN_SEGMENTS_MAX; count <= PLAN_SEGMENTS_MAX + 1; count++) {
		FILE *memory = open_memstream(&text, &size);

		fputs(HEAD, memory);
		for (int i = 0; i < count; i++)
			fprintf(memory, "segment id=%d %s\n", i, WORDS);
		fputs("end\n", memory);
		fclose(memory);
		const int err = plan_read(&plan, text, size, &error);

		CHECK_EQUAL(count == PLAN_SEGMENTS_MAX ? 0 : -EINVAL, err);
		free(text);
	}
	CHECK_TEXT("more than 1024 segments", error.text);
	CHECK_EQUAL(3 + 1025, error.line);
}

int main(int argc, char **argv)
{
	CHECK_EQUAL(2, argc);
	the_golden_plan_is_understood(argv[1]);
	a_plan_of_no_segments_is_a_plan();
	every_end_of_a_range_is_in_it();
	every_bad_plan_has_its_line_and_words();
	every_impossible_combination_is_refused_with_its_line();
	every_impossible_sending_is_refused_with_its_line();
	a_key_of_another_scenario_is_refused();
	a_plan_holds_1024_segments_and_no_more();
	return 0;
}
