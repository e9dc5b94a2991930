// New tensors of plain sizes and numbers: ranges, identity matrices, random numbers of the shared
// stream. The Python functions define the same, and take whatever is given by name, other dtypes,
// devices and modes, and many elements. Where calls are listed, those of all that make tensors are.
#include "call/alike.hpp"
#include "call/callable.hpp"
#include "call/routes.hpp"
#include "kernels/functions.hpp"
#include "objects/layout.hpp"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <vector>

namespace pellucid {

namespace {

constexpr npy_intp kFewElements = 1 << 14;

struct Surroundings {
    // the thread's default device and the one of tensors without values; the function that gives
    // the default dtype; the shared generator
    Ref placing, meta_device, default_dtype, generator;
};

// Makes the array that a function returns for these arguments; null without an error for others.
using Make = PyObject* (*)(const Surroundings& around, PyObject* const* args, Py_ssize_t count);

struct Making : Description {
    Make make;  // null where Python makes all
    Surroundings around;
    Ref partial;   // `functools.partial`
    bool is_like;  // the first argument is a tensor of which the sizes, strides and dtype count
};

// Reads an int that is not negative, and not large.
bool read_few(PyObject* number, npy_intp* value) {
    if (!PyLong_CheckExact(number)) return false;
    int overflow = 0;
    *value = PyLong_AsLongLongAndOverflow(number, &overflow);
    return overflow == 0 && *value >= 0 && *value <= kFewElements;
}

struct Sizes {
    npy_intp dims[NPY_MAXDIMS], total = 1;
    int ndim = 0;
};

// Reads sizes that are given one by one, or as a tuple; none of them 0.
bool read_sizes(PyObject* const* args, Py_ssize_t count, Sizes* sizes) {
    if (count == 1 && PyTuple_Check(args[0])) {
        count = PyTuple_GET_SIZE(args[0]);
        args = PySequence_Fast_ITEMS(args[0]);
    } else if (count == 0) {
        return false;
    }
    if (count > NPY_MAXDIMS) return false;
    for (; sizes->ndim < count; ++sizes->ndim) {
        if (!read_few(args[sizes->ndim], &sizes->dims[sizes->ndim])) return false;
        if ((sizes->total *= sizes->dims[sizes->ndim]) > kFewElements) return false;
    }
    return sizes->total > 0;
}

bool single_by_default(const Surroundings& around) {
    return Ref(PyObject_CallNoArgs(around.default_dtype.get())).get() ==
           reinterpret_cast<PyObject*>(layout.single);
}

PyObject* arange(const Surroundings&, PyObject* const* args, Py_ssize_t count) {
    npy_intp start = 0, end;
    if (count < 1 || count > 2 || !read_few(args[count - 1], &end)) return nullptr;
    if (count == 2 && (!read_few(args[0], &start) || start > end)) return nullptr;
    npy_intp size = end - start;
    Ref out(PyArray_SimpleNew(1, &size, NPY_INT64));
    if (!out) return nullptr;
    npy_int64* to = static_cast<npy_int64*>(PyArray_DATA(out.array()));
    for (npy_intp i = 0; i < size; ++i) to[i] = start + i;
    return out.release();
}

PyObject* eye(const Surroundings& around, PyObject* const* args, Py_ssize_t count) {
    npy_intp shape[2];
    if (count != 1 || !read_few(args[0], shape) || shape[0] * shape[0] > kFewElements ||
        !single_by_default(around)) {
        return nullptr;
    }
    shape[1] = shape[0];
    Ref out(PyArray_ZEROS(2, shape, NPY_FLOAT, 0));
    if (!out) return nullptr;
    float* to = static_cast<float*>(PyArray_DATA(out.array()));
    for (npy_intp i = 0; i < shape[0]; ++i) to[i * (shape[0] + 1)] = 1;
    return out.release();
}

// The same number everywhere.
template <int number>
PyObject* filled(const Surroundings& around, PyObject* const* args, Py_ssize_t count) {
    Sizes sizes;
    if (!read_sizes(args, count, &sizes) || !single_by_default(around)) return nullptr;
    Ref out(PyArray_SimpleNew(sizes.ndim, sizes.dims, NPY_FLOAT));
    if (!out) return nullptr;
    std::fill_n(static_cast<float*>(PyArray_DATA(out.array())), sizes.total, float(number));
    return out.release();
}

// ---- random numbers -----------------------------------------------------------------------------

using Kernel = PyObject* (*)(PyObject* self, PyObject* const* arguments, Py_ssize_t count);

// What a kernel draws from the shared stream, given numbers; see `Twister.drawn`.
Ref drawn(const Surroundings& around, Kernel draw, std::initializer_list<npy_intp> numbers) {
    static PyObject* const names[] = {
        PyUnicode_InternFromString("stream"), PyUnicode_InternFromString("lock"),
        PyUnicode_InternFromString("_capsule"), PyUnicode_InternFromString("_untouched")};
    if (!is_plain_thread()) return Ref();
    Ref stream(PyObject_GetAttr(around.generator.get(), names[0]));
    Ref lock(stream ? PyObject_GetAttr(stream.get(), names[1]) : nullptr);
    Ref capsule(lock ? PyObject_GetAttr(stream.get(), names[2]) : nullptr);
    Ref held[3];
    PyObject* given[4] = {capsule.get()};
    size_t count = 0;
    for (npy_intp number : numbers) {
        held[count] = Ref(PyLong_FromSsize_t(number));
        given[1 + count] = held[count].get();
        ++count;
    }
    if (!capsule || !Ref(PyObject_CallMethodNoArgs(lock.get(), layout.name_acquire))) return Ref();
    Ref found(guarded([&] { return draw(nullptr, given, count + 1); }));
    if (!release_lock(lock.get()) || !found || !PyTuple_Check(found.get())) return Ref();
    const bool used = PyObject_IsTrue(PyTuple_GET_ITEM(found.get(), 1)) == 1;
    if (used && PyObject_SetAttr(stream.get(), names[3], Py_False) < 0) return Ref();
    return Ref::borrowed(PyTuple_GET_ITEM(found.get(), 0));
}

// A copy of a vector of numbers in these sizes.
PyObject* shaped(const Ref& vector, const Sizes& sizes) {
    if (!vector) return nullptr;
    Ref out(PyArray_SimpleNew(sizes.ndim, sizes.dims, PyArray_TYPE(vector.array())));
    if (!out) return nullptr;
    std::memcpy(PyArray_DATA(out.array()), PyArray_DATA(vector.array()),
                PyArray_NBYTES(vector.array()));
    return out.release();
}

PyObject* rand(const Surroundings& around, PyObject* const* args, Py_ssize_t count) {
    Sizes sizes;
    if (!read_sizes(args, count, &sizes) || !single_by_default(around)) return nullptr;
    return shaped(drawn(around, draw_floats, {sizes.total}), sizes);
}

// In groups of sixteen, of which the last one ends at the end.
PyObject* randn(const Surroundings& around, PyObject* const* args, Py_ssize_t count) {
    constexpr npy_intp kGroup = 16;
    static PyObject* const moments[] = {PyFloat_FromDouble(0), PyFloat_FromDouble(1)};
    Sizes sizes;
    if (!read_sizes(args, count, &sizes) || sizes.total < kGroup || !single_by_default(around)) {
        return nullptr;
    }
    const npy_intp rest = sizes.total % kGroup, whole = sizes.total - rest;
    Ref uniforms = drawn(around, draw_floats, {rest == 0 ? whole : sizes.total + kGroup});
    npy_intp shape[] = {whole / kGroup + (rest != 0), kGroup};
    if (!uniforms) return nullptr;
    float* data = static_cast<float*>(PyArray_DATA(uniforms.array()));
    if (rest != 0) std::copy_n(data + sizes.total, kGroup, data + whole);
    Ref groups(PyArray_SimpleNewFromData(2, shape, NPY_FLOAT, data));
    PyObject* const given[] = {groups.get(), moments[0], moments[1]};
    Ref normals(groups ? grouped_normals(nullptr, given, 3) : nullptr);
    Ref out(normals ? PyArray_SimpleNew(sizes.ndim, sizes.dims, NPY_FLOAT) : nullptr);
    if (!out || !PyArray_CheckExact(normals.get())) return nullptr;
    const float* from = static_cast<const float*>(PyArray_DATA(normals.array()));
    float* to = static_cast<float*>(PyArray_DATA(out.array()));
    std::copy_n(from, whole, to);
    if (rest != 0) std::copy_n(from + whole, kGroup, to + sizes.total - kGroup);
    return out.release();
}

PyObject* randint(const Surroundings& around, PyObject* const* args, Py_ssize_t count) {
    Sizes sizes;
    npy_intp low = 0, high;
    if (count < 2 || count > 3 || !PyTuple_Check(args[count - 1]) ||
        !read_sizes(args + count - 1, 1, &sizes) || !read_few(args[count - 2], &high) ||
        (count == 3 && !read_few(args[0], &low)) || low >= high) {
        return nullptr;
    }
    return shaped(drawn(around, draw_remainders, {sizes.total, high - low, low}), sizes);
}

PyObject* randperm(const Surroundings& around, PyObject* const* args, Py_ssize_t count) {
    npy_intp size;
    if (count != 1 || !read_few(args[0], &size)) return nullptr;
    return drawn(around, draw_permutation, {size}).release();
}

// ---- the callables ------------------------------------------------------------------------------

bool is_usual(const Surroundings& around) {
    static PyObject* const name = PyUnicode_InternFromString("device");
    if (takes_slow_path() || is_general()) return false;
    Ref device(PyObject_GetAttr(around.placing.get(), name));
    return device && device.get() != around.meta_device.get();
}

// A tensor of the same sizes, strides and dtype, whose values nobody reads; null, with or without
// an error, where it runs backwards through memory.
PyObject* standing_for(PyObject* tensor) {
    if (array_of(tensor) == nullptr) return nullptr;
    PyArrayObject* array = reinterpret_cast<PyArrayObject*>(array_of(tensor));
    npy_intp bytes = PyArray_ITEMSIZE(array);
    for (int d = 0; d < PyArray_NDIM(array); ++d) {
        if (PyArray_STRIDE(array, d) < 0) return nullptr;
        bytes += std::max<npy_intp>(PyArray_DIM(array, d) - 1, 0) * PyArray_STRIDE(array, d);
    }
    Ref memory(PyArray_SimpleNew(1, &bytes, NPY_UINT8));
    if (!memory) return nullptr;
    PyArray_Descr* dtype = PyArray_DESCR(array);
    Py_INCREF(dtype);
    Ref out(PyArray_NewFromDescr(&PyArray_Type, dtype, PyArray_NDIM(array), PyArray_DIMS(array),
                                 PyArray_STRIDES(array), PyArray_DATA(memory.array()),
                                 NPY_ARRAY_WRITEABLE, nullptr));
    if (!out || PyArray_SetBaseObject(out.array(), memory.release()) < 0) return nullptr;
    return wrap(out.release());
}

// Lists how a tensor was made, if that follows from constants and from what a tensor looks like.
bool list_call(const Making& making, PyObject* function, PyObject* const* args, Py_ssize_t count,
               PyObject* names, PyObject* made) {
    if (!is_tensor(made) || array_of(made) == nullptr || !is_settled(made) ||
        slot(made, layout.tensor.edge) != Py_None) {
        return false;
    }
    const bool is_like = making.is_like && count > 0 && is_tensor(args[0]);
    const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
    if (!std::all_of(args + is_like, args + count + named, is_constant)) return false;
    std::vector<PyObject*> given(args, args + count);
    Ref stand_in(is_like ? standing_for(args[0]) : nullptr);
    if (is_like && !stand_in) return false;
    if (is_like) given[0] = stand_in.get();
    Ref called = Ref::borrowed(function);
    if (named != 0) {
        Ref by_name(PyDict_New());
        if (!by_name) return false;
        for (Py_ssize_t i = 0; i < named; ++i) {
            PyObject* name = PyTuple_GET_ITEM(names, i);
            if (PyDict_SetItem(by_name.get(), name, args[count + i]) < 0) return false;
        }
        Ref first(PyTuple_Pack(1, function));
        if (!first) return false;
        called = Ref(PyObject_Call(making.partial.get(), first.get(), by_name.get()));
        if (!called) return false;
    }
    list_made(made, called.get(), given.data(), count);
    return true;
}

PyObject* call_making(PyObject* object, PyObject* const* args, size_t flags, PyObject* names) {
    Callable* self = reinterpret_cast<Callable*>(object);
    const Making& making = *static_cast<Making*>(self->description);
    const Py_ssize_t count = PyVectorcall_NARGS(flags);
    Ref made;
    if (making.make != nullptr && layout.ready && names == nullptr && is_usual(making.around)) {
        PyObject* array = making.make(making.around, args, count);
        if (array != nullptr) made = Ref(wrap(array));
        if (PyErr_Occurred()) return nullptr;
    }
    if (!made) {
        const ListingPaused paused;
        made = Ref(PyObject_Vectorcall(self->python, args, flags, names));
        if (!made) return nullptr;
    }
    if (are_calls_listed() && !list_call(making, object, args, count, names, made.get())) {
        PyErr_Clear();
        list_nothing();
    }
    return made.release();
}

PyObject* make_making(PyObject*, PyObject* args) {
    PyObject *python, *placing, *meta_device, *default_dtype, *generator, *partial;
    int is_like;
    if (!PyArg_ParseTuple(args, "OOOOOOp", &python, &placing, &meta_device, &default_dtype,
                          &generator, &partial, &is_like)) {
        return nullptr;
    }
    Ref name(PyObject_GetAttrString(python, "__name__"));
    if (!name) return nullptr;
    const std::pair<const char*, Make> known[] = {
        {"arange", arange}, {"eye", eye},     {"zeros", filled<0>}, {"ones", filled<1>},
        {"rand", rand},     {"randn", randn}, {"randint", randint}, {"randperm", randperm}};
    const auto* found = std::find_if(std::begin(known), std::end(known), [&name](const auto& each) {
        return PyUnicode_CompareWithASCIIString(name.get(), each.first) == 0;
    });
    PyObject* made = make_callable(entry<call_making>, python, Py_None);
    if (made == nullptr) return nullptr;
    Making* making = new Making;
    making->make = found == std::end(known) ? nullptr : found->second;
    making->partial = Ref::borrowed(partial);
    making->is_like = is_like != 0;
    making->around = {Ref::borrowed(placing), Ref::borrowed(meta_device),
                      Ref::borrowed(default_dtype), Ref::borrowed(generator)};
    reinterpret_cast<Callable*>(made)->description = making;
    return made;
}

PyMethodDef functions[] = {
    {"making", entry<make_making>, METH_VARARGS,
     "Return a callable that makes tensors: making(python_function, *surroundings)."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool add_creating(PyObject* module) { return PyModule_AddFunctions(module, functions) == 0; }

}  // namespace pellucid
