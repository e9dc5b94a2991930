// Note [State of the twister]
// NumPy offers one draw for each call, and its state as a dictionary; that it lies in memory as
// `TwisterState` NumPy does not promise. So `pellucid.kernels.random.twister` shows a twister whose
// numbers it knows: where its object has them in this order, the states of all twisters, which have
// the same function for a draw, are read and written there.
#include "kernels/twister_state.hpp"

#include <cstring>

#include "kernels/arguments.hpp"

namespace pellucid {

namespace {

// the function for a draw of twisters whose state is known
decltype(bitgen_t::next_uint32) known_draw = nullptr;

// Whether a block of memory lies within what an object has for its type.
bool lies_within(PyObject* object, const void* block, std::size_t size) {
    const auto start = reinterpret_cast<std::uintptr_t>(object);
    const auto end = start + Py_TYPE(object)->tp_basicsize;
    const auto at = reinterpret_cast<std::uintptr_t>(block);
    return start <= at && at <= end && size <= end - at;
}

bool are_words(PyObject* object) {
    return PyBytes_CheckExact(object) && PyBytes_GET_SIZE(object) == sizeof(TwisterState);
}

}  // namespace

const bitgen_t* generator_in(PyObject* capsule) {
    const char* name = "BitGenerator";
    if (!PyCapsule_IsValid(capsule, name)) return nullptr;
    return static_cast<const bitgen_t*>(PyCapsule_GetPointer(capsule, name));
}

TwisterState* twister_state(const bitgen_t* generator) {
    const bool known = known_draw != nullptr && generator->next_uint32 == known_draw;
    return known ? static_cast<TwisterState*>(generator->state) : nullptr;
}

// learn_twister(twister, words): whether the state of this twister lies in memory as these 624
// numbers and the place of the next one, given as bytes
PyObject* learn_twister(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 2 || !are_words(arguments[1])) return declined();
    const Ref capsule(PyObject_GetAttrString(arguments[0], "capsule"));
    const bitgen_t* generator = capsule ? generator_in(capsule.get()) : nullptr;
    if (generator == nullptr) return declined();
    const bool known =
        lies_within(arguments[0], generator->state, sizeof(TwisterState)) &&
        std::memcmp(generator->state, PyBytes_AS_STRING(arguments[1]), sizeof(TwisterState)) == 0;
    if (known) known_draw = generator->next_uint32;
    return PyBool_FromLong(known);
}

// twister_words(generator): the numbers of the state and the place of the next one, as bytes
PyObject* twister_words(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    const bitgen_t* generator = count == 1 ? generator_in(arguments[0]) : nullptr;
    const TwisterState* state = generator == nullptr ? nullptr : twister_state(generator);
    if (state == nullptr) return declined();
    return PyBytes_FromStringAndSize(reinterpret_cast<const char*>(state), sizeof *state);
}

// set_twister_words(generator, bytes)
PyObject* set_twister_words(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    const bitgen_t* generator = count == 2 ? generator_in(arguments[0]) : nullptr;
    TwisterState* state = generator == nullptr ? nullptr : twister_state(generator);
    if (state == nullptr || !are_words(arguments[1])) return declined();
    std::memcpy(state, PyBytes_AS_STRING(arguments[1]), sizeof *state);
    Py_RETURN_NONE;
}

}  // namespace pellucid
