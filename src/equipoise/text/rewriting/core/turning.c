/* Turning a text chunk by chunk: what its neighbours decide is decided here, the rest is asked.

   No word of any language stands in this file. What a chunk holds, to which class it belongs beside a pronoun,
   what rules say of a token: a guide written in Python (compiled.py) describes it, once per chunk. */

#include "turning.h"

enum { SPECIAL, SMALL, PLAIN };                     /* what stands before a title, as in title_edges.py */
enum { UNRULED = -1, ASK = 2 };                     /* rulings of forms.py; 0 and 1 settle the form */
enum { FARTHEST = 30 };                             /* chunks to look through where the nearest are blank */
enum { AHEAD = 8 };                                 /* chunks that the memory is asked for in advance */

static int add_place(Reading *reading, uint64_t hash, Py_ssize_t start)
{
    if (reading->count == reading->room) {
        Py_ssize_t room = reading->room * 2 + 64;
        Place *places = PyMem_Realloc(reading->places, (size_t)room * sizeof *places);
        if (places == NULL) {
            PyErr_NoMemory();
            return FAILED;
        }
        reading->places = places;
        reading->room = room;
    }
    Place place = {.hash = hash, .chunk = reading->core->edge, .start = start, .form = OTHER};
    reading->places[reading->count++] = place;
    return 0;
}

/* Whether sides and names are numbers that the core has room for. */
static bool is_sound(const Core *core, const Plan *plan)
{
    bool sound = plan == NULL || (plan->side >= 0 && plan->side < SIDE_COUNT);
    for (Py_ssize_t name = 0; plan != NULL && name < plan->name_count; name++)
        sound = sound && plan->names[name] < core->name_count;
    if (!sound)
        PyErr_SetString(PyExc_ValueError, "a side or a name is unknown");
    return sound;
}

static Chunk *learn(Core *core, uint64_t hash, const char *bytes, size_t size)
{
    PyObject *text = PyUnicode_DecodeUTF8(bytes, (Py_ssize_t)size, NULL);
    if (text == NULL)
        return NULL;
    PyObject *description = PyObject_CallFunctionObjArgs(core->guide[DESCRIBE], text, NULL);
    Py_DECREF(text);
    if (description == NULL)
        return NULL;
    Chunk *known = find_slot(&core->chunks, hash, bytes, size)->chunk; /* another thread may have been here */
    Chunk *chunk = known != NULL ? known : new_chunk(bytes, size, description);
    Py_DECREF(description);
    if (chunk != NULL && known == NULL &&
        (!is_sound(core, chunk->plan) || add_chunk(&core->chunks, hash, chunk) < 0)) {
        free_chunk(chunk);
        return NULL;
    }
    return chunk;
}

/* Cut the text at its blanks. */
static int cut(Reading *reading)
{
    const char *bytes = reading->bytes;
    if (add_place(reading, 0, 0) < 0)
        return FAILED;
    for (Py_ssize_t start = 0, end; start <= reading->size; start = end + 1) {
        uint64_t hash = 0xCBF29CE484222325u;
        for (end = start; end < reading->size && bytes[end] != ' '; end++)
            hash = (hash ^ (unsigned char)bytes[end]) * 0x100000001B3u;
        if (add_place(reading, hash ^ hash >> 32, start) < 0)
            return FAILED;
    }
    return add_place(reading, 0, reading->size + 1);
}

/* What is known of the chunk at a place. */
static int look_up(Reading *reading, Place *place)
{
    const char *bytes = reading->bytes + place->start;
    size_t size = (size_t)(place[1].start - 1 - place->start);
    const Slot *slot = find_slot(&reading->core->chunks, place->hash, bytes, size);
    place->chunk = slot->chunk;
    if (slot->chunk == NULL) {
        place->chunk = learn(reading->core, place->hash, bytes, size);
        if (place->chunk == NULL)
            return FAILED;
        place->plan = place->chunk->plan;
    } else if (slot->has_plan)
        place->plan = place->chunk->plan;
    if (place->plan != NULL && place->plan->way == MARKED)
        reading->is_marked = true;
    return 0;
}

