/* The type `Core`: turns texts with what it learns of their chunks. */

#include "turning.h"
#include <string.h>

enum { BYTES_PER_CHUNK = 64 }; /* on average, before all chunks are forgotten */

/* What stays of the text, and the readings of its candidates, as one string. */
static PyObject *joined(const Reading *reading)
{
    Py_ssize_t size = reading->size, from = 0;
    for (Py_ssize_t number = 0; number < reading->count; number++) {
        const Place *place = &reading->places[number];
        Py_ssize_t length;
        if (place->form < 0)
            continue;
        if (PyUnicode_AsUTF8AndSize(place->plan->turned[place->form], &length) == NULL)
            return NULL;
        size += length - (Py_ssize_t)place->chunk->size;
    }
    char *bytes = PyMem_Malloc((size_t)size + 1);
    if (bytes == NULL)
        return PyErr_NoMemory();
    char *next = bytes;
    for (Py_ssize_t number = 0; number < reading->count; number++) {
        const Place *place = &reading->places[number];
        if (place->form < 0)
            continue;
        Py_ssize_t length, kept = place->start - from;
        const char *turned = PyUnicode_AsUTF8AndSize(place->plan->turned[place->form], &length);
        memcpy(next, reading->bytes + from, (size_t)kept);
        memcpy(next + kept, turned, (size_t)length);
        next += kept + length;
        from = place->start + (Py_ssize_t)place->chunk->size;
    }
    memcpy(next, reading->bytes + from, (size_t)(reading->size - from));
    PyObject *text = PyUnicode_DecodeUTF8(bytes, size, NULL);
    PyMem_Free(bytes);
    return text;
}

enum { ALL_MARKED, ALL_OTHERS, NAMES_DONE };

static bool is_listed(const Place *place, int which)
{
    if (which == ALL_MARKED)
        return place->plan->way == MARKED;
    if (which == ALL_OTHERS)
        return place->form == OTHER;
    return place->plan->way == NAMED && place->form != OTHER;
}

/* Candidates with the number of their chunk, its start, how far it moved by what was turned before it, its plan:
   the marked ones, all that are left to others, or the names that are not. */
