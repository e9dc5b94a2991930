// Sorting and selecting along a dimension, as in the NumPy kernels of the same names.
//
// Note [Keys]
// A number becomes an unsigned key of the same order, where NaN is the largest and both zeros are
// equal; going down takes the complement. Entries of key and place are sorted: few of them by
// comparison, many by the digits of their keys, from the last one on (radix sort; Knuth, "The Art
// of Computer Programming", volume 3, section 5.2.5). Equal ones keep their order both ways.
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/lanes.hpp"
#include "kernels/pieces.hpp"

namespace pellucid {
namespace {

template <class T>
struct Ordered;

template <class T, class Key_>
struct OrderedFloat {
    using Key = Key_;
    static Key key(T x) {
        if (x != x) return std::numeric_limits<Key>::max();
        const T one_zero = x + T(0);
        Key bits;
        std::memcpy(&bits, &one_zero, sizeof bits);
        constexpr Key sign = Key(1) << (8 * sizeof(Key) - 1);
        return bits & sign ? ~bits : bits | sign;
    }
};

template <>
struct Ordered<float> : OrderedFloat<float, std::uint32_t> {};
template <>
struct Ordered<double> : OrderedFloat<double, std::uint64_t> {};
template <>
struct Ordered<std::int64_t> {
    using Key = std::uint64_t;
    static Key key(std::int64_t x) { return static_cast<Key>(x) ^ (Key(1) << 63); }
};

template <class Key>
struct Entry {
    Key key;
    std::uint32_t place;
    bool operator<(const Entry& other) const {
        return key != other.key ? key < other.key : place < other.place;
    }
};

constexpr int kDigit = 11, kDigits = 1 << kDigit;
constexpr long kManyEntries = 2048;

// Sort by one digit of the keys; false, with nothing done, if all keys have the same there.
template <class Key>
bool sort_by_digit(const std::vector<Entry<Key>>& from, std::vector<Entry<Key>>& to, int shift) {
    std::uint32_t starts[kDigits] = {};
    const auto digit = [shift](const Entry<Key>& entry) {
        return static_cast<std::size_t>(entry.key >> shift) & (kDigits - 1);
    };
    for (const auto& entry : from) ++starts[digit(entry)];
    if (starts[digit(from[0])] == from.size()) return false;
    std::uint32_t start = 0;
    for (std::uint32_t& each : starts) {
        const std::uint32_t count = each;
        each = start;
        start += count;
    }
    for (const auto& entry : from) to[starts[digit(entry)]++] = entry;
    return true;
}

template <class Key>
void sort_entries(std::vector<Entry<Key>>& entries, std::vector<Entry<Key>>& spare) {
    if (static_cast<long>(entries.size()) < kManyEntries)
        return std::sort(entries.begin(), entries.end());
    spare.resize(entries.size());
    for (int shift = 0; shift < static_cast<int>(8 * sizeof(Key)); shift += kDigit)
        if (sort_by_digit(entries, spare, shift)) entries.swap(spare);
}

// Leave the `count` first entries in order, and drop the others.
template <class Key>
void select_first(std::vector<Entry<Key>>& entries, long count) {
    constexpr long kFew = 64;
    const auto begin = entries.begin(), chosen = begin + count;
    if (count > kFew) {
        std::nth_element(begin, chosen - 1, entries.end());
        std::sort(begin, chosen);
    } else {
        std::sort(begin, chosen);
        for (auto entry = chosen; entry != entries.end(); ++entry) {
            if (entry->key >= chosen[-1].key) continue;
            const Entry<Key> found = *entry;
            auto place = chosen - 1;
            for (; place != begin && found.key < place[-1].key; --place) *place = place[-1];
            *place = found;
        }
    }
    entries.resize(count);
}

struct Selection {
    Lanes lanes;
    long chosen;  // how many of each lane
    bool descending, in_order;
    const void* x;
    void* values;
    long long* places;
};

template <class T>
void order_lanes(const Selection& job, long begin, long end) {
    using Key = typename Ordered<T>::Key;
    const auto& lanes = job.lanes;
    const Key flipped = job.descending ? std::numeric_limits<Key>::max() : 0;
    std::vector<Entry<Key>> entries, spare;
    for (long lane = begin; lane < end; ++lane) {
        const T* x = static_cast<const T*>(job.x) + lanes.start(lane);
        entries.resize(lanes.size);
        for (long k = 0; k < lanes.size; ++k)
            entries[k] = {Key(Ordered<T>::key(x[k * lanes.inner]) ^ flipped),
                          static_cast<std::uint32_t>(k)};
        if (job.chosen < lanes.size) select_first(entries, job.chosen);
        else sort_entries(entries, spare);
        if (!job.in_order)
            std::sort(entries.begin(), entries.end(),
                      [](const auto& a, const auto& b) { return a.place < b.place; });
        const long start = Lanes{lanes.outer, job.chosen, lanes.inner}.start(lane);
        for (long k = 0; k < job.chosen; ++k) {
            const long at = start + k * lanes.inner;
            job.places[at] = entries[k].place;
            static_cast<T*>(job.values)[at] = x[entries[k].place * lanes.inner];
        }
    }
}

// Read the array and the dimension; false for what is left to NumPy.
bool read_selection(PyObject* object, PyObject* axis, Ref* x, Selection* job) {
    PyArrayObject* array = as_array(object);
    if (array == nullptr || PyArray_NDIM(array) == 0 || PyArray_SIZE(array) == 0) return false;
    const int type = PyArray_TYPE(array);
    if (type != NPY_FLOAT && type != NPY_DOUBLE && type != NPY_INT64) return false;
    if (!read_lanes(array, axis, &job->lanes)) return false;
    if (job->lanes.size > std::numeric_limits<std::int32_t>::max()) return false;
    *x = contiguous(object, type);
    job->x = x->data();
    return static_cast<bool>(*x);
}

// Fill values and places of the chosen elements.
PyObject* ordered(const Ref& x, PyObject* axis, Selection* job) {
    const int type = PyArray_TYPE(x.array()), ndim = PyArray_NDIM(x.array());
    npy_intp shape[NPY_MAXDIMS];
    std::copy(PyArray_DIMS(x.array()), PyArray_DIMS(x.array()) + ndim, shape);
    long along = 0;
    if (!read_integer(axis, &along)) return declined();
    shape[along < 0 ? along + ndim : along] = job->chosen;
    const Ref values = new_array(ndim, shape, type), places = new_array(ndim, shape, NPY_INT64);
    if (!values || !places) return nullptr;
    job->values = values.data();
    job->places = places.data<long long>();
    void (*run)(const Selection&, long, long) = order_lanes<std::int64_t>;
    if (type == NPY_FLOAT) run = order_lanes<float>;
    if (type == NPY_DOUBLE) run = order_lanes<double>;
    const bool done = unlocked([&] {
        in_pieces(job->lanes.count(), units_at_once(4 * job->lanes.size),
                  [&](long begin, long end) { run(*job, begin, end); });
    });
    return done ? PyTuple_Pack(2, values.get(), places.get()) : nullptr;
}

// What is picked of a lane: its k-th smallest element; the lower median, which is the first NaN if
// there is one; or that of the numbers alone.
enum class Pick { kth, median, nanmedian };

template <class T>
void pick_one(const Selection& job, Pick pick) {
    using Key = typename Ordered<T>::Key;
    const long size = job.lanes.size;
    std::vector<Entry<Key>> entries, spare;
    for (long lane = 0; lane < job.lanes.count(); ++lane) {
        const T* x = static_cast<const T*>(job.x) + job.lanes.start(lane);
        entries.resize(size);
        long missing = -1, numbers = size;
        for (long i = size - 1; i >= 0; --i) {
            const T value = x[i * job.lanes.inner];
            entries[i] = {Ordered<T>::key(value), static_cast<std::uint32_t>(i)};
            if (value != value) missing = i, --numbers;
        }
        const long k = pick == Pick::nanmedian ? std::max(1L, (numbers + 1) / 2) : job.chosen;
        if (k < size) select_first(entries, k);
        else sort_entries(entries, spare);
        const long place = pick == Pick::median && missing >= 0 ? missing : entries[k - 1].place;
        job.places[lane] = place;
        static_cast<T*>(job.values)[lane] = x[place * job.lanes.inner];
    }
}

// Pick one element of each lane of few elements; k is that of Pick::kth.
PyObject* picked(PyObject* object, Pick pick, long k, PyObject* axis, bool keeps) {
    Ref x;
    Selection job{};
    PyArrayObject* given = as_array(object);
    if (given == nullptr || PyArray_SIZE(given) > kFewElements ||
        !read_selection(object, axis, &x, &job) || k > job.lanes.size) {
        return declined();
    }
    job.chosen = pick == Pick::kth ? k : (job.lanes.size + 1) / 2;
    npy_intp shape[NPY_MAXDIMS];
    int ndim = 0;
    const long along = PyLong_AsLong(axis) + (PyLong_AsLong(axis) < 0 ? PyArray_NDIM(given) : 0);
    for (int d = 0; d < PyArray_NDIM(given); ++d)
        if (d != along || keeps) shape[ndim++] = d == along ? 1 : PyArray_DIM(given, d);
    const int type = PyArray_TYPE(given);
    const Ref values = new_array(ndim, shape, type), places = new_array(ndim, shape, NPY_INT64);
    if (!values || !places) return nullptr;
    job.values = values.data();
    job.places = places.data<long long>();
    void (*run)(const Selection&, Pick) = pick_one<std::int64_t>;
    if (type == NPY_FLOAT) run = pick_one<float>;
    if (type == NPY_DOUBLE) run = pick_one<double>;
    return unlocked([&] { run(job, pick); }) ? PyTuple_Pack(2, values.get(), places.get())
                                             : nullptr;
}

}  // namespace

// kthvalue(x, k, axis, keepdims)
PyObject* kthvalue(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    long k;
    if (count != 4 || !read_integer(arguments[1], &k) || k < 1) return declined();
    return picked(arguments[0], Pick::kth, k, arguments[2], arguments[3] == Py_True);
}

// median(x, axis, keepdims)
PyObject* median(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 3) return declined();
    return picked(arguments[0], Pick::median, 0, arguments[1], arguments[2] == Py_True);
}

