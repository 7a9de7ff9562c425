/* The linear model of a pronoun's form: `Model.score` of form_model.py, on numbers instead of words. */

#include "scoring.h"

#define TOKEN "equipoise.token"

static void free_token(PyObject *capsule)
{
    Token *token = PyCapsule_GetPointer(capsule, TOKEN);
    Py_DECREF(token->text);
    PyMem_Free(token);
}

PyObject *make_token(PyObject *module, PyObject *arguments)
{
    (void)module;
    Token read;
    if (!PyArg_ParseTuple(arguments, "U(IIIII)(ii)ppp", &read.text, &read.facts[0], &read.facts[1],
                          &read.facts[2], &read.facts[3], &read.facts[4], &read.rulings[0], &read.rulings[1],
                          &read.is_ruled_before, &read.is_end, &read.is_word))
        return NULL;
    Token *token = PyMem_Malloc(sizeof *token);
    if (token == NULL)
        return PyErr_NoMemory();
    *token = read;
    PyObject *capsule = PyCapsule_New(token, TOKEN, free_token);
    if (capsule == NULL)
        PyMem_Free(token);
    else
        Py_INCREF(token->text);
    return capsule;
}

const Token *token_at(PyObject *tokens, Py_ssize_t number)
{
    PyObject *capsule = PyTuple_GetItem(tokens, number);
    return capsule == NULL ? NULL : PyCapsule_GetPointer(capsule, TOKEN);
}

/* Numbers begin at 1, so that no key is 0; 19 bits hold any of them (`compiled.py` checks it). */
static uint64_t key_of(int pronoun, int kind, const uint32_t *numbers)
{
    uint64_t key = (uint64_t)(kind * PRONOUNS + pronoun);
    for (int place = 0; place < 3; place++)
        key = key << 19 | numbers[place];
    return key;
}

static uint64_t mixed(uint64_t key)
{
    return key * 0x9E3779B97F4A7C15u;
}

static bool is_marked(const Model *model, uint64_t key)
{
    uint64_t mark = mixed(key) >> (64 - MARK_BITS);
    return model->marks[mark >> 3] >> (mark & 7) & 1;
}

static void mark_key(Model *model, uint64_t key)
{
    uint64_t mark = mixed(key) >> (64 - MARK_BITS);
    model->marks[mark >> 3] |= (uint8_t)(1 << (mark & 7));
}

static size_t slot_of(const Model *model, uint64_t key)
{
    size_t slot = (size_t)(mixed(key) >> 32) & model->mask;
    while (model->keys[slot] != 0 && model->keys[slot] != key)
        slot = (slot + 1) & model->mask;
    return slot;
}

static int read_weights(Model *model, PyObject *weights)
{
    Py_ssize_t count = PyList_Size(weights);
    size_t size = 1024;
    while (size < (size_t)count * 3)
        size *= 2;
    model->mask = size - 1;
    model->keys = PyMem_Calloc(size, sizeof *model->keys);
    model->weights = PyMem_Calloc(size, sizeof *model->weights);
    if (model->keys == NULL || model->weights == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t number = 0; number < count; number++) {
        int pronoun, kind;
        uint32_t numbers[3];
        double weight;
        if (!PyArg_ParseTuple(PyList_GetItem(weights, number), "iiIIId", &pronoun, &kind, &numbers[0],
                              &numbers[1], &numbers[2], &weight))
            return -1;
        uint64_t key = key_of(pronoun, kind, numbers);
        size_t slot = slot_of(model, key);
        mark_key(model, key);
        model->keys[slot] = key;
        model->weights[slot] = weight;
    }
    return 0;
}

static int read_term(Term *term, PyObject *given)
{
    PyObject *reads;
    if (!PyArg_ParseTuple(given, "iiO!", &term->place, &term->kind, &PyTuple_Type, &reads))
        return -1;
    term->size = (int)PyTuple_Size(reads);
    if (term->size < 1 || term->size > 3 || term->place < 0 || term->place > PLACES)
        goto wrong;
    for (int read = 0; read < term->size; read++) {
        int place, fact;
        if (!PyArg_ParseTuple(PyTuple_GetItem(reads, read), "ii", &place, &fact))
            return -1;
        if (place < 0 || place >= PLACES || fact < 0 || fact >= FACTS)
            goto wrong;
        term->reads[read].place = place;
        term->reads[read].fact = fact;
    }
    return 0;
wrong:
    PyErr_SetString(PyExc_ValueError, "a feature reads one to three of six tokens");
    return -1;
}

int read_model(Model *model, PyObject *terms, PyObject *weights, PyObject *intercepts)
{
    Py_ssize_t count = PyList_Size(terms);
    if (count > MOST_TERMS) {
        PyErr_SetString(PyExc_ValueError, "too many kinds of features");
        return -1;
    }
    if (!PyArg_ParseTuple(intercepts, "dd", &model->intercepts[0], &model->intercepts[1]))
        return -1;
    for (Py_ssize_t number = 0; number < count; number++)
        if (read_term(&model->terms[number], PyList_GetItem(terms, number)) < 0)
            return -1;
    model->count = (int)count;
    return read_weights(model, weights);
}

void free_model(Model *model)
{
    PyMem_Free(model->keys);
    PyMem_Free(model->weights);
}

static double weight_of(const Model *model, int pronoun, const Term *term, const Token **tokens)
{
    uint32_t numbers[3] = {0, 0, 0};
    for (int read = 0; read < term->size; read++) {
        numbers[read] = tokens[term->reads[read].place]->facts[term->reads[read].fact];
        if (numbers[read] == 0) /* the model has no feature with it */
            return 0.0;
    }
    uint64_t key = key_of(pronoun, term->kind, numbers);
    return is_marked(model, key) ? model->weights[slot_of(model, key)] : 0.0;
}

/* Added up in the order of `Model.score`, so that not even the last bit differs. */
double score_of(const Model *model, int pronoun, const Window *window)
{
    const Token *tokens[PLACES];
    for (int place = 0; place < SCORED; place++) {
        tokens[place] = window->before[SCORED - 1 - place];
        tokens[SCORED + place] = window->after[place];
    }
    double alone[PLACES] = {0};
    int number = 0;
    for (; number < model->count && model->terms[number].place < PLACES; number++)
        alone[model->terms[number].place] += weight_of(model, pronoun, &model->terms[number], tokens);
    double score = model->intercepts[pronoun] + alone[0] + alone[1] + alone[2];
    score += alone[3] + alone[4] + alone[5];
    for (; number < model->count; number++)
        score += weight_of(model, pronoun, &model->terms[number], tokens);
    return score;
}
