// Reading and adding where indices point, as in the NumPy kernels of the same names.
//
// Where several threads add, each has elements of its own, and adds in the order of the indices.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "kernels/lanes.hpp"
#include "kernels/pieces.hpp"

namespace pellucid {
namespace {

// Positions that go on by ones, from the place `at` of a vector of them.
struct Run {
    long at, position, length;
};

// Positions [outer, count, inner] along the lanes of an array, or a vector [count] of positions
// that all lanes share, and its runs.
struct Index {
    const long long* positions;
    Lanes lanes;
    long count;
    bool shared;
    std::vector<Run> runs;
    bool is_checked = true;         // whether no position is outside
    std::vector<long> starts = {};  // of rows that are read, where they do not follow each other
};

std::vector<Run> runs_of(const long long* positions, long count) {
    std::vector<Run> runs;
    for (long at = 0; at < count; ++at) {
        if (at > 0 && positions[at] == positions[at - 1] + 1) ++runs.back().length;
        else runs.push_back({at, positions[at], 1});
    }
    return runs;
}

// Whether all positions are from 0 to the size: neither they nor what they lack of it is negative.
bool are_within(const long long* positions, long count, long size) {
    long long signs = 0;
    for (long i = 0; i < count; ++i) {
        const auto position = static_cast<unsigned long long>(positions[i]);
        signs |= static_cast<long long>(position | (size - 1ull - position));
    }
    return signs >= 0;
}

bool are_within(const Ref& index, long size) {
    return are_within(index.data<long long>(), index.size(), size);
}

// Calls body(i, position) for one position after the other, of which four at a time are checked;
// false, perhaps after some calls, where one is outside.
template <class Body>
bool each_within(const long long* positions, long count, long size, const Body& body) {
    const auto lacks = [end = static_cast<unsigned long long>(size)](long long position) {
        return static_cast<unsigned long long>(position) >= end;
    };
    long i = 0;
    for (; i + 4 <= count; i += 4) {
        const long long first = positions[i], second = positions[i + 1];
        const long long third = positions[i + 2], fourth = positions[i + 3];
        if (lacks(first) | lacks(second) | lacks(third) | lacks(fourth)) return false;
        body(i, first);
        body(i + 1, second);
        body(i + 2, third);
        body(i + 3, fourth);
    }
    for (; i < count; ++i) {
        if (lacks(positions[i])) return false;
        body(i, positions[i]);
    }
    return true;
}

// Whether two arrays have equal sizes in all dimensions but one.
bool same_but_for(PyArrayObject* one, PyArrayObject* other, PyObject* axis) {
    const int ndim = PyArray_NDIM(one);
    long along;
    if (ndim != PyArray_NDIM(other) || !read_integer(axis, &along)) return false;
    for (int dim = 0; dim < ndim; ++dim) {
        if (dim == (along < 0 ? along + ndim : along)) continue;
        if (PyArray_DIM(one, dim) != PyArray_DIM(other, dim)) return false;
    }
    return true;
}

Ref contiguous_of_any_type(PyObject* object) {
    PyArrayObject* array = as_array(object);
    return array == nullptr ? Ref() : contiguous(object, PyArray_TYPE(array));
}

// ---- reading ------------------------------------------------------------------------------------

struct Pair {
    std::uint64_t first, second;
};

// Read `count` lines of elements from lanes of [size, inner]; false where a position is outside.
template <class Item>
bool take_lines(const Item* lanes, const long long* positions, Item* out, long count, long size,
                long inner) {
    if (inner == 1) {
        return each_within(positions, count, size,
                           [=](long i, long long position) { out[i] = lanes[position]; });
    }
    if (!are_within(positions, count * inner, size)) return false;
    for (long line = 0; line < count; ++line, positions += inner, out += inner)
        for (long i = 0; i < inner; ++i) out[i] = lanes[positions[i] * inner + i];
    return true;
}

// How many positions are looked at before they are used, so that they are still in the cache.
constexpr long kCheckedAtOnce = 2048;

// Reads one element of each row; false where a position is outside.
template <class Item>
bool take_one_each(const Index& index, const Item* x, Item* out) {
    const long size = index.lanes.size;
    const long* starts = index.starts.empty() ? nullptr : index.starts.data();
    std::atomic<bool> inside{true};
    in_pieces(index.lanes.outer, units_at_once(1), [&](long begin, long end) {
        const auto read = [=](long i, long long position) {
            const long row = begin + i;
            out[row] = x[(starts == nullptr ? row * size : starts[row]) + position];
        };
        if (!each_within(index.positions + begin, end - begin, size, read)) inside = false;
    });
    return inside;
}

// Reads along the lanes; false where a position is outside.
template <class Item>
bool take(const Index& index, const void* from, void* to) {
    const Item* x = static_cast<const Item*>(from);
    const long count = index.count, inner = index.lanes.inner;
    if (count == 1 && inner == 1) return take_one_each(index, x, static_cast<Item*>(to));
    const long lines = std::max(1L, kCheckedAtOnce / std::max(1L, inner));
    std::atomic<bool> inside{true};
    in_pieces(index.lanes.outer * count, units_at_once(inner), [&](long begin, long end) {
        for (long line = begin; line < end;) {
            const long outer = line / count;
            const long last = std::min({end, (outer + 1) * count, line + lines});
            const long start =
                index.starts.empty() ? outer * index.lanes.size * inner : index.starts[outer];
            if (!take_lines(x + start, index.positions + line * inner,
                            static_cast<Item*>(to) + line * inner, last - line, index.lanes.size,
                            inner)) {
                inside = false;
                return;
            }
            line = last;
        }
    });
    return inside;
}

using Take = bool (*)(const Index&, const void*, void*);

Take take_of_size(npy_intp size) {
    switch (size) {
        case 1: return take<std::uint8_t>;
        case 2: return take<std::uint16_t>;
        case 4: return take<std::uint32_t>;
        case 8: return take<std::uint64_t>;
        case 16: return take<Pair>;
        default: return nullptr;
    }
}

// Which rows and columns are read of matrices [rows, columns].
struct Grid {
    long outer, rows, columns;
    std::vector<long long> row_places, column_places;
    std::vector<Run> runs;  // of the columns
};

// Reads whole runs of a row, or one element after the other where they are short; a row that is
// read again is copied from where it went.
template <class Item>
void take_grid_of(const Grid& grid, const void* from, void* to) {
    const long row_count = grid.row_places.size(), width = grid.column_places.size();
    const bool runs_are_short = 4 * static_cast<long>(grid.runs.size()) > width;
    in_pieces(grid.outer * row_count, units_at_once(width), [&](long begin, long end) {
        for (long line = begin; line < end; ++line) {
            const long row = line % row_count, place = grid.row_places[row];
            const Item* x = static_cast<const Item*>(from) +
                            (line / row_count * grid.rows + place) * grid.columns;
            Item* out = static_cast<Item*>(to) + line * width;
            if (line > begin && row > 0 && place == grid.row_places[row - 1])
                std::memcpy(out, out - width, width * sizeof(Item));
            else if (runs_are_short)
                for (long i = 0; i < width; ++i) out[i] = x[grid.column_places[i]];
            else
                for (const Run& run : grid.runs)
                    std::memcpy(out + run.at, x + run.position, run.length * sizeof(Item));
        }
    });
}

using TakeGrid = void (*)(const Grid&, const void*, void*);

TakeGrid take_grid_of_size(npy_intp size) {
    switch (size) {
        case 1: return take_grid_of<std::uint8_t>;
        case 2: return take_grid_of<std::uint16_t>;
        case 4: return take_grid_of<std::uint32_t>;
        case 8: return take_grid_of<std::uint64_t>;
        case 16: return take_grid_of<Pair>;
        default: return nullptr;
    }
}

// ---- adding -------------------------------------------------------------------------------------

// Add [count, inner] to lanes of [size, inner], of which those from `begin` to `end`; false where a
// position of single elements is outside. Others have been checked.
template <class T>
bool add_lines(const Index& index, const T* values, T* lanes, long outer, long begin, long end) {
    const long count = index.count, inner = index.lanes.inner;
    if (index.shared && end - begin == inner) {
        for (const Run& run : index.runs) {
            const T* from = values + run.at * inner;
            T* to = lanes + run.position * inner;
            for (long i = 0; i < run.length * inner; ++i) to[i] += from[i];
        }
        return true;
    }
    if (index.shared) {
        for (long line = 0; line < count; ++line, values += inner) {
            T* to = lanes + index.positions[line] * inner;
            for (long i = begin; i < end; ++i) to[i] += values[i];
        }
        return true;
    }
    const long long* positions = index.positions + outer * count * inner;
    if (inner == 1) {
        return each_within(positions, count, index.lanes.size,
                           [=](long i, long long position) { lanes[position] += values[i]; });
    }
    for (long line = 0; line < count; ++line, positions += inner, values += inner)
        for (long i = begin; i < end; ++i) lanes[positions[i] * inner + i] += values[i];
    return true;
}

// Adds to all lanes; false where a position is outside.
template <class T>
bool add(const Index& index, const void* from, void* to) {
    const T* values = static_cast<const T*>(from);
    T* out = static_cast<T*>(to);
    const auto [outer, size, inner] = index.lanes;
    const bool is_checked = index.is_checked || inner == 1;
    std::atomic<bool> inside{true};
    if (outer == 1) {
        if (!is_checked && !are_within(index.positions, index.count * inner, size)) return false;
        // two threads do not write to one cache line, and elements do not depend on each other
        constexpr long kFewest = 64 / sizeof(T);
        const long parts = inner * index.count < kGrain ? 1 : thread_count();
        in_pieces(inner, std::max(kFewest, (inner + parts - 1) / parts), [&](long begin, long end) {
            if (!add_lines(index, values, out, 0, begin, end)) inside = false;
        });
        return inside;
    }
    const auto some = [&, size = size, inner = inner](long begin, long end) {
        const long lines = index.count * inner;
        for (long o = begin; o < end && inside; ++o) {
            if (!(is_checked || are_within(index.positions + o * lines, lines, size)) ||
                !add_lines(index, values + o * lines, out + o * size * inner, o, 0, inner))
                inside = false;
        }
    };
    in_pieces(outer, units_at_once(index.count * inner), some);
    return inside;
}

using Add = bool (*)(const Index&, const void*, void*);

Add add_of_type(int type) {
    switch (type) {
        case NPY_FLOAT: return add<float>;
        case NPY_DOUBLE: return add<double>;
        case NPY_INT64: return add<long long>;
        default: return nullptr;
    }
}

// Adds the values to `out`, which is new; it, or NotImplemented.
PyObject* added(const Index& index, const Ref& values, Ref out) {
    const Add run = add_of_type(PyArray_TYPE(out.array()));
    if (run == nullptr || PyArray_TYPE(values.array()) != PyArray_TYPE(out.array()))
        return declined();
    bool inside = true;
    if (!unlocked([&] { inside = run(index, values.data(), out.data()); })) return nullptr;
    return inside ? out.release() : declined();
}

bool read_shape(PyObject* tuple, int* ndim, npy_intp* shape) {
    if (!PyTuple_Check(tuple) || PyTuple_GET_SIZE(tuple) > NPY_MAXDIMS) return false;
    *ndim = static_cast<int>(PyTuple_GET_SIZE(tuple));
    long sizes[NPY_MAXDIMS];
    if (!read_integers(tuple, *ndim, sizes)) return false;
    std::copy(sizes, sizes + *ndim, shape);
    return true;
}

Ref zeros(int ndim, npy_intp* shape, int type) { return Ref(PyArray_ZEROS(ndim, shape, type, 0)); }

// Read positions along the lanes of an array, which are checked as they are used; false for what is
// left to NumPy.
bool read_index(PyArrayObject* array, PyObject* axis, const Ref& positions, Index* index) {
    if (!positions || !read_lanes(array, axis, &index->lanes)) return false;
    if (!same_but_for(array, positions.array(), axis)) return false;
    if (positions.size() == 0) return false;
    index->positions = positions.data<long long>();
    index->count = positions.size() / (index->lanes.outer * index->lanes.inner);
    index->shared = index->is_checked = false;
    return true;
}

// Where the rows of an array start, in items, if elements lie next to each other in rows but rows
// do not, as in an expanded array; nothing for any other array.
std::vector<long> starts_of_rows(PyArrayObject* x, const Lanes& lanes) {
    const int last = PyArray_NDIM(x) - 1;
    const npy_intp item = PyArray_ITEMSIZE(x), *shape = PyArray_DIMS(x);
    if (lanes.inner != 1 || PyArray_IS_C_CONTIGUOUS(x) || !PyArray_ISBEHAVED_RO(x)) return {};
    if (last < 0 || shape[last] != lanes.size || PyArray_STRIDE(x, last) != item) return {};
    std::vector<long> starts{0};
    for (int dim = 0; dim < last; ++dim) {
        if (PyArray_STRIDE(x, dim) % item != 0) return {};
        std::vector<long> next;
        next.reserve(starts.size() * shape[dim]);
        for (long start : starts)
            for (npy_intp i = 0; i < shape[dim]; ++i)
                next.push_back(start + i * (PyArray_STRIDE(x, dim) / item));
        starts = std::move(next);
    }
    return starts;
}

// The same for a vector of positions that all lanes share.
bool read_shared(PyArrayObject* array, PyObject* axis, const Ref& positions, Index* index) {
    if (!positions || PyArray_NDIM(positions.array()) != 1) return false;
    if (!read_lanes(array, axis, &index->lanes) || index->lanes.inner == 0) return false;
    if (!are_within(positions, index->lanes.size)) return false;
    index->positions = positions.data<long long>();
    index->count = positions.size();
    index->shared = true;
    index->runs = runs_of(index->positions, index->count);
    return true;
}

std::vector<long long> places_of(const Ref& positions) {
    const long long* first = positions.data<long long>();
    return std::vector<long long>(first, first + positions.size());
}

// The places in two dimensions together, of which the second has this size.
std::vector<long long> places_of_both(const std::vector<long long>& first,
                                      const std::vector<long long>& second, long size) {
    std::vector<long long> both;
    for (long long one : first)
        for (long long other : second) both.push_back(one * size + other);
    return both;
}

// Reads a grid of an array into a new one of this shape, or leaves it to NumPy.
PyObject* taken(PyObject* array, Grid grid, npy_intp* shape) {
    const Ref x = contiguous_of_any_type(array);
    if (!x || !PyDataType_ISNUMBER(PyArray_DESCR(x.array())) || x.size() == 0) return declined();
    const TakeGrid run = take_grid_of_size(x.item_size());
    if (run == nullptr) return declined();
    const Ref out = new_array(PyArray_NDIM(x.array()), shape, PyArray_TYPE(x.array()));
    if (!out) return nullptr;
    grid.runs = runs_of(grid.column_places.data(), grid.column_places.size());
    return unlocked([&] { run(grid, x.data(), out.data()); }) ? Py_NewRef(out.get()) : nullptr;
}

// ---- writing ------------------------------------------------------------------------------------

// Write [count, inner], whose values are `step` apart, where positions point in lanes of
// [size, inner]; the last one stays. False where a position is outside.
template <class Item>
bool put_lines(Item* lanes, const long long* positions, const Item* values, long step, long count,
               long size, long inner) {
    if (inner == 1) {
        return each_within(positions, count, size,
                           [=](long i, long long position) { lanes[position] = values[i * step]; });
    }
    if (!are_within(positions, count * inner, size)) return false;
    for (long line = 0; line < count; ++line, positions += inner, values += inner * step)
        for (long i = 0; i < inner; ++i) lanes[positions[i] * inner + i] = values[i * step];
    return true;
}

// The same for all lanes, of values or of one for all; false where a position is outside.
template <class Item>
bool put(const Index& index, const void* from, bool is_number, void* to) {
    const Item* values = static_cast<const Item*>(from);
    Item* out = static_cast<Item*>(to);
    const auto [outer, size, inner] = index.lanes;
    const long step = is_number ? 0 : 1, lines = index.count * inner;
    std::atomic<bool> inside{true};
    in_pieces(outer, units_at_once(lines), [&, size = size, inner = inner](long begin, long end) {
        for (long o = begin; o < end; ++o) {
            if (!put_lines(out + o * size * inner, index.positions + o * lines,
                           values + o * lines * step, step, index.count, size, inner))
                inside = false;
        }
    });
    return inside;
}

using Put = bool (*)(const Index&, const void*, bool, void*);

Put put_of_size(npy_intp size) {
    switch (size) {
        case 1: return put<std::uint8_t>;
        case 2: return put<std::uint16_t>;
        case 4: return put<std::uint32_t>;
        case 8: return put<std::uint64_t>;
        default: return nullptr;
    }
}

}  // namespace

// all_within(index, size): whether all indices are from 0 to the size
PyObject* all_within(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    long size;
    if (count != 2 || !read_integer(arguments[1], &size)) return declined();
    const Ref positions = contiguous(arguments[0], NPY_INT64);
    return positions ? PyBool_FromLong(are_within(positions, size)) : declined();
}

// scatter(x, dim, index, src), with an array of x's dtype for a source
PyObject* scatter(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 4) return declined();
    PyArrayObject* x = as_array(arguments[0]);
    if (x == nullptr || !PyDataType_ISNUMBER(PyArray_DESCR(x))) return declined();
    const Ref positions = contiguous(arguments[2], NPY_INT64);
    const Ref values = contiguous(arguments[3], PyArray_TYPE(x));
    Index index;
    if (!values || !read_index(x, arguments[1], positions, &index)) return declined();
    const bool is_number = PyArray_NDIM(values.array()) == 0;
    if (!is_number && !PyArray_SAMESHAPE(positions.array(), values.array())) return declined();
    const Put run = put_of_size(values.item_size());
    if (run == nullptr) return declined();
    Ref out(PyArray_NewCopy(x, NPY_CORDER));
    if (!out) return nullptr;
    bool inside = true;
    if (!unlocked([&] { inside = run(index, values.data(), is_number, out.data()); }))
        return nullptr;
    return inside ? out.release() : declined();
}

