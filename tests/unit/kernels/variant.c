/* variant.c: what a variant's JSON says, what is refused and where, and
 * configurations as JSON. */
#include "fixture.h"

#include "variant.h"

#define TWO_STEPS                                                                            \
	"'Temporaries':[{'Name':'packed','Bytes':'8 * k'}],"                                 \
	"'Steps':[{'KernelName':'pack','When':'m > 1','GlobalSize':{'X':'compute_units'},"   \
	"'Arguments':['b','packed']},"                                                       \
	"{'KernelName':'multiply','GlobalSize':{'X':'n','Y':'m','Z':1},'LocalSize':{'X':1}," \
	"'Arguments':['packed','c']}],"

static void reads_what_it_says(void **state)
{
	(void)state;
	struct mmt_error error = {0};
	struct kern_variant *variant = fixture_variant(
		FIXTURE_TILED("'Accuracy':'tf32','Summary':'tiles','LocalMemoryBytes':4096,'Priority':{'gpu':7},"
			      "'Requires':[{'Expression':'fp64 or element_bytes != 8','Message':'needs fp64'}],"),
		&error);
	if (!variant)
		fail_msg("%s", error.message);
	assert_string_equal(variant->name, "tiled");
	assert_string_equal(variant->family, "matmul");
	assert_string_equal(variant->summary, "tiles");
	assert_string_equal(variant->compiler_options, "-cl-mad-enable");
	assert_int_equal(variant->n_parameters, 3);
	assert_int_equal(variant->parameters[0].defaults[KERN_CPU], 1);
	assert_string_equal(variant->parameters[1].values[1].string, "fast-1");
	assert_int_equal(variant->parameters[2].values[0].kind, EXPR_REAL);
	assert_int_equal(variant->type_mask, 1U << MMT_F32 | 1U << MMT_F64);
	assert_int_equal(variant->accuracy, MMT_ACCURACY_TF32);
	assert_int_equal(variant->priority[KERN_GPU], 7);
	assert_int_equal(variant->priority[KERN_CPU], 0);
	assert_int_equal(variant->n_conditions, 1);
	assert_int_equal(variant->n_requirements, 1);
	assert_int_equal(variant->n_steps, 1);
	assert_int_equal(variant->steps[0].dimensions, 2);
	assert_int_equal(variant->steps[0].n_arguments, 7);
	kern_variant_destroy(variant);
}

static void steps_rule_where_there_are_steps(void **state)
{
	(void)state;
	struct mmt_error error = {0};
	struct kern_variant *variant = fixture_variant(FIXTURE_TILED(TWO_STEPS), &error);
	if (!variant)
		fail_msg("%s", error.message);
	assert_int_equal(variant->n_steps, 2);
	assert_string_equal(variant->steps[0].entry, "pack");
	assert_non_null(variant->steps[0].when);
	assert_null(variant->steps[0].local[0]);
	assert_int_equal(variant->steps[1].dimensions, 3);
	assert_null(variant->steps[1].local[1]);
	kern_variant_destroy(variant);
}

static void textbook_points_fill_in_defaults(void **state)
{
	(void)state;
	struct mmt_error error = {0};
	uint16_t indices[3];
	struct kern_device gpu = {.type = KERN_GPU}, cpu = {.type = KERN_CPU};
	struct mmt_problem problem;
	mmt_problem_init(&problem);
	struct kern_variant *variant = fixture_variant(
		FIXTURE_TILED("'Rung':5,'Defaults':{'gpu':{'TILE':64}},'Textbook':[{'TILE':8},{'MODE':'plain'}],"),
		&error);
	if (!variant)
		fail_msg("%s", error.message);
	assert_int_equal(variant->rung, 5);
	assert_int_equal(variant->n_textbook, 2);
	kern_textbook_point(variant, 0, &problem, &gpu, indices);
	assert_int_equal(variant->parameters[0].values[indices[0]].integer, 8);
	assert_int_equal(indices[1], variant->parameters[1].defaults[KERN_GPU]);
	kern_textbook_point(variant, 1, &problem, &gpu, indices);
	assert_int_equal(variant->parameters[0].values[indices[0]].integer, 64);
	assert_string_equal(variant->parameters[1].values[indices[1]].string, "plain");
	kern_textbook_point(variant, 1, &problem, &cpu, indices);
	assert_int_equal(indices[0], variant->parameters[0].defaults[KERN_CPU]);
	kern_variant_destroy(variant);
	variant = fixture_variant(FIXTURE_TILED(""), &error);
	assert_non_null(variant);
	assert_int_equal(variant->rung, 0);
	assert_int_equal(variant->n_textbook, 0);
	kern_variant_destroy(variant);
}

