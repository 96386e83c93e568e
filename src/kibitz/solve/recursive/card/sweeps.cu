// Sweeps and proofs of a recursive game on a graphics card: one thread per state, one kernel per step.
//
// Nodes are numbered as in `game.game`: states with a choice, chance moves, ends. ROWS and COLUMNS, the largest shape
// of the game, are given when this file is compiled, so that a state's matrix lives in its thread's own memory.

#define TINY 2e-15        // what counts as 0 in a tableau with entries of about 1
#define PIVOTS 50         // the most steps by the fastest rule, then by Bland's, which cannot cycle
#define BLAND_PIVOTS 500
#define WIDTH (COLUMNS + 1)
#define INFINITE __longlong_as_double(0x7ff0000000000000ll)
#define NO_NUMBER __longlong_as_double(0x7ff8000000000000ll)

// The operators of a sweep, applied to the value of a state's matrix.
#define DISCOUNTED 0      // factor * value
#define LOWER 1           // a value above 0 is multiplied by *factor*, and becomes 0 below *least_gain*; every value loses
                          // *dust*, more than rounding adds. A fixed point is proved by player 0's strategy.
#define UPPER 2           // the mirror image, proved by player 1's strategy

__device__ double operate(int kind, double value, double factor, double dust, double least_gain)
{
    if (kind == DISCOUNTED) return factor * value;
    const double sign = kind == LOWER ? 1.0 : -1.0, gain = sign * value;
    const double after = (gain > 0.0 ? factor * gain : gain) - dust;
    return after > 0.0 && after < least_gain ? 0.0 : sign * after;
}

// Write the matrix of a state, row by row, and return how many rows it has. Sums are rounded down (side -1), up (1) or
// to the nearest number (0).
__device__ int read_matrix(int start, int end, int columns, const int* successors, const double* stage,
                           const double* values, int side, double* entries)
{
    for (int place = start; place < end; ++place) {
        const double after = values[successors[place]], paid = stage ? stage[place] : 0.0;
        entries[place - start] = side < 0 ? __dadd_rd(after, paid) : side > 0 ? __dadd_ru(after, paid) : after + paid;
    }
    return (end - start) / columns;
}

// Drop the lines that another line dominates from the list *lines*; return how many stay. *step* and *other_step* are
// the distances of entries along both lists; *sign* is -1 for the minimiser.
__device__ int drop_worse(const double* entries, int* lines, int count, int step, const int* others, int other_count,
                          int other_step, double sign)
{
    for (int place = count - 1; place >= 0; --place) {
        for (int rival = 0; rival < count; ++rival) {
            bool worse = rival != place;
            for (int cross = 0; worse && cross < other_count; ++cross) {
                const int at = others[cross] * other_step;
                worse = sign * entries[lines[place] * step + at] <= sign * entries[lines[rival] * step + at];
            }
            if (worse) {
                for (int later = place; later < count - 1; ++later) lines[later] = lines[later + 1];
                --count;
                break;
            }
        }
    }
    return count;
}