// take_along(x, index, dim)
PyObject* take_along(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 3) return declined();
    PyArrayObject* given = as_array(arguments[0]);
    const Ref positions = contiguous(arguments[1], NPY_INT64);
    Index index;
    if (given == nullptr || !PyDataType_ISNUMBER(PyArray_DESCR(given))) return declined();
    if (!read_index(given, arguments[2], positions, &index)) return declined();
    index.starts = starts_of_rows(given, index.lanes);
    const Ref x =
        index.starts.empty() ? contiguous_of_any_type(arguments[0]) : Ref(Py_NewRef(arguments[0]));
    if (!x) return declined();
    const Take run = take_of_size(PyArray_ITEMSIZE(x.array()));
    if (run == nullptr) return declined();
    Ref out = new_like(positions, PyArray_TYPE(x.array()));
    if (!out) return nullptr;
    bool inside = true;
    if (!unlocked([&] { inside = run(index, x.data(), out.data()); })) return nullptr;
    return inside ? out.release() : declined();
}

// take(x, index, dim), with a vector for an index
PyObject* take(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    PyArrayObject* x = count == 3 ? as_array(arguments[0]) : nullptr;
    Lanes lanes;
    if (x == nullptr || !read_lanes(x, arguments[2], &lanes)) return declined();
    const Ref positions = contiguous(arguments[1], NPY_INT64);
    if (!positions || PyArray_NDIM(positions.array()) != 1 || !are_within(positions, lanes.size))
        return declined();
    Grid grid{lanes.outer, lanes.size, lanes.inner, places_of(positions), {}, {}};
    if (lanes.inner == 1) {
        grid = {lanes.outer, 1, lanes.size, {0}, std::move(grid.row_places), {}};
    } else {
        grid.column_places.resize(lanes.inner);
        std::iota(grid.column_places.begin(), grid.column_places.end(), 0);
    }
    npy_intp shape[NPY_MAXDIMS];
    const int ndim = PyArray_NDIM(x);
    std::copy_n(PyArray_DIMS(x), ndim, shape);
    const long axis = PyLong_AsLong(arguments[2]);
    shape[axis < 0 ? axis + ndim : axis] = positions.size();
    return taken(arguments[0], std::move(grid), shape);
}