static int64_t default_tile(const struct kern_variant *variant, enum mmt_type type, const struct kern_device *device)
{
	uint16_t indices[3];
	struct mmt_problem problem;
	mmt_problem_init(&problem);
	problem.type = type;
	kern_default_configuration(variant, &problem, device, indices);
	return variant->parameters[0].values[indices[0]].integer;
}

static void a_default_may_be_computed(void **state)
{
	(void)state;
	struct mmt_error error = {0};
	struct kern_device gpu = {.type = KERN_GPU, .preferred_vector_float = 4};
	struct kern_device cpu = {.type = KERN_CPU, .preferred_vector_float = 8, .preferred_vector_double = 4};
	struct kern_variant *variant = fixture_variant(
		FIXTURE_TILED("'Defaults':{'cpu':{'TILE':'9 * vector_width'},'gpu':{'TILE':8}},"), &error);
	if (!variant)
		fail_msg("%s", error.message);
	assert_int_equal(default_tile(variant, MMT_F32, &cpu), 64); /* the largest that is not above 72 */
	assert_int_equal(default_tile(variant, MMT_F64, &cpu), 16);
	assert_int_equal(default_tile(variant, MMT_F32, &gpu), 8);
	cpu.preferred_vector_float = 0; /* below all: the smallest */
	assert_int_equal(default_tile(variant, MMT_F32, &cpu), 8);
	kern_variant_destroy(variant);
	variant = fixture_variant(FIXTURE_TILED("'Defaults':{'cpu':{'TILE':'1 // (vector_width - 8)'}},"), &error);
	assert_non_null(variant);
	cpu.preferred_vector_float = 8; /* no value: T1's Default */
	assert_int_equal(default_tile(variant, MMT_F32, &cpu), 16);
	kern_variant_destroy(variant);
	assert_null(fixture_variant(FIXTURE_TILED("'Defaults':{'cpu':{'TILE':'vector_widht'}},"), &error));
	assert_non_null(strstr(error.message, "Mmtune.Defaults: column 1: unknown name 'vector_widht'"));
}

static void hashes_tell_a_change(void **state)
{
	(void)state;
	struct mmt_error error = {0};
	char *json = fixture_json(FIXTURE_TILED(""));
	struct kern_variant *one = kern_variant_create("a.json", json, "x", &error);
	struct kern_variant *two = kern_variant_create("a.json", json, "y", &error);
	assert_string_equal(one->spec_sha256, two->spec_sha256);
	assert_string_not_equal(one->source_sha256, two->source_sha256);
	kern_variant_destroy(two);
	json_t *root = json_loads(json, 0, NULL);
	json_object_set_new(json_object_get(root, "ConfigurationSpace"), "Conditions", json_array());
	char *looser = json_dumps(root, JSON_INDENT(2));
	two = kern_variant_create("a.json", looser, "x", &error);
	assert_string_equal(one->spec_sha256, two->spec_sha256); /* the space is another, the launch is not */
	kern_variant_destroy(two);
	json_object_set_new(json_object_get(root, "KernelSpecification"), "CompilerOptions", json_pack("[s]", "-DX=1"));
	char *other = json_dumps(root, JSON_INDENT(2));
	two = kern_variant_create("a.json", other, "x", &error);
	assert_string_not_equal(one->spec_sha256, two->spec_sha256);
	kern_variant_destroy(one);
	kern_variant_destroy(two);
	json_decref(root);
	free(other);
	free(looser);
	free(json);
}

static void other_tuners_files_are_listed_only(void **state)
{
	(void)state;
	struct mmt_error error = {0};
	struct kern_variant *variant = fixture_variant(FIXTURE_T1(FIXTURE_PARAMETERS, "") "}", &error);
	if (!variant)
		fail_msg("%s", error.message);
	assert_string_equal(variant->family, KERN_USER_FAMILY);
	assert_int_equal(variant->n_steps, 0);
	assert_int_equal(variant->type_mask, 0);
	assert_int_equal(variant->n_parameters, 3);
	kern_variant_destroy(variant);
}

static void defaults_may_be_lists_of_one(void **state)
{
	(void)state;
	struct mmt_error error = {0};
	struct kern_variant *variant =
		fixture_variant(FIXTURE_T1("{'Name':'A','Values':'[1, 2]','Default':[2]}", "") "}", &error);
	if (!variant)
		fail_msg("%s", error.message);
	assert_int_equal(variant->parameters[0].defaults[KERN_CPU], 1);
	kern_variant_destroy(variant);
}

