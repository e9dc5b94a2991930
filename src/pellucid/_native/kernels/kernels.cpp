#include "kernels/kernels.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/arguments.hpp"
#include "kernels/blas.hpp"
#include "kernels/functions.hpp"
#include "kernels/level.hpp"
#include "kernels/pointwise_lists.hpp"
#include "kernels/threads.hpp"
#include "objects/entry.hpp"

namespace pellucid {

// clang-format off
// The files in families/.
#define PELLUCID_FAMILIES(DO) \
    DO(attention) DO(choosing) DO(convolution) DO(filter_gradient) DO(half) DO(normalization) \
    DO(normals) DO(optimizers) DO(pointwise) DO(pointwise_guarded) DO(pointwise_of_numpy) \
    DO(pointwise_with_numbers) DO(pooling) DO(products) DO(recurrent) DO(row_reductions) DO(small_images) \
    DO(softmax) DO(sums) DO(twister) DO(winograd)
// clang-format on

#define PELLUCID_FAMILY(name) void add_##name(KernelTable& table);
namespace baseline {
PELLUCID_FAMILIES(PELLUCID_FAMILY)
}
namespace avx2 {
PELLUCID_FAMILIES(PELLUCID_FAMILY)
}
namespace avx512 {
PELLUCID_FAMILIES(PELLUCID_FAMILY)
}
#undef PELLUCID_FAMILY

const KernelTable* kernels_in_use = nullptr;

// set_num_threads(count)
PyObject* set_num_threads(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    long threads;
    if (count != 1 || !read_integer(arguments[0], &threads) || threads < 1) return declined();
    set_thread_count(static_cast<int>(threads));
    Py_RETURN_NONE;
}

// get_num_threads()
PyObject* get_num_threads(PyObject*, PyObject* const*, Py_ssize_t) {
    return PyLong_FromLong(thread_count());
}

namespace {

#define PELLUCID_METHOD(name) {#name, fast<name>(), METH_FASTCALL, nullptr},
PyMethodDef methods[] = {PELLUCID_FUNCTIONS(PELLUCID_METHOD){nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "pellucid._native.compiled.kernels",
    "Array kernels.",
    -1,
    methods,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
};

KernelTable filled(Level level) {
    static PointwiseKernel pointwise[static_cast<int>(Pointwise::count)][2];
    KernelTable table{};
    table.pointwise = pointwise;
#define PELLUCID_FAMILY(name) add_##name(table);
    switch (level) {
#if defined(__x86_64__)
        case Level::avx512: {
            using namespace avx512;
            PELLUCID_FAMILIES(PELLUCID_FAMILY)
            break;
        }
        case Level::avx2: {
            using namespace avx2;
            PELLUCID_FAMILIES(PELLUCID_FAMILY)
            break;
        }
#endif
        default: {
            using namespace baseline;
            PELLUCID_FAMILIES(PELLUCID_FAMILY)
        }
    }
#undef PELLUCID_FAMILY
    return table;
}

// Whether each entry, which is as wide as a pointer, has been filled; false with an error.
bool is_complete(const KernelTable& table) {
    constexpr size_t kEntries = sizeof(KernelTable) / sizeof(void*);
    static_assert(kEntries * sizeof(void*) == sizeof(KernelTable));
    std::uintptr_t entries[kEntries];
    std::memcpy(entries, &table, sizeof(KernelTable));
    const auto empty = std::find(entries, entries + kEntries, std::uintptr_t{0});
    if (empty == entries + kEntries) return true;
    PyErr_Format(PyExc_SystemError, "no family of kernels has filled entry %zd of %zd of the table",
                 empty - entries, kEntries);
    return false;
}

bool choose_kernels() {
    static const KernelTable table = filled(processor_level());
    kernels_in_use = &table;
    return is_complete(table);
}

// Finds BLAS by way of NumPy's module, which is linked with it.
bool look_for_blas() {
    const Ref numpy(PyImport_ImportModule("numpy._core._multiarray_umath"));
    const Ref file(numpy ? PyObject_GetAttrString(numpy.get(), "__file__") : nullptr);
    const char* path = file ? PyUnicode_AsUTF8(file.get()) : nullptr;
    if (path != nullptr) find_blas(path);
    return path != nullptr;
}

}  // namespace

bool add_kernels(PyObject* module) {
    PyObject* submodule = PyModule_Create(&definition);
    if (submodule == nullptr) return false;
    const bool added = choose_kernels() && look_for_blas() &&
                       add_functions_of_elements(submodule) &&
                       PyModule_AddObjectRef(module, "kernels", submodule) == 0;
    Py_DECREF(submodule);
    return added;
}

}  // namespace pellucid