// The value of a matrix game by the simplex method, without dominated rows and columns; NaN if rounding stops it.
__device__ double simplex(const double* entries, int all_rows, int all_columns, double* row_mix, double* column_mix)
{
    int kept_rows[ROWS], kept_columns[COLUMNS], rows = all_rows, columns = all_columns, before = 0;
    for (int row = 0; row < rows; ++row) kept_rows[row] = row;
    for (int column = 0; column < columns; ++column) kept_columns[column] = column;
    while (rows + columns != before) {
        before = rows + columns;
        rows = drop_worse(entries, kept_rows, rows, all_columns, kept_columns, columns, 1, 1.0);
        columns = drop_worse(entries, kept_columns, columns, 1, kept_rows, rows, all_columns, -1.0);
    }
    if (rows == 2 && columns == 2) {
        const double* upper = entries + kept_rows[0] * all_columns;
        const double* lower = entries + kept_rows[1] * all_columns;
        const double a = upper[kept_columns[0]], b = upper[kept_columns[1]];
        const double c = lower[kept_columns[0]], d = lower[kept_columns[1]];
        const double total = (a - b) + (d - c);
        row_mix[kept_rows[0]] = (d - c) / total;
        row_mix[kept_rows[1]] = (a - b) / total;
        column_mix[kept_columns[0]] = (d - b) / total;
        column_mix[kept_columns[1]] = (a - c) / total;
        return a - (a - b) * (a - c) / total;
    }
    double work[(ROWS + 1) * WIDTH];
    int side[ROWS], top[COLUMNS];
    const int width = columns + 1, bottom = rows * width;
    double low = INFINITE, high = -INFINITE;
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
            const double entry = entries[kept_rows[row] * all_columns + kept_columns[column]];
            low = fmin(low, entry);
            high = fmax(high, entry);
        }
    const double scale = high - low;
    for (int row = 0; row < rows; ++row) {
        const double* line = entries + kept_rows[row] * all_columns;
        for (int column = 0; column < columns; ++column)
            work[row * width + column] = 1.0 + (line[kept_columns[column]] - low) / scale;
        work[row * width + columns] = 1.0;
        side[row] = -1 - row;
    }
    for (int column = 0; column < columns; ++column) {
        work[bottom + column] = -1.0;
        top[column] = column;
    }
    work[bottom + columns] = 0.0;
    int step = 0;
    for (; step < BLAND_PIVOTS; ++step) {
        int chosen = -1, out = -1;
        double least = -TINY, ratio = INFINITE;
        for (int column = 0; column < columns; ++column) {
            const double cost = work[bottom + column];
            if (step < PIVOTS ? cost < least : cost < -TINY && (chosen < 0 || top[column] < top[chosen])) {
                chosen = column;
                least = cost;
            }
        }
        if (chosen < 0) break;
        for (int row = 0; row < rows; ++row) {
            const double entry = work[row * width + chosen];
            if (entry > TINY) {
                const double share = work[row * width + columns] / entry;
                if (share < ratio || (share == ratio && side[row] < side[out])) {
                    out = row;
                    ratio = share;
                }
            }
        }
        if (out < 0) return NO_NUMBER;
        const double pivot = work[out * width + chosen];
        for (int row = 0; row <= rows; ++row) {
            if (row == out) continue;
            const double factor = work[row * width + chosen] / pivot;
            for (int column = 0; column < width; ++column)
                if (column != chosen) work[row * width + column] -= factor * work[out * width + column];
            work[row * width + chosen] = -factor;
        }
        for (int column = 0; column < width; ++column) work[out * width + column] /= pivot;
        work[out * width + chosen] = 1.0 / pivot;
        const int label = side[out];
        side[out] = top[chosen];
        top[chosen] = label;
    }
    if (step == BLAND_PIVOTS) return NO_NUMBER;
    double row_total = 0.0, column_total = 0.0;
    for (int row = 0; row < rows; ++row) {
        const double amount = work[row * width + columns];
        if (side[row] >= 0 && amount > TINY) {
            column_mix[kept_columns[side[row]]] = amount;
            column_total += amount;
        }
    }
    for (int column = 0; column < columns; ++column) {
        const double amount = work[bottom + column];
        if (top[column] < 0 && amount > TINY) {
            row_mix[kept_rows[-1 - top[column]]] = amount;
            row_total += amount;
        }
    }
    for (int row = 0; row < all_rows; ++row) row_mix[row] /= row_total;
    for (int column = 0; column < all_columns; ++column) column_mix[column] /= column_total;
    return low + (1.0 / work[bottom + columns] - 1.0) * scale;
}

// The value of a matrix game and an optimal strategy of each player. If rounding stops the simplex method, the value is
// NaN and the strategies are the safest pure ones, which the proofs may still use.
__device__ double solve_matrix(const double* entries, int rows, int columns, double* row_mix, double* column_mix)
{
    double lower = -INFINITE, upper = INFINITE;
    int best_row = 0, best_column = 0;
    for (int row = 0; row < rows; ++row) {
        double worst = INFINITE;
        for (int column = 0; column < columns; ++column) worst = fmin(worst, entries[row * columns + column]);
        if (worst > lower) {
            lower = worst;
            best_row = row;
        }
        row_mix[row] = 0.0;
    }
    for (int column = 0; column < columns; ++column) {
        double best = -INFINITE;
        for (int row = 0; row < rows; ++row) best = fmax(best, entries[row * columns + column]);
        if (best < upper) {
            upper = best;
            best_column = column;
        }
        column_mix[column] = 0.0;
    }
    const double value = lower >= upper ? lower : simplex(entries, rows, columns, row_mix, column_mix);
    if (lower >= upper || isnan(value)) {
        for (int row = 0; row < rows; ++row) row_mix[row] = row == best_row ? 1.0 : 0.0;
        for (int column = 0; column < columns; ++column) column_mix[column] = column == best_column ? 1.0 : 0.0;
    }
    return value;
}

// Keep the largest of all threads' changes; bits of doubles from 0 on are in the order of the numbers.
__device__ void keep_largest(double change, unsigned long long* largest)
{
    for (int distance = 16; distance > 0; distance /= 2)
        change = fmax(change, __shfl_down_sync(0xffffffffu, change, distance));
    if ((threadIdx.x & 31) == 0 && change > 0.0) {
        const unsigned long long bits = __double_as_longlong(change);
        if (bits > *largest) atomicMax(largest, bits);
    }
}