// take_grid(x, positions), with a vector of positions for each of the last dimensions
PyObject* take_grid(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    PyArrayObject* x = count == 2 ? as_array(arguments[0]) : nullptr;
    if (x == nullptr || !PyTuple_Check(arguments[1])) return declined();
    const int ndim = PyArray_NDIM(x), given = static_cast<int>(PyTuple_GET_SIZE(arguments[1]));
    if (given == 0 || given > ndim) return declined();
    npy_intp shape[NPY_MAXDIMS];
    std::copy_n(PyArray_DIMS(x), ndim, shape);
    Grid grid{PyArray_MultiplyList(shape, ndim - given), 1, shape[ndim - 1], {0}, {}, {}};
    for (int d = 0; d < given; ++d) {
        npy_intp* size = shape + ndim - given + d;
        const Ref positions = contiguous(PyTuple_GET_ITEM(arguments[1], d), NPY_INT64);
        if (!positions || PyArray_NDIM(positions.array()) != 1 || !are_within(positions, *size))
            return declined();
        std::vector<long long> places = places_of(positions);
        if (d < given - 1) {
            grid.row_places = places_of_both(grid.row_places, places, *size);
            grid.rows *= *size;
        } else {
            grid.column_places = std::move(places);
        }
        *size = positions.size();
    }
    return taken(arguments[0], std::move(grid), shape);
}

