/* SPDX-License-Identifier: MIT */
/*
 * The plugin as QEMU sees it. Until the first mark of a segment nothing is instrumented but the
 * marks themselves, so that a guest boots at full speed; the first one has all code translated
 * anew, from then on with a call for each block and each instruction.
 *
 * Arguments: out=FILE, vector=LOW-HIGH and fault=ADDRESS (hexadecimal, any number of each).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "qemu_abi.h"
#include "trace.h"

int qemu_plugin_version = TALLY_API;

static qemu_plugin_id_t plugin;
static FILE *report;
static bool is_instrumenting;
static bool is_asked; /* for the new translation, which comes a little later */

#if TALLY_API >= 3
static const uint8_t *insn_bytes(const struct qemu_plugin_insn *insn, uint8_t buffer[static 16])
{
	qemu_plugin_insn_data(insn, buffer, 16);
	return buffer;
}
#else
static const uint8_t *insn_bytes(const struct qemu_plugin_insn *insn, uint8_t buffer[static 16])
{
	(void)buffer;
	return qemu_plugin_insn_data(insn);
}
#endif

static void on_block(unsigned int cpu, void *block)
{
	trace_block(cpu, block);
}

static void on_insn(unsigned int cpu, void *unused)
{
	(void)cpu;
	(void)unused;
	trace_begun++;
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);

static void on_reset(qemu_plugin_id_t id)
{
	is_instrumenting = true;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
}

static void on_begin(unsigned int cpu, void *unused)
{
	(void)cpu;
	(void)unused;
	if (!is_asked)
		qemu_plugin_reset(plugin, on_reset);
	is_asked = true;
	trace_begin();
}

static void on_arm(unsigned int cpu, void *unused)
{
	(void)cpu;
	(void)unused;
	trace_arm();
}

static void on_end(unsigned int cpu, void *unused)
{
	(void)cpu;
	(void)unused;
	trace_end(report);
	fflush(report);
}

static void listen_for_mark(struct qemu_plugin_insn *insn, enum insn_kind kind)
{
	qemu_plugin_vcpu_udata_cb_t heard;

	switch (kind) {
	case INSN_BEGIN:
		heard = on_begin;
		break;
	case INSN_ARM:
		heard = on_arm;
		break;
	case INSN_END:
		heard = on_end;
		break;
	default:
		return;
	}
	qemu_plugin_register_vcpu_insn_exec_cb(insn, heard, QEMU_PLUGIN_CB_NO_REGS, NULL);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	static struct block_draft draft;
	const size_t count = qemu_plugin_tb_n_insns(tb);

	(void)id;
	if (!count)
		return;
	block_draft_init(&draft, qemu_plugin_tb_vaddr(tb));
	for (size_t i = 0; i < count && i < BLOCK_INSNS_MAX; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint8_t buffer[16] = { 0 };

		block_draft_add(&draft, insn_bytes(insn, buffer), qemu_plugin_insn_size(insn));
		if (is_instrumenting)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_insn,
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
		listen_for_mark(insn, (enum insn_kind)draft.kinds[i]);
	}
	if (is_instrumenting)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS,
						     block_of(&draft));
}

static int read_argument(const char *argument)
{
	char *rest;

	if (!strncmp(argument, "out=", 4)) {
		report = fopen(argument + 4, "we");
		return report ? 0 : -errno;
	}
	if (!strncmp(argument, "fault=", 6)) {
		const uint64_t entry = strtoull(argument + 6, &rest, 16);

		return *rest ? -EINVAL : trace_add_fault(entry);
	}
	if (!strncmp(argument, "vector=", 7)) {
		const uint64_t low = strtoull(argument + 7, &rest, 16);

		if (*rest != '-')
			return -EINVAL;
		const uint64_t high = strtoull(rest + 1, &rest, 16);

		return *rest ? -EINVAL : trace_add_vector(low, high);
	}
	return -EINVAL;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	if (strcmp(info->target_name, "x86_64") || !info->system_emulation) {
		fputs("tally: it reads x86-64 instructions of a whole machine only\n", stderr);
		return -1;
	}
	for (int i = 0; i < argc; i++) {
		const int err = read_argument(argv[i]);

		if (err) {
			fprintf(stderr, "tally: %s: %s\n", argv[i], strerror(-err));
			return -1;
		}
	}
	if (!report) {
		fputs("tally: out=FILE is missing\n", stderr);
		return -1;
	}
	fputs("sockmeter-tally 1\n", report);
	fflush(report);
	plugin = id;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	return 0;
}