/* The message must name the place. */
static void refused(const char *text, const char *place)
{
	struct mmt_error error = {0};
	struct kern_variant *variant = fixture_variant(text, &error);
	if (variant)
		fail_msg("accepted, though wrong at %s", place);
	assert_int_equal(error.code, MMT_INVALID_ARGUMENT);
	if (strncmp(error.message, "matmul/tiled.json: ", 19) != 0 || !strstr(error.message, place))
		fail_msg("'%s' does not name '%s'", error.message, place);
}

static void bad_json_is_located(void **state)
{
	(void)state;
	refused("{'General':\n oops}", "line 2");
	refused("[]", "not an object");
	refused("{'a':1,'a':2}", "line 1");
	refused("{}", "ConfigurationSpace");
}

static void bad_parameters_are_located(void **state)
{
	(void)state;
	refused(FIXTURE_T1("{'Name':'m','Values':'[1]'}", "") "}", "TuningParameters[0].Name: 'm' is reserved");
	refused(FIXTURE_T1("{'Name':'PROBLEM_X','Values':'[1]'}", "") "}", "reserved");
	refused(FIXTURE_T1("{'Name':'REAL','Values':'[1]'}", "") "}", "reserved");
	refused(FIXTURE_T1("{'Name':'A B','Values':'[1]'}", "") "}", "identifier");
	refused(FIXTURE_T1("{'Name':'A','Values':'[1]'},{'Name':'A','Values':'[1]'}", "") "}",
		"TuningParameters[1].Name: 'A' is there twice");
	refused(FIXTURE_T1("{'Name':'A','Values':'[1, '}", "") "}", "TuningParameters[0].Values: column");
	refused(FIXTURE_T1("{'Name':'A','Values':[]}", "") "}", "0 values");
	refused(FIXTURE_T1("{'Name':'A','Values':[[1]]}", "") "}", "no number");
	refused(FIXTURE_T1("{'Name':'A','Values':['x; rm']}", "") "}", "TuningParameters[0].Values");
	refused(FIXTURE_T1("{'Name':'A','Values':'[`a b`]'}", "") "}", "other than A-Z");
	refused(FIXTURE_T1("{'Name':'A','Values':'[1, 2]','Default':3}", "") "}", "TuningParameters[0].Default");
}

static void bad_expressions_are_located(void **state)
{
	(void)state;
	refused(FIXTURE_T1(FIXTURE_PARAMETERS, "{'Expression':'TILE > 1'},{'Expression':'TILLE > 1'}") "}",
		"Conditions[1]: column 1");
	/* T1's own expressions know parameters only, so that other tuners can read them. */
	refused(FIXTURE_T1(FIXTURE_PARAMETERS, "{'Expression':'m > 1'}") "}", "Conditions[0]: column 1");
	refused(FIXTURE_TILED("'BytesRead':'m * q',"), "Mmtune.BytesRead: column 5");
	refused(FIXTURE_TILED("'LocalMemoryBytes':[],"), "Mmtune.LocalMemoryBytes");
	refused(FIXTURE_TILED("'Requires':[{'Expression':'fp65','Message':''}],"), "Mmtune.Requires[0]: column 1");
	refused(FIXTURE_TILED("'Steps':[{'KernelName':'x','GlobalSize':{'X':'n','Y':'mm'},'Arguments':[]}],"),
		"Mmtune.Steps[0].GlobalSize.Y: column 1");
}