// scatter_add_along(shape, index, src, dim)
PyObject* scatter_add_along(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    int ndim;
    npy_intp shape[NPY_MAXDIMS];
    if (count != 4 || !read_shape(arguments[0], &ndim, shape)) return declined();
    const Ref positions = contiguous(arguments[1], NPY_INT64);
    const Ref values = contiguous_of_any_type(arguments[2]);
    if (!positions || !values || !PyArray_SAMESHAPE(positions.array(), values.array()))
        return declined();
    if (add_of_type(PyArray_TYPE(values.array())) == nullptr) return declined();
    Ref out = zeros(ndim, shape, PyArray_TYPE(values.array()));
    if (!out) return nullptr;
    Index index;
    if (!read_index(out.array(), arguments[3], positions, &index)) return declined();
    return added(index, values, std::move(out));
}

// scatter_reduce(x, dim, index, src, "sum"[, True])
PyObject* scatter_reduce(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count < 5 || count > 6 || (count == 6 && arguments[5] != Py_True)) return declined();
    if (!is_word(arguments[4], "sum")) return declined();
    PyArrayObject* x = as_array(arguments[0]);
    const Ref positions = contiguous(arguments[2], NPY_INT64);
    const Ref values = contiguous_of_any_type(arguments[3]);
    Index index;
    if (x == nullptr || !values || !read_index(x, arguments[1], positions, &index))
        return declined();
    if (!PyArray_SAMESHAPE(positions.array(), values.array())) return declined();
    Ref out(PyArray_NewCopy(x, NPY_CORDER));
    return out ? added(index, values, std::move(out)) : nullptr;
}

