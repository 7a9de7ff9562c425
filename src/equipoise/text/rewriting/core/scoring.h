/* Tokens around a pronoun, and the linear model that scores them. */

#ifndef EQUIPOISE_SCORING_H
#define EQUIPOISE_SCORING_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>
#include <stdbool.h>
#include <stdint.h>

enum { FACTS = 5, PRONOUNS = 2, WINDOW = 4, SCORED = 3, PLACES = 2 * SCORED, MOST_TERMS = 64 };
enum { MARK_BITS = 17 };

/* What is known of a token: the numbers of its facts, and what the rules say where it stands beside a pronoun. */
typedef struct {
    PyObject *text;
    uint32_t facts[FACTS];
    int rulings[PRONOUNS];
    int is_ruled_before, is_end, is_word;
} Token;

/* A feature: the facts of up to three tokens together. */
typedef struct {
    int place; /* of the only token, or PLACES where several are read together */
    int kind;
    int size;
    struct {
        int place, fact;
    } reads[3];
} Term;

typedef struct {
    uint64_t *keys;
    double *weights;
    size_t mask;
    uint8_t marks[1 << (MARK_BITS - 3)]; /* a bit for some keys each: most that are asked for have no weight */
    Term terms[MOST_TERMS];
    int count;
    double intercepts[PRONOUNS];
} Model;

/* Four tokens on either side of a pronoun, nearest first. */
typedef struct {
    const Token *before[WINDOW];
    const Token *after[WINDOW];
} Window;

PyObject *make_token(PyObject *module, PyObject *arguments);
const Token *token_at(PyObject *tokens, Py_ssize_t number);
int read_model(Model *model, PyObject *terms, PyObject *weights, PyObject *intercepts);
void free_model(Model *model);
double score_of(const Model *model, int pronoun, const Window *window);

#endif