static PyObject *listed(Reading *reading, int which)
{
    PyObject *list = PyList_New(0);
    Py_ssize_t shift = 0;
    reading->counted = reading->counted_bytes = 0;
    for (Py_ssize_t number = 0; list != NULL && number < reading->count; number++) {
        const Place *place = &reading->places[number];
        const Plan *plan = place->plan;
        if (plan == NULL)
            continue;
        if (place->form >= 0)
            shift += plan->growth[place->form];
        if (!is_listed(place, which))
            continue;
        PyObject *row = Py_BuildValue("nnnO", number - 1, start_of(reading, place), shift, plan->plan);
        if (row == NULL || PyList_Append(list, row) < 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

/* Whether the text may be turned here: nothing in it leaves a sentence whole. */
static int heed_marks(Reading *reading)
{
    PyObject *marked = listed(reading, ALL_MARKED);
    if (marked == NULL)
        return FAILED;
    PyObject *marks = reading->core->guide[MARKS];
    int may_go_on = answer_of(PyObject_CallFunctionObjArgs(marks, reading->text, marked, NULL));
    Py_DECREF(marked);
    reading->counted = reading->counted_bytes = 0;
    return may_go_on;
}

typedef struct {
    Py_ssize_t sides[SIDE_COUNT];
    bool has_others, has_other_names;
} Summary;

static int decide_all(Reading *reading)
{
    bool has_names = false;
    for (Py_ssize_t number = 0; number < reading->count; number++) {
        Place *place = &reading->places[number];
        if (place->plan == NULL)
            continue;
        place->form = decide(reading, place);
        if (place->form == FAILED)
            return FAILED;
        has_names = has_names || place->plan->name_count > 0;
    }
    if (has_names)
        settle_names(reading);
    return 0;
}

static Summary summary_of(const Reading *reading)
{
    Summary summary = {.has_others = false};
    for (Py_ssize_t number = 0; number < reading->count; number++) {
        const Place *place = &reading->places[number];
        const Plan *plan = place->plan;
        if (plan == NULL)
            continue;
        if (place->form >= 0)
            summary.sides[plan->side] += 1;
        if (place->form != OTHER)
            continue;
        summary.has_others = true;
        summary.has_other_names = summary.has_other_names || plan->name_count > 0;
    }
    return summary;
}

/* The text, how many men, women and others were turned in it, the candidates that are left to others, and beside
   names among those all names that are not. */
static PyObject *turned(Reading *reading)
{
    if (decide_all(reading) < 0)
        return NULL;
    Summary summary = summary_of(reading);
    const Py_ssize_t *sides = summary.sides;
    PyObject *others = summary.has_others ? listed(reading, ALL_OTHERS) : PyTuple_New(0);
    PyObject *names = summary.has_other_names ? listed(reading, NAMES_DONE) : PyTuple_New(0);
    bool is_changed = sides[MALE] + sides[FEMALE] + sides[NEITHER] > 0;
    PyObject *text = is_changed ? joined(reading) : Py_NewRef(reading->text);
    if (others != NULL && names != NULL && text != NULL)
        return Py_BuildValue("N(nnn)NN", text, sides[MALE], sides[FEMALE], sides[NEITHER], others, names);
    Py_XDECREF(others);
    Py_XDECREF(names);
    Py_XDECREF(text);
    return NULL;
}

static PyObject *turn(PyObject *object, PyObject *text)
{
    Core *core = (Core *)object;
    Reading reading = {.core = core, .text = text};
    if (!PyUnicode_Check(text)) {
        PyErr_SetString(PyExc_TypeError, "a text must be given");
        return NULL;
    }
    reading.bytes = PyUnicode_AsUTF8AndSize(text, &reading.size);
    if (reading.bytes == NULL) { /* half of a surrogate pair */
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
            return NULL;
        PyErr_Clear();
        Py_RETURN_NONE;
    }
    bool is_full = core->chunks.count >= core->most || core->chunks.bytes / BYTES_PER_CHUNK >= core->most;
    if (is_full && core->under_way == 0) /* another thread may stand inside a question */
        forget_chunks(&core->chunks);
    core->under_way += 1;
    PyObject *result = NULL;
    int may_go_on = read_chunks(&reading) < 0 ? FAILED : 1;
    if (may_go_on == 1 && reading.is_marked)
        may_go_on = heed_marks(&reading);
    if (may_go_on == 1)
        result = turned(&reading);
    else if (may_go_on == 0)
        result = Py_NewRef(Py_None);
    core->under_way -= 1;
    PyMem_Free(reading.places);
    return result;
}

static int know_edge(Core *core, PyObject *edge)
{
    Py_ssize_t size;
    const char *bytes = PyUnicode_AsUTF8AndSize(edge, &size);
    core->edge = bytes == NULL ? NULL : new_chunk(bytes, (size_t)size, Py_None);
    if (core->edge == NULL || know_sides(core, core->edge) < 0)
        return FAILED;
    core->end = token_at(core->edge->tokens, 0);
    if (core->end != NULL && !core->end->is_end)
        PyErr_SetString(PyExc_ValueError, "beyond an edge stands an end");
    return PyErr_Occurred() ? FAILED : 0;
}

static const char *const QUESTIONS[] = {
    [DESCRIBE] = "describe",     [SIDES] = "sides",   [TITLES] = "titles",       [NAMES] = "name_sides",
    [MARKS] = "marks",           [CHOOSE] = "choose", [IS_COMMON] = "is_common", [DOTS_TITLE] = "dots_title",
    [IS_FOREIGN] = "is_foreign",
};

static int know_guide(Core *core, PyObject *guide)
{
    for (int number = 0; number < QUESTION_COUNT; number++) {
        core->guide[number] = PyObject_GetAttrString(guide, QUESTIONS[number]);
        if (core->guide[number] == NULL)
            return FAILED;
    }
    return 0;
}

static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    PyObject *guide, *edge, *terms, *weights, *intercepts;
    Py_ssize_t most;
    uint32_t name_count;
    (void)keywords;
    if (!PyArg_ParseTuple(arguments, "OUnI(O!O!O!)", &guide, &edge, &most, &name_count, &PyList_Type, &terms,
                          &PyList_Type, &weights, &PyTuple_Type, &intercepts))
        return NULL;
    Core *core = (Core *)PyType_GenericAlloc(type, 0);
    if (core == NULL)
        return NULL;
    core->most = (size_t)most;
    core->name_count = name_count;
    core->verdicts = PyMem_Calloc((size_t)name_count + 1, sizeof *core->verdicts);
    if (core->verdicts == NULL) {
        Py_DECREF(core);
        return PyErr_NoMemory();
    }
    if (start_chunks(&core->chunks) < 0 || read_model(&core->model, terms, weights, intercepts) < 0 ||
        know_guide(core, guide) < 0 || know_edge(core, edge) < 0)
        Py_CLEAR(core);
    return (PyObject *)core;
}

/* No collector of cycles is needed as long as the guide does not know the core. */
static void destroy(PyObject *object)
{
    Core *core = (Core *)object;
    PyTypeObject *type = Py_TYPE(object);
    free_chunks(&core->chunks);
    free_model(&core->model);
    PyMem_Free(core->verdicts);
    if (core->edge != NULL)
        free_chunk(core->edge);
    for (int number = 0; number < QUESTION_COUNT; number++)
        Py_XDECREF(core->guide[number]);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyMethodDef METHODS[] = {{"turn", turn, METH_O, NULL}, {NULL, NULL, 0, NULL}};
static PyType_Slot SLOTS[] = {
    {Py_tp_new, create}, {Py_tp_dealloc, destroy}, {Py_tp_methods, METHODS}, {0, NULL}};
static PyType_Spec SPEC = {
    .name = "equipoise.text.rewriting._core.Core",
    .basicsize = sizeof(Core),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = SLOTS,
};
static PyMethodDef FUNCTIONS[] = {{"token", make_token, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};

static int fill(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&SPEC);
    if (type == NULL)
        return -1;
    int added = PyModule_AddObjectRef(module, "Core", type);
    Py_DECREF(type);
    return added;
}

static PyModuleDef_Slot PARTS[] = {{Py_mod_exec, fill}, {0, NULL}};
static PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_core",
    .m_methods = FUNCTIONS,
    .m_slots = PARTS,
};

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&MODULE);
}
