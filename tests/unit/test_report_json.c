// SPDX-License-Identifier: GPL-2.0-or-later
// The result document: refused numbers cannot be picked up, and the schema accepts it.
#include "rules_case.h"

#include <fcntl.h>
#include <sys/wait.h>

#include "report/json.h"

#define ROUNDS 6

static void measurement_make(struct measurement *m, struct scene *s, const char *case_id)
{
	*m = (struct measurement){ .target = xstrdup("t0"),
		.workload = "read-path",
		.case_id = case_id,
		.claim = s->evidence.claim,
		.conduct = s->evidence.conduct,
		.metric = "throughput",
		.unit = "B/s",
		.higher_is_better = true,
		.samples = ROUNDS,
		.median = 123456789,
		.low = 123456000,
		.high = 123457000,
		.spread = 0.01,
		.has_interval = true };
	m->sample = xcalloc(ROUNDS, sizeof(*m->sample));
	for (unsigned n = 0; n < ROUNDS; n++) {
		m->sample[n] = (struct sample){ .round = n,
			.order = n % 2,
			.value = 123456789,
			.bytes = ASKED,
			.ios = 256,
			.ns = 300000000,
			.ledger = s->ledger };
		scene_judge(s, RULE_ROUND, &m->sample[n].findings);
		findings_merge(&m->findings, &m->sample[n].findings);
	}
	m->verdict = findings_verdict(&m->findings);
}

static void environment_make(struct environment *e)
{
	*e = (struct environment){ .kernel = xstrdup("6.18.44"),
		.machine = xstrdup("x86_64"),
		.cpus = 2,
		.memory_bytes = 4 * GIB,
		.cap_known = true,
		.cap_sys_admin = true,
		.private_cgroup = true };
}

static void target_make(struct target_report *t, struct stack stack)
{
	*t = (struct target_report){ .id = xstrdup("t0"),
		.path = xstrdup("/srv/\xff\xfe\x1b[31mred"),
		.fixture = json_pack("{s:s}", "spec", "ext4"),
		.stack = stack };
}

/* One target, a refused direct and a trusted warm measurement, and one check. */
static void result_make(struct result *r)
{
	struct scene direct, warm;

	scene_honest(&direct, scene_fixture, SCENE_DIRECT);
	scene_reads(&direct, "vda1", 0);
	scene_reads(&direct, "vda", 0);
	scene_honest(&warm, scene_fixture, SCENE_WARM);
	*r = (struct result){ .seed = 42,
		.started_at = 1700000000,
		.complete = true,
		.verdict = VERDICT_REFUSED,
		.targets = 1,
		.measurements = 2,
		.checks = 1 };
	r->command = xcalloc(2, sizeof(*r->command));
	r->command[r->command_count++] = xstrdup("ioproof");
	r->command[r->command_count++] = xstrdup("run");
	environment_make(&r->environment);
	r->measurement = xcalloc(2, sizeof(*r->measurement));
	measurement_make(&r->measurement[0], &direct, "direct");
	measurement_make(&r->measurement[1], &warm, "warm");
	r->target = xcalloc(1, sizeof(*r->target));
	target_make(&r->target[0], direct.stack);
	stack_free(&warm.stack);
	r->check = xcalloc(1, sizeof(*r->check));
	r->check[0] = (struct check){ .target = xstrdup("t0"),
		.workload = "read-path",
		.check = "misaligned",
		.answer = xstrdup("EINVAL") };
}

static json_t *measurement_of(json_t *document, size_t index)
{
	return json_array_get(json_object_get(document, "measurements"), index);
}

static void test_refused_measurement_carries_no_number(void **state)
{
	_cleanup_(result_free) struct result r;
	json_t *document, *m;

	result_make(&r);
	document = result_document(&r);
	m = measurement_of(document, 0);
	assert_string_equal(json_string_value(json_object_get(m, "verdict")), "refused");
	assert_true(json_is_null(json_object_get(m, "median")));
	assert_true(json_is_null(json_object_get(m, "ci95")));
	assert_true(json_is_null(json_object_get(m, "spread")));
	assert_true(json_is_null(json_object_get(m, "latency_ns")));
	assert_null(json_object_get(m, "samples"));
	m = json_object_get(m, "withheld");
	assert_true(json_real_value(json_object_get(m, "median")) == 123456789);
	assert_int_equal(json_array_size(json_object_get(m, "samples")), ROUNDS);
	json_decref(document);
}