// index_add(x, dim, index, src), with a vector for an index
PyObject* index_add(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 4) return declined();
    PyArrayObject* x = as_array(arguments[0]);
    const Ref positions = contiguous(arguments[2], NPY_INT64);
    const Ref values = contiguous_of_any_type(arguments[3]);
    Index index;
    if (x == nullptr || !values || !read_shared(x, arguments[1], positions, &index))
        return declined();
    if (!same_but_for(x, values.array(), arguments[1])) return declined();
    if (values.size() != index.lanes.count() * index.count) return declined();
    Ref out(PyArray_NewCopy(x, NPY_CORDER));
    return out ? added(index, values, std::move(out)) : nullptr;
}

// scattered(x, index, src, dim): `scatter` of an array, with the op's order of arguments; so below
PyObject* scattered(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 4 || as_array(arguments[2]) == nullptr) return declined();
    PyObject* const given[] = {arguments[0], arguments[3], arguments[1], arguments[2]};
    return PyArray_NDIM(as_array(arguments[2])) == 0 ? declined() : scatter(self, given, 4);
}

// scattered_number(x, index, dim, value)
PyObject* scattered_number(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    double value;
    if (count != 4 || !read_precision(arguments[0], &precision) ||
        !read_number(arguments[3], &value))
        return declined();
    const Ref number = new_array(0, nullptr, type_of(precision));
    if (!number) return nullptr;
    if (precision == kSingle) *number.data<float>() = static_cast<float>(value);
    else *number.data<double>() = value;
    PyObject* const given[] = {arguments[0], arguments[2], arguments[1], number.get()};
    return scatter(self, given, 4);
}

