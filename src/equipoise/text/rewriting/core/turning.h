/* A text while it is turned. */

#ifndef EQUIPOISE_TURNING_H
#define EQUIPOISE_TURNING_H

#include "chunks.h"

enum { KEPT = -3, FAILED = -2, OTHER = -1 }; /* stays; an exception is set; the full rules must be asked */
enum { IN_FULL, ALONE, FORM, NOUN, TITLE, MARKED, NAMED }; /* the ways of scanning.py and plans.py */
enum { MALE, FEMALE, NEITHER, SIDE_COUNT };

/* What the guide is asked: of a chunk wherever it stands, and of a place in a text. */
enum { DESCRIBE, SIDES, TITLES, NAMES, MARKS, IS_FOREIGN, CHOOSE, IS_COMMON, DOTS_TITLE, QUESTION_COUNT };

typedef struct {
    PyObject_HEAD
    Chunks chunks;
    Model model;
    Chunk *edge; /* beyond either end of a text */
    const Token *end;
    uint8_t *verdicts; /* on each name, while no question is put to anyone */
    uint32_t name_count;
    PyObject *guide[QUESTION_COUNT]; /* its bound methods */
    size_t most;
    Py_ssize_t under_way;
} Core;

typedef struct {
    uint64_t hash;
    Chunk *chunk;
    const Plan *plan; /* of the chunk, or NULL */
    Py_ssize_t start;
    int form; /* of a candidate: which of its two readings, KEPT or OTHER */
} Place;

/* A text while it is turned; chunk n stands at place n + 1, between two edges. */
typedef struct {
    Core *core;
    PyObject *text;
    const char *bytes;
    Py_ssize_t size;
    Place *places;
    Py_ssize_t count, room;
    Py_ssize_t counted_bytes, counted; /* a place, in bytes and in characters */
    bool is_marked;
} Reading;

int read_chunks(Reading *reading);
int decide(Reading *reading, Place *place);
int answer_of(PyObject *answer);
Py_ssize_t start_of(Reading *reading, const Place *place);
int know_sides(Core *core, Chunk *chunk);
int name_form(Reading *reading, Place *place);
void settle_names(Reading *reading);

#endif