static void test_trusted_measurement_carries_its_numbers_and_its_proof(void **state)
{
	_cleanup_(result_free) struct result r;
	json_t *document, *m, *layers;

	result_make(&r);
	document = result_document(&r);
	m = measurement_of(document, 1);
	assert_string_equal(json_string_value(json_object_get(m, "verdict")), "trusted");
	assert_string_equal(json_string_value(json_object_get(m, "horizon")), "vda");
	assert_true(json_real_value(json_object_get(m, "median")) == 123456789);
	assert_int_equal(json_array_size(json_object_get(m, "ci95")), 2);
	assert_null(json_object_get(m, "withheld"));
	layers = json_object_get(json_object_get(m, "ledger"), "layers");
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(layers, "loop3"), "read_bytes")),
		0);
	json_decref(document);
}

static void test_ledger_totals_are_sums_over_rounds_and_null_when_one_is_unknown(void **state)
{
	_cleanup_(result_free) struct result r;
	json_t *document, *ledger, *layers;

	result_make(&r);
	r.measurement[0].sample[3].ledger.process.known = false;
	document = result_document(&r);
	ledger = json_object_get(measurement_of(document, 0), "ledger");
	layers = json_object_get(ledger, "layers");
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(layers, "loop3"), "read_bytes")),
		ROUNDS * ASKED);
	assert_true(json_is_null(json_object_get(ledger, "process")));
	json_decref(document);
}

static void test_measurement_without_interval_or_samples_has_nulls(void **state)
{
	_cleanup_(result_free) struct result r;
	json_t *document, *m;

	result_make(&r);
	r.measurement[1].has_interval = false;
	document = result_document(&r);
	assert_true(json_is_null(json_object_get(measurement_of(document, 1), "ci95")));
	json_decref(document);
	r.measurement[1].samples = 0;
	document = result_document(&r);
	m = measurement_of(document, 1);
	assert_true(json_is_null(json_object_get(m, "median")));
	assert_true(json_is_null(json_object_get(m, "ledger")));
	assert_int_equal(json_array_size(json_object_get(m, "samples")), 0);
	json_decref(document);
	r.measurement[1].samples = ROUNDS;
}

static void test_latency_has_only_percentiles_that_samples_support(void **state)
{
	_cleanup_(result_free) struct result r;
	json_t *document, *latency;

	result_make(&r);
	r.measurement[1].latency = xcalloc(1, sizeof(struct histogram));
	histogram_reset(r.measurement[1].latency);
	for (uint64_t ns = 1; ns <= 100; ns++)
		histogram_insert(r.measurement[1].latency, ns);
	document = result_document(&r);
	latency = json_object_get(measurement_of(document, 1), "latency_ns");
	assert_true(json_is_integer(json_object_get(latency, "p50")));
	assert_true(json_is_null(json_object_get(latency, "p99")));
	assert_true(json_is_null(json_object_get(latency, "p99.9")));
	assert_int_equal(json_integer_value(json_object_get(latency, "max")), 100);
	json_decref(document);
}

static void test_seed_above_63_bits_is_kept_exactly(void **state)
{
	_cleanup_(result_free) struct result r;
	json_t *document;

	result_make(&r);
	r.seed = UINT64_MAX;
	document = result_document(&r);
	assert_string_equal(
		json_string_value(json_object_get(document, "seed")), "18446744073709551615");
	json_decref(document);
}

#define VALIDATOR_MISSING 77

/* Exit status of the validator on a document written to a file. */
static int validate_file(const char *path)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		int quiet = open("/dev/null", O_WRONLY);

		dup2(quiet, STDERR_FILENO);
		execlp("python3", "python3", "tests/validate_document.py", path, (char *)NULL);
		_exit(VALIDATOR_MISSING);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int validate(json_t *document)
{
	char path[] = "/tmp/ioproof-document-XXXXXX";
	int fd = mkstemp(path), status;

	assert_true(fd >= 0);
	assert_int_equal(json_dumpfd(document, fd, 0), 0);
	close(fd);
	status = validate_file(path);
	unlink(path);
	if (status == VALIDATOR_MISSING) {
		print_message("SKIP: python3 with jsonschema is needed to validate documents\n");
		skip();
	}
	return status;
}

