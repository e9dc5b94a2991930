// The module itself: what Python sees of the compiled code.
#define PELLUCID_IMPORTS_NUMPY
#include "objects/numpy_api.hpp"

#include "call/callable.hpp"
#include "call/changes.hpp"
#include "call/counting.hpp"
#include "call/op.hpp"
#include "call/optimizing.hpp"
#include "engine/engine.hpp"
#include "engine/pass_functions.hpp"
#include "engine/survey.hpp"
#include "kernels/kernels.hpp"
#include "kernels/level.hpp"
#include "objects/blocks.hpp"
#include "objects/numbers.hpp"

namespace {

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "pellucid._native.compiled",
    "The usual case of calls, and array kernels, compiled.",
    -1,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
};

bool fill(PyObject* module) {
    const char* level = pellucid::level_name(pellucid::processor_level());
    return PyModule_AddStringConstant(module, "level", level) == 0 &&
           pellucid::watch_for_the_end() && pellucid::add_callable_type() &&
           pellucid::add_blocks(module) && pellucid::add_checked(module) &&
           pellucid::add_calls(module) && pellucid::add_changes(module) &&
           pellucid::add_counting(module) && pellucid::add_engine(module) &&
           pellucid::add_numbers(module) && pellucid::add_indexing(module) &&
           pellucid::add_creating(module) && pellucid::add_sizes(module) &&
           pellucid::add_module_calls(module) && pellucid::add_optimizing(module) &&
           pellucid::add_recorded_passes(module) && pellucid::add_survey(module) &&
           pellucid::add_kernels(module);
}

}  // namespace

PyMODINIT_FUNC PyInit_compiled() {
    import_array();
    import_umath();
    PyObject* module = PyModule_Create(&definition);
    if (module != nullptr && !fill(module)) Py_CLEAR(module);
#ifdef Py_GIL_DISABLED
    // The layout and what is remembered of ops have no locks of their own.
    if (module != nullptr) PyUnstable_Module_SetGIL(module, Py_MOD_GIL_USED);
#endif
    return module;
}
