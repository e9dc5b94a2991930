#include "elementwise.hpp"

#include <algorithm>

#include "arguments.hpp"
#include "functions.hpp"

namespace pellucid {

namespace {

// Elements that take about as long as waking another thread.
constexpr long kGrainUnary = 1 << 14, kGrainBinary = 1 << 16;

template <class Body>
void in_pieces(long count, long grain, const Body& body) {
    const auto piece = [&](long i) { body(i * grain, std::min(count, (i + 1) * grain)); };
    run_tasks(
        (count + grain - 1) / grain,
        [](void* context, long i) { (*static_cast<const decltype(piece)*>(context))(i); },
        const_cast<void*>(static_cast<const void*>(&piece)));
}

}  // namespace

void run_unary(Unary kernel, Precision precision, const void* x, void* y, long count) {
    const UnaryLoop loop = kernels().unary[static_cast<int>(kernel)][precision];
    const long item = item_size(precision);
    in_pieces(count, kGrainUnary, [&](long begin, long end) {
        loop(static_cast<const char*>(x) + begin * item, static_cast<char*>(y) + begin * item,
             end - begin);
    });
}

void run_binary(Binary kernel, Precision precision, const void* a, const void* b, void* y,
                const Rows2& rows) {
    const BinaryLoop loop = kernels().binary[static_cast<int>(kernel)][precision];
    const long item = item_size(precision);
    const auto at = [&](const void* start, long elements) {
        return static_cast<const char*>(start) + elements * item;
    };
    const auto compute = [&](long row, long begin, long end) {
        loop(at(a, row * rows.a_row + begin * rows.a_column),
             at(b, row * rows.b_row + begin * rows.b_column),
             static_cast<char*>(y) + (row * rows.columns + begin) * item, end - begin,
             rows.a_column, rows.b_column);
    };
    if (rows.rows == 1) {
        in_pieces(rows.columns, kGrainBinary,
                  [&](long begin, long end) { compute(0, begin, end); });
        return;
    }
    in_pieces(rows.rows, std::max(1L, kGrainBinary / std::max(1L, rows.columns)),
              [&](long begin, long end) {
                  for (long row = begin; row < end; ++row) compute(row, 0, rows.columns);
              });
}

namespace {

template <Unary kernel>
PyObject* unary(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    if (count != 1 || !read_precision(arguments[0], &precision)) return declined();
    if (kernels().unary[static_cast<int>(kernel)][precision] == nullptr) return declined();
    const Owned x = contiguous(arguments[0], type_of(precision));
    if (!x) return declined();
    Owned y = new_like(x, type_of(precision));
    if (!y) return nullptr;
    const bool done =
        unlocked([&] { run_unary(kernel, precision, x.data(), y.data(), x.size()); });
    return done ? y.release() : nullptr;
}

// Both operands must have one shape.
template <Binary kernel>
PyObject* binary(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    Precision precision;
    if (count != 2 || !read_precision(arguments[0], &precision)) return declined();
    const Owned a = contiguous(arguments[0], type_of(precision));
    const Owned b = contiguous(arguments[1], type_of(precision));
    if (!a || !b || !PyArray_SAMESHAPE(a.array(), b.array())) return declined();
    Owned y = new_like(a, type_of(precision));
    if (!y) return nullptr;
    const Rows2 rows{1, y.size(), 0, 1, 0, 1};
    const bool done = unlocked(
        [&] { run_binary(kernel, precision, a.data(), b.data(), y.data(), rows); });
    return done ? y.release() : nullptr;
}

}  // namespace

#define PELLUCID_DEFINE_UNARY(name) \
    PyObject* name(PyObject* self, PyObject* const* arguments, Py_ssize_t count) { \
        return unary<Unary::k_##name>(self, arguments, count); \
    }
PELLUCID_UNARY(PELLUCID_DEFINE_UNARY)
PELLUCID_UNARY_SINGLE(PELLUCID_DEFINE_UNARY)

#define PELLUCID_DEFINE_BINARY(name) \
    PyObject* name(PyObject* self, PyObject* const* arguments, Py_ssize_t count) { \
        return binary<Binary::k_##name>(self, arguments, count); \
    }
PELLUCID_BINARY(PELLUCID_DEFINE_BINARY)

}  // namespace pellucid