static int validate_result(const struct result *result)
{
	json_t *document = result_document(result);
	int status = validate(document);

	json_decref(document);
	return status;
}

static void test_documents_of_all_verdicts_are_valid(void **state)
{
	_cleanup_(result_free) struct result r, empty = { .complete = false };

	result_make(&r);
	assert_int_equal(validate_result(&r), 0);
	assert_int_equal(validate_result(&empty), 0);
	r.seed = UINT64_MAX;
	r.measurement[1].has_interval = false;
	r.measurement[1].spread = 1.0 / 0.0;
	assert_int_equal(validate_result(&r), 0);
}

static void put_median(json_t *document)
{
	json_object_set_new(measurement_of(document, 0), "median", json_real(1));
}

static void put_samples(json_t *document)
{
	json_object_set_new(measurement_of(document, 0), "samples", json_array());
}

static void put_interval(json_t *document)
{
	json_t *withheld = json_object_get(measurement_of(document, 0), "withheld");

	json_object_set(measurement_of(document, 0), "ci95", json_object_get(withheld, "ci95"));
}

static void call_it_trusted(json_t *document)
{
	json_object_set_new(measurement_of(document, 0), "verdict", json_string("trusted"));
}

static void put_unknown_key(json_t *document)
{
	json_object_set_new(measurement_of(document, 1), "mean", json_real(1));
}

static void put_negative_bytes(json_t *document)
{
	json_t *ledger = json_object_get(measurement_of(document, 1), "ledger");

	json_object_set_new(json_object_get(ledger, "asked"), "bytes", json_integer(-1));
}

static void drop_claim(json_t *document)
{
	json_object_del(measurement_of(document, 1), "claim");
}

static void put_other_schema(json_t *document)
{
	json_object_set_new(document, "schema", json_string("ioproof.result/2"));
}

/* The schema must object, or validating says nothing. */
static void test_schema_rejects_documents_that_break_the_contract(void **state)
{
	void (*const breaks[])(json_t *) = { put_median, put_samples, put_interval, call_it_trusted,
		put_unknown_key, put_negative_bytes, drop_claim, put_other_schema };
	_cleanup_(result_free) struct result r;

	result_make(&r);
	for (size_t i = 0; i < ARRAY_SIZE(breaks); i++) {
		json_t *document = result_document(&r);

		breaks[i](document);
		assert_int_equal(validate(document), 1);
		json_decref(document);
	}
}

static void test_written_document_is_what_was_built(void **state)
{
	_cleanup_(result_free) struct result r;
	_cleanup_file_ FILE *file = tmpfile();
	json_t *built, *read;

	result_make(&r);
	assert_non_null(file);
	assert_int_equal(document_write(result_document(&r), file), 0);
	rewind(file);
	read = json_loadf(file, 0, NULL);
	built = result_document(&r);
	assert_true(json_equal(built, read));
	json_decref(built);
	json_decref(read);
}

static void test_write_to_a_full_stream_fails(void **state)
{
	_cleanup_(result_free) struct result r;
	_cleanup_file_ FILE *full = fopen("/dev/full", "w");

	result_make(&r);
	if (!full) {
		print_message("SKIP: no /dev/full here\n");
		skip();
	}
	assert_true(document_write(result_document(&r), full) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused_measurement_carries_no_number),
		cmocka_unit_test(test_trusted_measurement_carries_its_numbers_and_its_proof),
		cmocka_unit_test(
			test_ledger_totals_are_sums_over_rounds_and_null_when_one_is_unknown),
		cmocka_unit_test(test_measurement_without_interval_or_samples_has_nulls),
		cmocka_unit_test(test_latency_has_only_percentiles_that_samples_support),
		cmocka_unit_test(test_seed_above_63_bits_is_kept_exactly),
		cmocka_unit_test(test_documents_of_all_verdicts_are_valid),
		cmocka_unit_test(test_schema_rejects_documents_that_break_the_contract),
		cmocka_unit_test(test_written_document_is_what_was_built),
		cmocka_unit_test(test_write_to_a_full_stream_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
