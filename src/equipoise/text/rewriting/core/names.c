/* First names: whether the chunks beside one leave nothing to ask, by the bits of name_edges.py. */

#include "turning.h"

enum { /* of a chunk before a name, or before the one that stands there */
    LEADS = 1 << 0,
    LISTS = 1 << 1,
    LOCATES = 1 << 2,
    OF = 1 << 3,
    STARTS = 1 << 4,
    STARTS_SPEECH = 1 << 5,
    TITLES_NAME = 1 << 6,
    OPENS = 1 << 7,
    OPENS_SPEECH = 1 << 8,
    NO_REALM = 1 << 9,
    NO_WORK = 1 << 10,
    CUE = 1 << 11,
    PHRASED = 1 << 12,
    JOINS = 1 << 13,
    NO_KIN = 1 << 14,
};
enum { /* of a chunk after a name, or after the one that stands there */
    FOLLOWS = 1 << 0,
    LINKS_ON = 1 << 1,
    AND = 1 << 2,
    THE = 1 << 3,
    NO_SMALL_WORD = 1 << 4,
    NO_OWNER = 1 << 5,
    NO_EPITHET = 1 << 6,
    PHRASED_AFTER = 1 << 7,
    NO_REGION = 1 << 8,
    IS_FAMILY = 1 << 9,
    CLOSED = 1 << 10,
    NO_PLACE = 1 << 11,
};
enum { /* of the chunk with the name */
    IS_PLAIN = 1 << 0,
    IS_SURNAME_TOO = 1 << 1,
    QUOTED = 1 << 2,
    BEFORE_COMMA = 1 << 3,
    BEFORE_MARK = 1 << 4,
    IN_PHRASES = 1 << 5,
    INERT = 1 << 6,
    HIDDEN = 1 << 7,
    OWNS = 1 << 8,
    BEGINS_THING = 1 << 9,
};
enum { OPEN, FIRST }; /* forms of a name while others of its like may be met */
enum { UNSURE = 1, SURNAME = 2, SURE = 4 }; /* verdicts on a name in one text */
enum { REACH_OF_TITLE = 70 };     /* characters, as in capitals.py */

static int know_names(Core *core, Chunk *chunk)
{
    if (chunk->knows_names)
        return 0;
    PyObject *text = chunk_text(chunk);
    PyObject *sides = text == NULL ? NULL : PyObject_CallFunctionObjArgs(core->guide[NAMES], text, NULL);
    Py_XDECREF(text);
    int before, after;
    bool known = sides != NULL && PyArg_ParseTuple(sides, "ii", &before, &after);
    Py_XDECREF(sides);
    if (!known)
        return FAILED;
    chunk->before_name = (uint16_t)before;
    chunk->after_name = (uint16_t)after;
    chunk->knows_names = true;
    return 0;
}

/* What a chunk is before a name, or FAILED; beyond the edge of a text there is another edge. */
static int before_at(Reading *reading, const Place *place, int steps)
{
    Chunk *chunk = place - reading->places < steps ? reading->core->edge : place[-steps].chunk;
    return know_names(reading->core, chunk) < 0 ? FAILED : chunk->before_name;
}

static int after_at(Reading *reading, const Place *place, int steps)
{
    Py_ssize_t left = reading->places + reading->count - place;
    Chunk *chunk = left <= steps ? reading->core->edge : place[steps].chunk;
    return know_names(reading->core, chunk) < 0 ? FAILED : chunk->after_name;
}

/* Whether what stands before lets a plain name be one: 1, 0 or FAILED. */
static int is_led(Reading *reading, const Place *place, int before)
{
    if (place->plan->named & QUOTED)
        return (before & NO_WORK) != 0;
    if (before & LEADS)
        return 1;
    int asked = before & OF ? NO_REALM : before & STARTS ? OPENS : before & STARTS_SPEECH ? OPENS_SPEECH : 0;
    int farther = asked == 0 ? 0 : before_at(reading, place, 2);
    return farther < 0 ? FAILED : (farther & asked) != 0;
}

/* Whether what follows says nothing of a name: 1, 0 or FAILED. */
static int is_followed_plainly(Reading *reading, const Place *place, int before, int after)
{
    int named = place->plan->named;
    if (named & BEFORE_COMMA)
        return (named & QUOTED) != 0 || !(before & LOCATES);
    if (named & BEFORE_MARK || after & FOLLOWS)
        return 1;
    int asked = after & AND ? NO_OWNER : after & THE ? NO_EPITHET : 0;
    if (!(after & (LINKS_ON | THE)) || (after & LINKS_ON && (named & QUOTED || before & LISTS)))
        return 0;
    int farther = asked == 0 ? 0 : after_at(reading, place, 2);
    return farther < 0 ? FAILED : (farther & asked) == asked;
}

/* Whether no word speaks of a work so near before a name that quotation marks could make it a title. */
static int has_no_cue(Reading *reading, const Place *place)
{
    Py_ssize_t end = place->start, reach = 0;
    for (const Place *near = place - 1; near > reading->places && reach <= REACH_OF_TITLE; near--) {
        if (know_names(reading->core, near->chunk) < 0)
            return FAILED;
        if (near->chunk->before_name & CUE)
            return 0;
        reach += characters(reading->bytes + near->start, end - near->start);
        end = near->start;
    }
    return 1;
}

