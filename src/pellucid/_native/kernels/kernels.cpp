#include "kernels/kernels.hpp"

#include "kernels/arguments.hpp"
#include "kernels/blas.hpp"
#include "kernels/functions.hpp"
#include "kernels/level.hpp"
#include "kernels/threads.hpp"
#include "objects/entry.hpp"

namespace pellucid {

const KernelTable& kernels() {
    switch (processor_level()) {
#if defined(__x86_64__)
        case Level::avx512: return avx512_table;
        case Level::avx2: return avx2_table;
#endif
        default: return baseline_table;
    }
}

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
    PyModuleDef_HEAD_INIT, "pellucid._native.compiled.kernels", "Array kernels.", -1, methods,
};

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
    const bool added = look_for_blas() && add_functions_of_elements(submodule) &&
                       PyModule_AddObjectRef(module, "kernels", submodule) == 0;
    Py_DECREF(submodule);
    return added;
}

}  // namespace pellucid
