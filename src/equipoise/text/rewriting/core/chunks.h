/* Chunks of text between blanks, and what was once learned of each. */

#ifndef EQUIPOISE_CHUNKS_H
#define EQUIPOISE_CHUNKS_H

#include "scoring.h"

/* A chunk with a candidate: what decides it, and what it reads once it is turned. */
typedef struct {
    int way;
    unsigned verdicts; /* a bit for each pair of classes of its neighbours */
    int is_free, side, changes_article, may_be_foreign, pronoun;
    PyObject *turned[2];
    Py_ssize_t growth[2]; /* characters that each is longer than the chunk */
    PyObject *inside_before, *inside_after; /* tuples of tokens */
    int named;                              /* what the chunk is by itself, if it holds a name */
    Py_ssize_t name_count;
    uint32_t *names; /* the numbers of the names in it */
    PyObject *plan;
} Plan;

typedef struct {
    uint32_t size;
    bool knows_sides, knows_titles, knows_names;
    uint8_t tail, head, ends_as_article, before_title, is_name;
    uint16_t before_name, after_name;
    PyObject *tokens; /* a tuple, once its sides are known */
    Plan *plan;       /* NULL where the chunk holds no candidate */
    char bytes[];
} Chunk;

enum { SHORT = 14, TOO_LONG = 255 };

/* A chunk with what is asked of it most often, so that it need not be fetched from elsewhere in memory. */
typedef struct {
    uint64_t hash;
    Chunk *chunk;
    bool has_plan;
    uint8_t short_size; /* or TOO_LONG */
    char bytes[SHORT];  /* of a short chunk */
} Slot;

typedef struct {
    Slot *slots;
    size_t mask, count, bytes;
} Chunks;

Py_ssize_t characters(const char *bytes, Py_ssize_t size);
Chunk *new_chunk(const char *bytes, size_t size, PyObject *description);
void free_chunk(Chunk *chunk);
PyObject *chunk_text(const Chunk *chunk);
int start_chunks(Chunks *chunks);
void forget_chunks(Chunks *chunks);
void free_chunks(Chunks *chunks);
const Slot *find_slot(const Chunks *chunks, uint64_t hash, const char *bytes, size_t size);
void expect_slot(const Chunks *chunks, uint64_t hash);
int add_chunk(Chunks *chunks, uint64_t hash, Chunk *chunk);

#endif
