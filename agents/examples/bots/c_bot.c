/* A bot in C, by the protocol of docs/protocol.md, with nothing but the C library.
 *
 *     cc -O2 -o c_bot agents/examples/bots/c_bot.c
 *     cardtable arena muster "cmd:./c_bot 7" random
 *
 * It plays every game: it knows no rules, only words that the names of good and of bad moves begin with, and draws among the
 * best. The 7 is the seed that it draws with; without one, every run is different.
 *
 * JSON takes a page, because a bot need not understand all of it: it walks over a line, finds the entries that it wants, and
 * copies names of actions as they stand, with their quotes and escapes. Nothing is unpacked, nothing is kept. */

#define _POSIX_C_SOURCE 200809L /* for getline */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *GOOD[] = {"bridge", "play", "craft", "develop", "sell", "done", "end", NULL};
static const char *BAD[] = {"lay", "move", "pass", "exchange", "reorder", NULL};

/* ---- JSON: every function takes a place in the line, and gives one back */

static const char *skip_space(const char *at) {
    return at + strspn(at, " \t\r\n");
}

static const char *skip_text(const char *at) { /* from its first quote to behind its last */
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1]) at++;
    return *at ? at + 1 : at;
}

static const char *skip_value(const char *at) { /* whatever it is: a text, a number, or all that is between two brackets */
    int depth = 0;
    do {
        if (*at == '"') {
            at = skip_text(at);
        } else if (*at == '{' || *at == '[') {
            depth++, at++;
        } else if (*at == '}' || *at == ']') {
            depth--, at++;
        } else if (*at == ',' || *at == ':' || strchr(" \t\r\n", *at)) {
            at++;
        } else {
            at += strcspn(at, ",:{}[]\" \t\r\n");
        }
    } while (depth > 0 && *at);
    return at;
}

static const char *first(const char *list) { /* the first thing in a list or object; NULL if there is none */
    const char *at = skip_space(list + 1);
    return *at && *at != ']' && *at != '}' ? at : NULL;
}

static const char *next(const char *value) { /* the thing after this one; NULL if it was the last */
    const char *at = skip_space(skip_value(value));
    return *at == ',' ? skip_space(at + 1) : NULL;
}

static int is_text(const char *at, const char *text) {
    size_t length = strlen(text);
    return *at == '"' && strncmp(at + 1, text, length) == 0 && at[1 + length] == '"';
}

static const char *entry(const char *object, const char *name) { /* the value of an entry; NULL if there is no such entry */
    for (const char *key = *object == '{' ? first(object) : NULL; key;) {
        const char *colon = skip_space(skip_text(key));
        const char *value = skip_space(colon + (*colon == ':'));
        if (is_text(key, name)) return value;
        key = next(value);
    }
    return NULL;
}

/* ---- Playing */

static int begins_with_one_of(const char *action, const char **words) { /* a whole word: "end" is not "endless" */
    for (; *words; words++) {
        size_t length = strlen(*words);
        if (strncmp(action + 1, *words, length) == 0 && strchr(" \"", action[1 + length])) return 1;
    }
    return 0;
}

static int worth(const char *action) { /* 1 for a good move, -1 for a bad one, 0 for all others */
    return begins_with_one_of(action, GOOD) - begins_with_one_of(action, BAD);
}

static const char *choose(const char *legal) { /* one of the best moves. Your own bot begins here */
    const char *chosen = first(legal);
    int alike = 1; /* how many of the moves so far are as good as the one chosen; each of them has the same chance */
    for (const char *action = next(chosen); action; action = next(action)) {
        int better = worth(action) - worth(chosen);
        alike = better > 0 ? 1 : alike + (better == 0);
        if (better > 0 || (better == 0 && rand() % alike == 0)) chosen = action;
    }
    return chosen;
}

static void write_value(const char *value) { /* as it stands in the line */
    fwrite(value, 1, (size_t)(skip_value(value) - value), stdout);
}

static void write_answers(const char *asks) { /* one for each game that we are asked about */
    printf("{\"answers\": [");
    for (const char *ask = first(asks); ask; ask = next(ask)) {
        printf("%s{\"game\": ", ask == first(asks) ? "" : ", ");
        write_value(entry(ask, "game"));
        printf(", \"action\": ");
        write_value(choose(entry(ask, "legal")));
        printf("}");
    }
    printf("]}\n");
}

int main(int count, char **arguments) {
    char *line = NULL;
    size_t space = 0;
    srand(count > 1 ? (unsigned)atoi(arguments[1]) : (unsigned)time(NULL));
    while (getline(&line, &space, stdin) > 0) { /* as long as a line may be: getline makes room */
        const char *type = entry(skip_space(line), "type");
        if (!type || is_text(type, "quit")) break;
        if (is_text(type, "hello")) /* "wants": ["view"] would have the cards sent with every question */
            printf("{\"type\": \"ready\", \"protocol\": 1, \"name\": \"c_bot\", \"version\": \"1\", \"games\": 16}\n");
        if (is_text(type, "ask") || is_text(type, "refused")) /* after a wrong answer: look at "detail" and answer again */
            write_answers(entry(skip_space(line), "asks"));
        fflush(stdout); /* or the line waits in a buffer and the arena for it; all other messages need no answer */
    }
    free(line);
    return 0;
}