/* Cut the text at its blanks and look every chunk up. */
int read_chunks(Reading *reading)
{
    if (cut(reading) < 0)
        return FAILED;
    for (Py_ssize_t number = 1; number < reading->count - 1; number++) {
        if (number + AHEAD < reading->count)
            expect_slot(&reading->core->chunks, reading->places[number + AHEAD].hash);
        if (look_up(reading, &reading->places[number]) < 0)
            return FAILED;
    }
    return 0;
}

int know_sides(Core *core, Chunk *chunk)
{
    if (chunk->knows_sides)
        return 0;
    PyObject *text = chunk_text(chunk);
    PyObject *sides = text == NULL ? NULL : PyObject_CallFunctionObjArgs(core->guide[SIDES], text, NULL);
    Py_XDECREF(text);
    PyObject *tokens;
    int tail, head, ends_as_article;
    if (sides == NULL ||
        !PyArg_ParseTuple(sides, "iipO!", &tail, &head, &ends_as_article, &PyTuple_Type, &tokens)) {
        Py_XDECREF(sides);
        return FAILED;
    }
    if (!chunk->knows_sides) {
        Py_INCREF(tokens);
        chunk->tokens = tokens;
        chunk->tail = (uint8_t)tail;
        chunk->head = (uint8_t)head;
        chunk->ends_as_article = (uint8_t)ends_as_article;
        chunk->knows_sides = true;
    }
    Py_DECREF(sides);
    return 0;
}

static int know_titles(Core *core, Chunk *chunk)
{
    if (chunk->knows_titles)
        return 0;
    PyObject *text = chunk_text(chunk);
    PyObject *titles = text == NULL ? NULL : PyObject_CallFunctionObjArgs(core->guide[TITLES], text, NULL);
    Py_XDECREF(text);
    int before, is_name;
    bool known = titles != NULL && PyArg_ParseTuple(titles, "ip", &before, &is_name);
    Py_XDECREF(titles);
    if (!known)
        return FAILED;
    chunk->before_title = (uint8_t)before;
    chunk->is_name = (uint8_t)is_name;
    chunk->knows_titles = true;
    return 0;
}

/* The answer of the guide, a small number, to a question that it alone can answer. */
int answer_of(PyObject *answer)
{
    if (answer == NULL)
        return FAILED;
    long number = PyLong_AsLong(answer);
    Py_DECREF(answer);
    if (number >= OTHER && number <= 1 && !PyErr_Occurred())
        return (int)number;
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "the guide answers -1, 0 or 1");
    return FAILED;
}

/* Where a chunk begins, in characters; to be asked in the order of the text. */
Py_ssize_t start_of(Reading *reading, const Place *place)
{
    reading->counted += characters(reading->bytes + reading->counted_bytes, place->start - reading->counted_bytes);
    reading->counted_bytes = place->start;
    return reading->counted;
}

/* Put a question to the guide with the text, the place of a chunk in it and its plan. */
static int ask(PyObject *question, Reading *reading, const Place *place)
{
    Py_ssize_t start = start_of(reading, place);
    return answer_of(PyObject_CallFunction(question, "OnO", reading->text, start, place->plan->plan));
}

typedef struct {
    const Token *tokens[WINDOW];
    int count;
    bool ended;
} Side;

/* Add tokens of a chunk to a side, from the one nearest to the pronoun on. */
static int add_tokens(Side *side, PyObject *tokens, bool backwards)
{
    Py_ssize_t size = PyTuple_Size(tokens);
    for (Py_ssize_t number = 0; number < size && side->count < WINDOW && !side->ended; number++) {
        const Token *token = token_at(tokens, backwards ? size - 1 - number : number);
        if (token == NULL)
            return FAILED;
        if (token->is_end)
            side->ended = true;
        else
            side->tokens[side->count++] = token;
    }
    return 0;
}

/* The four nearest tokens on one side, nothing beyond an end; 0, or OTHER where they stand too far away. */
static int read_side(Reading *reading, Place *place, PyObject *inside, int step, const Token **tokens)
{
    Side side = {.count = 0};
    if (add_tokens(&side, inside, step < 0) < 0)
        return FAILED;
    for (int reach = 1; side.count < WINDOW && !side.ended; reach++) {
        Chunk *chunk = place[reach * step].chunk; /* the edge, which ends the search, is a chunk too */
        if (reach > FARTHEST)
            return OTHER;
        if (know_sides(reading->core, chunk) < 0 || add_tokens(&side, chunk->tokens, step < 0) < 0)
            return FAILED;
    }
    for (int number = 0; number < WINDOW; number++)
        tokens[number] = number < side.count ? side.tokens[number] : reading->core->end;
    return 0;
}