bool are_of_one_type(PyObject* first, PyObject* second) {
    PyArrayObject *a = as_array(first), *b = as_array(second);
    return a != nullptr && b != nullptr && PyArray_TYPE(a) == PyArray_TYPE(b);
}

// scattered_sum(x, index, src, dim)
PyObject* scattered_sum(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
    static PyObject* const sum = PyUnicode_InternFromString("sum");
    if (count != 4 || !are_of_one_type(arguments[0], arguments[2])) return declined();
    PyObject* const given[] = {arguments[0], arguments[3], arguments[1], arguments[2], sum};
    return scatter_reduce(self, given, 5);
}

// slices_added(x, index, source, dim)
PyObject* slices_added(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 4 || !are_of_one_type(arguments[0], arguments[2])) return declined();
    PyObject* const given[] = {arguments[0], arguments[3], arguments[1], arguments[2]};
    return index_add(self, given, 4);
}

// rows_added(x, values, (index,), accumulate): True alone, and a vector for an index
PyObject* rows_added(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
    static PyObject* const first = PyLong_FromLong(0);
    if (count != 4 || arguments[3] != Py_True || !PyTuple_Check(arguments[2]) ||
        PyTuple_GET_SIZE(arguments[2]) != 1 || !are_of_one_type(arguments[0], arguments[1])) {
        return declined();
    }
    PyObject* const given[] = {arguments[0], first, PyTuple_GET_ITEM(arguments[2], 0),
                               arguments[1]};
    return index_add(self, given, 4);
}