static void bad_mmtune_is_located(void **state)
{
	(void)state;
	refused(FIXTURE_TILED("'Sumary':'',"), "Mmtune: unknown key 'Sumary'");
	refused(FIXTURE_TILED("'Accuracy':'exact',"), "Mmtune.Accuracy");
	refused(FIXTURE_TILED("'Priority':{'tpu':1},"), "Mmtune.Priority: unknown key 'tpu'");
	refused(FIXTURE_TILED("'Priority':{'cpu':-1},"), "Mmtune.Priority");
	refused(FIXTURE_TILED("'Rung':0,"), "Mmtune.Rung");
	refused(FIXTURE_TILED("'Textbook':{},"), "Mmtune.Textbook: is not an array");
	refused(FIXTURE_TILED("'Textbook':[{},{'TILLE':8}],"), "Mmtune.Textbook[1]: there is no parameter 'TILLE'");
	refused(FIXTURE_TILED("'Textbook':[{'TILE':9}],"), "Mmtune.Textbook[0]: is not one of the values");
	refused(FIXTURE_TILED("'Requires':[{'Expression':'fp64'}],"), "Mmtune.Requires[0]");
	refused(FIXTURE_TILED("'Temporaries':[{'Name':'x'}],"), "Mmtune.Temporaries[0]: needs Bytes");
	refused(FIXTURE_TILED("'Temporaries':[{'Name':'x','Width':1}],"), "an image needs Width and Height");
	refused(FIXTURE_TILED("'Temporaries':[{'Name':'x','Width':1,'Height':1,'Bytes':1}],"), "unknown key 'Bytes'");
	refused(FIXTURE_TILED("'Temporaries':[{'Name':'tile','Bytes':1}],"), "two temporaries or locals 'tile'");
	refused(FIXTURE_TILED("'Temporaries':[{'Name':'alpha','Bytes':1}],"), "'alpha' is the family's name");
	refused(FIXTURE_TILED("'Steps':[],"), "Mmtune.Steps: is empty");
	refused(FIXTURE_TILED("'Steps':[{'KernelName':'x','GlobalSize':{'X':'n'},'Arguments':['d']}],"),
		"argument 'd'");
	refused(FIXTURE_TILED("'Steps':[{'KernelName':'x y','GlobalSize':{'X':'n'},'Arguments':[]}],"),
		"Mmtune.Steps[0].KernelName");
	refused(FIXTURE_TILED("'Steps':[{'KernelName':'x','GlobalSize':{'Y':'n'},'Arguments':[]}],"),
		"comes without X");
	refused(FIXTURE_TILED("'Steps':[{'KernelName':'x','GlobalSize':{'X':1},'LocalSize':{'X':1,'Y':1},"
			      "'Arguments':[]}],"),
		"more dimensions");
	refused(FIXTURE_T1(FIXTURE_PARAMETERS, "") ",'Mmtune':{'Family':'matmool','Types':['f32']}}", "matmool");
	refused(FIXTURE_T1(FIXTURE_PARAMETERS, "") ",'Mmtune':{'Family':'matmul','Types':['f31']}}", "Mmtune.Types");
	refused(FIXTURE_T1(FIXTURE_PARAMETERS, "") ",'Mmtune':{'Family':'matmul','Types':[]}}", "names no type");
}

static void too_many_parameters_are_refused(void **state)
{
	(void)state;
	char text[8192] = "{'ConfigurationSpace':{'TuningParameters':[";
	for (int i = 0; i < 49; i++)
		sprintf(text + strlen(text), "%s{'Name':'P%d','Values':[1]}", i ? "," : "", i);
	strcat(text, "]},'KernelSpecification':{'Language':'OpenCL'}}");
	refused(text, "TuningParameters: has over 47");
}

static void configurations_survive_json(void **state)
{
	(void)state;
	struct mmt_error error = {0};
	struct kern_variant *variant = fixture_variant(FIXTURE_TILED(""), &error);
	const uint16_t indices[3] = {2, 0, 1};
	uint16_t back[3] = {9, 9, 9};
	json_t *object = kern_configuration_to_json(variant, indices);
	char *text = json_dumps(object, JSON_COMPACT);
	assert_string_equal(text, "{\"TILE\":64,\"MODE\":\"plain\",\"SCALE\":2.0}");
	assert_int_equal(kern_configuration_from_json(variant, object, back, &error), 0);
	assert_memory_equal(indices, back, sizeof(indices));
	json_object_set_new(object, "SCALE", json_integer(2)); /* 2 == 2.0 */
	assert_int_equal(kern_configuration_from_json(variant, object, back, &error), 0);
	json_object_set_new(object, "TILE", json_integer(17));
	assert_int_equal(kern_configuration_from_json(variant, object, back, &error), -1);
	json_object_set_new(object, "TILE", json_integer(16));
	json_object_set_new(object, "EXTRA", json_integer(16));
	assert_int_equal(kern_configuration_from_json(variant, object, back, &error), -1);
	json_object_del(object, "EXTRA");
	json_object_del(object, "MODE");
	assert_int_equal(kern_configuration_from_json(variant, object, back, &error), -1);
	assert_non_null(strstr(error.message, "MODE"));
	assert_int_equal(kern_configuration_from_json(variant, NULL, back, &error), -1);
	json_decref(object);
	free(text);
	kern_variant_destroy(variant);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_it_says),           cmocka_unit_test(steps_rule_where_there_are_steps),
		cmocka_unit_test(hashes_tell_a_change),         cmocka_unit_test(other_tuners_files_are_listed_only),
		cmocka_unit_test(defaults_may_be_lists_of_one), cmocka_unit_test(bad_json_is_located),
		cmocka_unit_test(bad_parameters_are_located),   cmocka_unit_test(bad_expressions_are_located),
		cmocka_unit_test(bad_mmtune_is_located),        cmocka_unit_test(too_many_parameters_are_refused),
		cmocka_unit_test(configurations_survive_json),  cmocka_unit_test(textbook_points_fill_in_defaults),
		cmocka_unit_test(a_default_may_be_computed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