static PyObject *texts_of(const Token **tokens, bool backwards)
{
    PyObject *texts = PyTuple_New(WINDOW);
    for (int number = 0; texts != NULL && number < WINDOW; number++) {
        PyObject *text = tokens[backwards ? WINDOW - 1 - number : number]->text;
        Py_INCREF(text);
        if (PyTuple_SetItem(texts, number, text) < 0)
            Py_CLEAR(texts);
    }
    return texts;
}

static int choose(Core *core, int pronoun, const Window *window)
{
    PyObject *before = texts_of((const Token **)window->before, true);
    PyObject *after = texts_of((const Token **)window->after, false);
    PyObject *answer = NULL;
    if (before != NULL && after != NULL)
        answer = PyObject_CallFunction(core->guide[CHOOSE], "iOO", pronoun, before, after);
    Py_XDECREF(before);
    Py_XDECREF(after);
    return answer_of(answer);
}

/* 1 where a noun goes with the pronoun, 0 where none does. */
static int form_of(Reading *reading, Place *place)
{
    const Plan *plan = place->plan;
    Window window;
    int left = read_side(reading, place, plan->inside_before, -1, window.before);
    int right = left < 0 ? left : read_side(reading, place, plan->inside_after, 1, window.after);
    if (right < 0)
        return right;
    bool ends = window.after[WINDOW - 1]->is_end;
    for (int number = 0; number < WINDOW; number++)
        ends = ends && !window.after[number]->is_word;
    int ruling = window.after[0]->rulings[plan->pronoun];
    if (ends || window.before[0]->is_ruled_before || ruling >= ASK)
        ruling = choose(reading->core, plan->pronoun, &window);
    if (ruling != UNRULED)
        return ruling;
    return score_of(&reading->core->model, plan->pronoun, &window) > 0;
}

static int pronoun_form(Reading *reading, Place *place)
{
    Chunk *before = place[-1].chunk, *after = place[1].chunk;
    if (know_sides(reading->core, before) < 0 || know_sides(reading->core, after) < 0)
        return FAILED;
    const Plan *plan = place->plan;
    if (!(plan->verdicts >> (before->tail + after->head) & 1))
        return OTHER;
    return plan->way == ALONE ? 0 : form_of(reading, place);
}

static int noun_form(Reading *reading, Place *place)
{
    const Plan *plan = place->plan;
    if (plan->changes_article) {
        if (know_sides(reading->core, place[-1].chunk) < 0)
            return FAILED;
        if (place[-1].chunk->ends_as_article)
            return OTHER;
    }
    return plan->is_free ? 0 : ask(reading->core->guide[IS_COMMON], reading, place);
}

static int title_form(Reading *reading, Place *place)
{
    Core *core = reading->core;
    Chunk *before = place[-1].chunk, *after = place[1].chunk;
    if (know_titles(core, before) < 0 || know_titles(core, after) < 0)
        return FAILED;
    if (before->before_title == SMALL && before != core->edge) {
        before = place[-2].chunk;
        if (know_titles(core, before) < 0)
            return FAILED;
    }
    if (before->before_title != PLAIN || !after->is_name)
        return OTHER;
    return place->plan->is_free ? 0 : ask(core->guide[DOTS_TITLE], reading, place);
}

/* Which of its readings a candidate gets, or OTHER. */
int decide(Reading *reading, Place *place)
{
    const Plan *plan = place->plan;
    if (reading->is_marked && plan->may_be_foreign) {
        int foreign = ask(reading->core->guide[IS_FOREIGN], reading, place);
        if (foreign != 0)
            return foreign < 0 ? FAILED : OTHER;
    }
    switch (plan->way) {
    case ALONE:
    case FORM:
        return pronoun_form(reading, place);
    case NOUN:
        return noun_form(reading, place);
    case TITLE:
        return title_form(reading, place);
    case NAMED:
        return name_form(reading, place);
    default:
        return OTHER;
    }
}