/* Whether a set phrase may cover a name: no phrase begins or ends with the word that joins two names. */
static int may_be_phrase(Reading *reading, const Place *place, int before, int after)
{
    if (before & JOINS && (before = before_at(reading, place, 2)) < 0)
        return FAILED;
    if (after & AND && (after = after_at(reading, place, 2)) < 0)
        return FAILED;
    return before & PHRASED || after & PHRASED_AFTER;
}

/* Whether a name that is a surname too stands by itself, neither in a list nor beside a word like itself. */
static bool is_mere_surname(const Place *place, int before, int after)
{
    int named = place->plan->named;
    if (named & QUOTED || !(before & NO_KIN) || after & (AND | LINKS_ON))
        return false;
    if (named & (BEFORE_COMMA | BEFORE_MARK))
        return !(named & BEFORE_COMMA) || after & NO_REGION;
    return (place[1].chunk->bytes[0] | 0x20) != (place->chunk->bytes[0] | 0x20);
}

static bool is_before_family(const Place *place, int after)
{
    int named = place->plan->named;
    return named & IS_PLAIN && !(named & (BEFORE_COMMA | BEFORE_MARK | OWNS | BEGINS_THING)) && after & IS_FAMILY;
}

/* Whether a surname after a name is all that belongs to it: 1, 0 or FAILED. */
static int has_family(Reading *reading, const Place *place, int before, int after)
{
    if (before & CUE || (before & LOCATES && after & CLOSED))
        return 0;
    if (after & CLOSED)
        return 1;
    int farther = after_at(reading, place, 2);
    return farther < 0 ? FAILED : farther & FOLLOWS && farther & NO_PLACE;
}

/* Whether the chunks around say all there is to say of a name without a title before it: 1, 0 or FAILED. */
static int is_clear(Reading *reading, const Place *place, int before, int after)
{
    int named = place->plan->named;
    if (!(named & IS_PLAIN) && !(named & IS_SURNAME_TOO && is_mere_surname(place, before, after)))
        return 0;
    int in_phrase = named & IN_PHRASES ? may_be_phrase(reading, place, before, after) : 0;
    int holds = in_phrase == 0 ? is_led(reading, place, before) : in_phrase < 0 ? FAILED : 0;
    if (holds == 1)
        holds = is_before_family(place, after) ? has_family(reading, place, before, after)
                                               : is_followed_plainly(reading, place, before, after);
    bool may_be_title = named & (BEFORE_COMMA | BEFORE_MARK) || !(after & NO_SMALL_WORD);
    return holds == 1 && may_be_title && named & IS_PLAIN ? has_no_cue(reading, place) : holds;
}

/* FIRST for a first name, OPEN for what is one unless the rest of the text says otherwise, KEPT for a surname. */
int name_form(Reading *reading, Place *place)
{
    int named = place->plan->named;
    if (named & (INERT | HIDDEN))
        return KEPT;
    int before = before_at(reading, place, 1), after = before < 0 ? FAILED : after_at(reading, place, 1);
    if (after < 0)
        return FAILED;
    bool is_titled = before & TITLES_NAME && !(named & QUOTED);
    bool may_lie_there = !(named & IS_PLAIN) && named & BEFORE_COMMA && !(after & NO_REGION);
    int holds = 0;
    if (is_titled && !may_lie_there)
        holds = is_followed_plainly(reading, place, before, after);
    else if (!is_titled)
        holds = is_clear(reading, place, before, after);
    if (holds != 1)
        return holds < 0 ? FAILED : OTHER;
    if (is_titled || !(named & IS_PLAIN))
        return KEPT;
    return is_before_family(place, after) ? FIRST : OPEN;
}

static uint8_t verdict_on(const Place *place)
{
    if (place->plan->way != NAMED || place->plan->named & HIDDEN || place->form == OTHER)
        return UNSURE;
    return place->form == KEPT ? SURNAME : place->form == FIRST ? SURE : 0;
}

/* Names are alike throughout a text: one that must be asked about is asked about everywhere, and one that is
   a surname in one place stays where nothing says that it is a first name. Nothing is asked meanwhile, so that
   no other text comes between. */
void settle_names(Reading *reading)
{
    uint8_t *verdicts = reading->core->verdicts;
    for (Py_ssize_t number = 0; number < reading->count; number++) {
        const Plan *plan = reading->places[number].plan;
        for (Py_ssize_t name = 0; plan != NULL && name < plan->name_count; name++)
            verdicts[plan->names[name]] |= verdict_on(&reading->places[number]);
    }
    for (Py_ssize_t number = 0; number < reading->count; number++) {
        Place *place = &reading->places[number];
        const Plan *plan = place->plan;
        if (plan == NULL || plan->way != NAMED || plan->named & (INERT | HIDDEN) || plan->name_count == 0)
            continue;
        uint8_t verdict = verdicts[plan->names[0]];
        if (verdict & UNSURE)
            place->form = OTHER;
        else if (place->form == OPEN && verdict & SURNAME && !(verdict & SURE))
            place->form = KEPT;
        else if (place->form == FIRST)
            place->form = 0;
    }
    for (Py_ssize_t number = 0; number < reading->count; number++) {
        const Plan *plan = reading->places[number].plan;
        for (Py_ssize_t name = 0; plan != NULL && name < plan->name_count; name++)
            verdicts[plan->names[name]] = 0;
    }
}