// embedding_to_weight(g, indices, num_rows)
PyObject* embedding_to_weight(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    long rows;
    if (count != 3 || !read_integer(arguments[2], &rows)) return declined();
    const Ref g = contiguous_of_any_type(arguments[0]);
    const Ref positions = contiguous(arguments[1], NPY_INT64);
    if (!g || !positions) return declined();
    const int indexed = PyArray_NDIM(positions.array()), ndim = PyArray_NDIM(g.array());
    if (indexed > ndim || g.size() == 0 || !are_within(positions, rows)) return declined();
    const npy_intp* shape = PyArray_DIMS(g.array());
    if (!std::equal(shape, shape + indexed, PyArray_DIMS(positions.array()))) return declined();
    if (add_of_type(PyArray_TYPE(g.array())) == nullptr) return declined();
    npy_intp table[NPY_MAXDIMS] = {rows};
    std::copy(shape + indexed, shape + ndim, table + 1);
    Ref out = zeros(ndim - indexed + 1, table, PyArray_TYPE(g.array()));
    if (!out) return nullptr;
    const long size = PyArray_MultiplyList(shape + indexed, ndim - indexed);
    const long long* rows_taken = positions.data<long long>();
    const Index index{
        rows_taken, {1, rows, size}, positions.size(), true, runs_of(rows_taken, positions.size())};
    return added(index, g, std::move(out));
}

}  // namespace pellucid
