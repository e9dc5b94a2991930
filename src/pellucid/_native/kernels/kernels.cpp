#include "kernels.hpp"

#include "../level.hpp"

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

namespace {

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "pellucid._native.compiled.kernels", "Array kernels.", -1, nullptr,
};

}  // namespace

bool add_kernels(PyObject* module) {
    PyObject* submodule = PyModule_Create(&definition);
    if (submodule == nullptr) return false;
    const bool added = PyModule_AddObjectRef(module, "kernels", submodule) == 0;
    Py_DECREF(submodule);
    return added;
}

}  // namespace pellucid