// nanmedian(x, axis, keepdims)
PyObject* nanmedian(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 3) return declined();
    return picked(arguments[0], Pick::nanmedian, 0, arguments[1], arguments[2] == Py_True);
}

// sort(x, axis, descending, stable)
PyObject* sort(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Ref x;
    Selection job{};
    if (count < 2 || count > 4 || !read_selection(arguments[0], arguments[1], &x, &job))
        return declined();
    job.chosen = job.lanes.size;
    job.descending = count > 2 && arguments[2] == Py_True;
    job.in_order = true;
    return ordered(x, arguments[1], &job);
}

// argsort(x, axis, descending, stable)
PyObject* argsort(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
    const Ref both(sort(self, arguments, count));
    if (!both || !PyTuple_Check(both.get())) return declined();
    return Py_NewRef(PyTuple_GET_ITEM(both.get(), 1));
}

// topk(x, k, axis, largest, sorted)
PyObject* topk(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Ref x;
    Selection job{};
    if (count != 5 || !read_selection(arguments[0], arguments[2], &x, &job)) return declined();
    if (!read_integer(arguments[1], &job.chosen)) return declined();
    if (job.chosen < 1 || job.chosen > job.lanes.size) return declined();
    job.descending = arguments[3] == Py_True;
    job.in_order = arguments[4] == Py_True;
    return ordered(x, arguments[2], &job);
}

}  // namespace pellucid