// What a chance move is worth, from below (side -1), from above (1) or as near as possible (0).
extern "C" __global__ void settle_chance(int count, const int* moves, int choices, const int* first,
                                         const int* successors, const double* odds, double* values, int side)
{
    const int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= count) return;
    const int move = moves[index], start = first[move], end = first[move + 1];
    const double base = values[successors[start]];
    double total = 0.0;
    for (int place = start + 1; place < end; ++place) {
        const double after = values[successors[place]], chance = odds[place];
        if (side < 0) total = __dadd_rd(total, __dmul_rd(chance, __dsub_rd(after, base)));
        else if (side > 0) total = __dadd_ru(total, __dmul_ru(chance, __dsub_ru(after, base)));
        else total += chance * (after - base);
    }
    values[choices + move] = side < 0 ? __dadd_rd(base, total) : side > 0 ? __dadd_ru(base, total) : base + total;
}

// One sweep from *old* to *next*; *largest* receives the bits of the largest change. States in *fixed* stay.
extern "C" __global__ void sweep(int choices, const int* first, const unsigned short* columns, const int* successors,
                                 const double* stage, const unsigned char* fixed, const double* old, double* next,
                                 int kind, double factor, double dust, double least_gain, double least, double most,
                                 unsigned long long* largest)
{
    const int state = blockIdx.x * blockDim.x + threadIdx.x;
    double change = 0.0;
    if (state < choices) {
        const double before = old[state];
        double after = before;
        if (!fixed || !fixed[state]) {
            double entries[ROWS * COLUMNS], row_mix[ROWS], column_mix[COLUMNS];
            const int width = columns[state];
            const int rows = read_matrix(first[state], first[state + 1], width, successors, stage, old, 0, entries);
            const double value = solve_matrix(entries, rows, width, row_mix, column_mix);
            if (!isnan(value)) after = fmin(most, fmax(least, operate(kind, value, factor, dust, least_gain)));
            change = fabs(after - before);
        }
        next[state] = after;
    }
    keep_largest(change, largest);
}

// How far a bound rises in one round under a mix, against the answer that is best for the other player, and rounded
// down: from *mine* to the discounted entries. For player 1 (side 1), how far it falls. It sums differences, so that
// entries equal to *mine* count exactly 0.
__device__ double least_rise(const double* entries, int rows, int columns, const double* mix, double mine,
                             double factor, int side)
{
    const int own = side < 0 ? rows : columns, others = side < 0 ? columns : rows;
    double found = INFINITE;
    for (int other = 0; other < others; ++other) {
        double total = 0.0;
        for (int line = 0; line < own; ++line) {
            const double entry = entries[side < 0 ? line * columns + other : other * columns + line];
            const double rise = side < 0 ? __dsub_rd(__dmul_rd(factor, entry), mine)
                                         : __dsub_rd(mine, __dmul_ru(factor, entry));
            total = __dadd_rd(total, __dmul_rd(mix[line], rise));
        }
        found = fmin(found, total);
    }
    return found;
}

// Test the proof of a bound (see `proofs.certificates`) at every state that differs from *proved*, the bound known
// before; where it fails, put *proved* back. *failures* counts these; *mixes*, if given, receive the strategy.
extern "C" __global__ void test_bound(int choices, const int* first, const unsigned short* columns,
                                      const int* successors, const double* stage, const unsigned char* fixed,
                                      const double* bound, double* next, double proved, double factor, int side,
                                      const long long* mix_starts, double* mixes, unsigned long long* failures)
{
    const int state = blockIdx.x * blockDim.x + threadIdx.x;
    if (state >= choices) return;
    const double mine = bound[state];
    next[state] = mine;
    if (fixed && fixed[state] && !mixes) return;
    double entries[ROWS * COLUMNS], row_mix[ROWS], column_mix[COLUMNS];
    const int width = columns[state];
    const int rows = read_matrix(first[state], first[state + 1], width, successors, stage, bound, side, entries);
    solve_matrix(entries, rows, width, row_mix, column_mix);
    const double* mix = side < 0 ? row_mix : column_mix;
    if (mixes)
        for (int line = 0; line < (side < 0 ? rows : width); ++line) mixes[mix_starts[state] + line] = mix[line];
    if (mine == proved || (fixed && fixed[state])) return;
    const double rise = least_rise(entries, rows, width, mix, mine, factor, side);
    const bool ahead = side < 0 ? mine > 0.0 : mine < 0.0;
    const bool holds = ahead && factor == 1.0 ? rise > 0.0 : rise >= 0.0;
    if (!holds) {
        next[state] = proved;
        atomicAdd(failures, 1ull);
    }
}
