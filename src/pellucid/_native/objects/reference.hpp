// Ref references to Python objects.
//
// Note [The end of the program]
// A daemon thread that asks for the interpreter's lock after the program has ended is unwound, as
// by an exception, or stopped for ever, by Python. While it is unwound it has no lock, so
// destructors leave references as they are, and whatever else they would have put back. `ends` is
// set where Python calls what was registered with `atexit`, just before: until then nothing is
// asked.
//
// Note [Borrowed references]
// What a slot, a list or a dictionary holds may be replaced as soon as other code runs: another
// thread where the interpreter's lock is let go, or Python code that is called. So whatever is used
// after that, or handed to it, is held: `Ref::borrowed(slot(...))`. Who borrows all the same, since
// what holds the object is itself held and cannot be changed, says so on the line: `// held by the
// tuple`. `build_support/borrowed.py`, a part of `make lint`, finds what does neither.
#pragma once

#include "objects/numpy_api.hpp"

#include <utility>

namespace pellucid {

// Whether the program may be about to end.
extern bool ends;

// Whether it has ended: this thread may not have the interpreter's lock any more.
bool has_ended();

// Gives back a reference that may be the last one, which may run Python code.
void give_back_last(PyObject* object);

inline void give_back(PyObject* object) {
    if (object == nullptr) return;
    if (!ends && Py_REFCNT(object) > 1) Py_DECREF(object);
    else give_back_last(object);
}

// Lets `ends` be set when Python is about to end; false with an error.
bool watch_for_the_end();

// Owns one reference to an object, or to none.
class Ref {
  public:
    Ref() = default;
    explicit Ref(PyObject* owned) : object_(owned) {}
    Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Ref& operator=(Ref&& other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    Ref(const Ref&) = delete;
    Ref& operator=(const Ref&) = delete;
    ~Ref() { give_back(object_); }

    static Ref borrowed(PyObject* object) {
        Py_XINCREF(object);
        return Ref(object);
    }
    PyObject* get() const { return object_; }
    PyArrayObject* array() const { return reinterpret_cast<PyArrayObject*>(object_); }
    PyObject* release() { return std::exchange(object_, nullptr); }
    explicit operator bool() const { return object_ != nullptr; }

    // Of an array: its elements, null where there is none; how many there are, and the bytes of
    // one.
    template <class T = void>
    T* data() const {
        return object_ == nullptr ? nullptr : static_cast<T*>(PyArray_DATA(array()));
    }
    long size() const { return PyArray_SIZE(array()); }
    long item_size() const { return PyArray_ITEMSIZE(array()); }

  private:
    PyObject* object_ = nullptr;
};

}  // namespace pellucid
