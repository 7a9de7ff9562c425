/* A hash table from the bytes of a chunk to what is known of it; chunks never move while they are known. */

#include "chunks.h"
#include <string.h>

enum { FEWEST_SLOTS = 4096 };

/* How many characters there are in UTF-8: every byte begins one, but for those that continue one. */
Py_ssize_t characters(const char *bytes, Py_ssize_t size)
{
    Py_ssize_t count = 0;
    for (Py_ssize_t place = 0; place < size; place++)
        count += (bytes[place] & 0xC0) != 0x80;
    return count;
}

static int read_names(Plan *plan, PyObject *names)
{
    plan->name_count = PyTuple_Size(names);
    if (plan->name_count == 0)
        return 0;
    plan->names = PyMem_Calloc((size_t)plan->name_count, sizeof *plan->names);
    if (plan->names == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t number = 0; number < plan->name_count && !PyErr_Occurred(); number++)
        plan->names[number] = (uint32_t)PyLong_AsUnsignedLong(PyTuple_GetItem(names, number));
    return PyErr_Occurred() ? -1 : 0;
}

static Plan *new_plan(PyObject *description, Py_ssize_t length)
{
    Plan *plan = PyMem_Calloc(1, sizeof *plan);
    if (plan == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    PyObject *names;
    if (!PyArg_ParseTuple(description, "iIpippi(UU)(O!O!)iO!O", &plan->way, &plan->verdicts, &plan->is_free,
                          &plan->side, &plan->changes_article, &plan->may_be_foreign, &plan->pronoun,
                          &plan->turned[0], &plan->turned[1], &PyTuple_Type, &plan->inside_before, &PyTuple_Type,
                          &plan->inside_after, &plan->named, &PyTuple_Type, &names, &plan->plan) ||
        read_names(plan, names) < 0) {
        PyMem_Free(plan->names);
        PyMem_Free(plan);
        return NULL;
    }
    for (int form = 0; form < 2; form++) {
        Py_INCREF(plan->turned[form]);
        plan->growth[form] = PyUnicode_GetLength(plan->turned[form]) - length;
    }
    Py_INCREF(plan->inside_before);
    Py_INCREF(plan->inside_after);
    Py_INCREF(plan->plan);
    return plan;
}

static void free_plan(Plan *plan)
{
    Py_DECREF(plan->turned[0]);
    Py_DECREF(plan->turned[1]);
    Py_DECREF(plan->inside_before);
    Py_DECREF(plan->inside_after);
    Py_DECREF(plan->plan);
    PyMem_Free(plan->names);
    PyMem_Free(plan);
}

Chunk *new_chunk(const char *bytes, size_t size, PyObject *description)
{
    Chunk *chunk = PyMem_Calloc(1, sizeof *chunk + size);
    if (chunk == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    memcpy(chunk->bytes, bytes, size);
    chunk->size = (uint32_t)size;
    if (description != Py_None) {
        chunk->plan = new_plan(description, characters(bytes, (Py_ssize_t)size));
        if (chunk->plan == NULL) {
            PyMem_Free(chunk);
            return NULL;
        }
    }
    return chunk;
}

void free_chunk(Chunk *chunk)
{
    Py_XDECREF(chunk->tokens);
    if (chunk->plan != NULL)
        free_plan(chunk->plan);
    PyMem_Free(chunk);
}

PyObject *chunk_text(const Chunk *chunk)
{
    return PyUnicode_DecodeUTF8(chunk->bytes, chunk->size, NULL);
}

int start_chunks(Chunks *chunks)
{
    chunks->slots = PyMem_Calloc(FEWEST_SLOTS, sizeof *chunks->slots);
    if (chunks->slots == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    chunks->mask = FEWEST_SLOTS - 1;
    chunks->count = chunks->bytes = 0;
    return 0;
}

void free_chunks(Chunks *chunks)
{
    if (chunks->slots == NULL)
        return;
    forget_chunks(chunks);
    PyMem_Free(chunks->slots);
    chunks->slots = NULL;
}

void forget_chunks(Chunks *chunks)
{
    for (size_t slot = 0; slot <= chunks->mask; slot++) {
        Chunk *chunk = chunks->slots[slot].chunk;
        chunks->slots[slot].chunk = NULL;
        if (chunk != NULL)
            free_chunk(chunk);
    }
    chunks->count = chunks->bytes = 0;
}

static bool is_for(const Slot *slot, const char *bytes, size_t size)
{
    if (slot->short_size != TOO_LONG)
        return slot->short_size == size && memcmp(slot->bytes, bytes, size) == 0;
    return slot->chunk->size == size && memcmp(slot->chunk->bytes, bytes, size) == 0;
}

static Slot *slot_for(const Chunks *chunks, uint64_t hash, const char *bytes, size_t size)
{
    size_t place = (size_t)hash & chunks->mask;
    while (true) {
        Slot *slot = &chunks->slots[place];
        if (slot->chunk == NULL || (slot->hash == hash && is_for(slot, bytes, size)))
            return slot;
        place = (place + 1) & chunks->mask;
    }
}

/* The slot of a chunk, or an empty one. */
const Slot *find_slot(const Chunks *chunks, uint64_t hash, const char *bytes, size_t size)
{
    return slot_for(chunks, hash, bytes, size);
}

/* Have the memory fetch a slot while others are looked at. */
void expect_slot(const Chunks *chunks, uint64_t hash)
{
#if defined(__GNUC__)
    __builtin_prefetch(&chunks->slots[(size_t)hash & chunks->mask]);
#else
    (void)chunks;
    (void)hash;
#endif
}

static int grow(Chunks *chunks)
{
    Chunks wider = {.mask = chunks->mask * 2 + 1, .count = chunks->count, .bytes = chunks->bytes};
    wider.slots = PyMem_Calloc(wider.mask + 1, sizeof *wider.slots);
    if (wider.slots == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t place = 0; place <= chunks->mask; place++) {
        Slot slot = chunks->slots[place];
        if (slot.chunk != NULL)
            *slot_for(&wider, slot.hash, slot.chunk->bytes, slot.chunk->size) = slot;
    }
    PyMem_Free(chunks->slots);
    *chunks = wider;
    return 0;
}

int add_chunk(Chunks *chunks, uint64_t hash, Chunk *chunk)
{
    if (chunks->count * 2 > chunks->mask && grow(chunks) < 0)
        return -1;
    Slot slot = {.hash = hash, .chunk = chunk, .has_plan = chunk->plan != NULL};
    slot.short_size = chunk->size <= SHORT ? (uint8_t)chunk->size : TOO_LONG;
    memcpy(slot.bytes, chunk->bytes, chunk->size <= SHORT ? chunk->size : 0);
    *slot_for(chunks, hash, chunk->bytes, chunk->size) = slot;
    chunks->count += 1;
    chunks->bytes += chunk->size;
    return 0;
}
