// What the compiled code takes from Python, each thing in one list.
//
// Of a class whose objects are made here all slots have to be listed; set_up_layout() looks.
//
// An entry of PELLUCID_CLASSES or PELLUCID_OBJECTS is a field of `Layout` and a key of the
// dictionary that `set_up` in `pellucid.core.call.compiled` passes; set_up_layout() raises where
// one has what the other has not. An entry of the other lists is a field of the structure of slots
// and the name of the slot in Python.
#pragma once

#define PELLUCID_CLASSES(X) \
    X(tensor_base)          \
    X(tensor_class)         \
    X(size_class)           \
    X(storage_class)        \
    X(view_class)           \
    X(dtype_class)          \
    X(device_class)         \
    X(format_class)         \
    X(meta_class)           \
    X(node_class)           \
    X(accumulate_class)     \
    X(stand_in_class)       \
    X(run_class)

// constant_storage   the storage of what is never changed
// whole_number, other_number   that of a saved number, an int or not
// slow_path_object   counts what needs the general way
// absent             the default of a parameter that has none
// modes              the modes of each thread
// usual_modes        the values at which modes are usual; `absent` where any value is
// sequence           gives nodes their numbers
// run_numbers        counts backward passes
// files_of_library   whether a file is one of the library's
// as_array           (number, dtype) -> array
// plan               (op, mask) -> plan
// choose_backward    (op, dtype, backward) -> backward
// formulas           backward -> formulas
// write_program      writes programs, see program.hpp
// write_call         writes down the call of an op, see program.hpp
// name_line          adds the line of a node to an error
// careful_step       runs a node that has hooks, or only part of whose gradients is wanted
// note_numbers       names nodes of a derivative that have a number for an operand
// finish_leaf        hands a leaf what has arrived for it
// begin_pass         what a backward pass calls before Python code runs
// end_pass           what it calls at its end
// array_gradients    the arithmetic of gradients
// warnings           the context variable of NumPy's warnings, None if it is not known
// no_warnings        what switches them off
// add_function, maximum_function, multiply_function   NumPy's
// column_blocks      up to how many rows of a width that four divides, or does not, BLAS adds up
#define PELLUCID_OBJECTS(X) \
    X(constant_storage)     \
    X(whole_number)         \
    X(other_number)         \
    X(slow_path_object)     \
    X(absent)               \
    X(modes)                \
    X(usual_modes)          \
    X(sequence)             \
    X(run_numbers)          \
    X(files_of_library)     \
    X(as_array)             \
    X(plan)                 \
    X(choose_backward)      \
    X(formulas)             \
    X(write_program)        \
    X(write_call)           \
    X(name_line)            \
    X(careful_step)         \
    X(note_numbers)         \
    X(finish_leaf)          \
    X(begin_pass)           \
    X(end_pass)             \
    X(array_gradients)      \
    X(warnings)             \
    X(no_warnings)          \
    X(add_function)         \
    X(maximum_function)     \
    X(multiply_function)    \
    X(column_blocks)

// the modes that are looked up by name, here and in module_call.cpp
#define PELLUCID_MODES "grad_enabled", "scope", "module_names"

#define PELLUCID_TENSOR_SLOTS(X) \
    X(array, "_array")           \
    X(edge, "_edge")             \
    X(extra, "_extra")           \
    X(grad, "_grad")             \
    X(storage, "_storage")       \
    X(view, "_view")

#define PELLUCID_NODE_SLOTS(X) \
    X(lasti, "_lasti")         \
    X(backward, "backward")    \
    X(code, "code")            \
    X(dtype, "dtype")          \
    X(edges, "edges")          \
    X(extra, "extra")          \
    X(metas, "metas")          \
    X(params, "params")        \
    X(saved, "saved")          \
    X(scope, "scope")          \
    X(seq, "seq")              \
    X(shape, "shape")

#define PELLUCID_STORAGE_SLOTS(X) \
    X(version, "version")         \
    X(notes, "notes")

#define PELLUCID_VIEW_SLOTS(X) \
    X(base, "base")            \
    X(origin, "origin")        \
    X(recorded, "recorded")    \
    X(version, "version")

#define PELLUCID_SLOW_PATH_SLOTS(X) \
    X(active, "active")             \
    X(general, "general")           \
    X(scopes, "scopes")

#define PELLUCID_META_SLOTS(X) \
    X(shape, "shape")          \
    X(dtype, "dtype")

#define PELLUCID_ACCUMULATE_SLOTS(X) \
    X(leaf, "_leaf")                 \
    X(lock, "lock")

#define PELLUCID_RUN_SLOTS(X) \
    X(call, "call")           \
    X(code, "code")           \
    X(lasti, "lasti")         \
    X(number, "number")       \
    X(roots, "roots")         \
    X(seq, "seq")
