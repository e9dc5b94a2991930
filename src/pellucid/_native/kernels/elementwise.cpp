#include "elementwise.hpp"

#include <algorithm>
#include <cfenv>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "arguments.hpp"
#include "pieces.hpp"

namespace pellucid {

namespace {

// NumPy's own loops take less time for an element.
constexpr long kLoopGrain = 4 * kGrain;

}  // namespace

void run_unary(Unary kernel, Precision precision, const void* x, void* y, long count) {
    const UnaryLoop loop = kernels().unary[static_cast<int>(kernel)][precision];
    const long item = item_size(precision);
    in_pieces(count, kGrain, [&](long begin, long end) {
        loop(static_cast<const char*>(x) + begin * item, static_cast<char*>(y) + begin * item,
             end - begin);
    });
}

void run_relu_backward(Precision precision, const void* g, const void* out, void* to, long count) {
    const long item = item_size(precision);
    in_pieces(count, kLoopGrain, [&](long begin, long end) {
        kernels().relu_backward[precision](static_cast<const char*>(g) + begin * item,
                                           static_cast<const char*>(out) + begin * item,
                                           static_cast<char*>(to) + begin * item, end - begin);
    });
}

void run_in_pieces(PyUFuncGenericFunction function, void* data, char* const* arguments,
                   const npy_intp* steps, int argument_count, npy_intp count) {
    if (count <= kLoopGrain) return function(const_cast<char**>(arguments), &count, steps, data);
    in_pieces(count, kLoopGrain, [&](long begin, long end) {
        char* moved[NPY_MAXARGS];
        for (int k = 0; k < argument_count; ++k) moved[k] = arguments[k] + begin * steps[k];
        const npy_intp size = end - begin;
        function(moved, &size, steps, data);
    });
}

namespace {

// The same through a buffer, for elements with gaps between them.
template <class T>
void run_strided(Unary kernel, Precision precision, char** arguments, npy_intp count,
                 const npy_intp* steps) {
    constexpr npy_intp kTogether = 512;
    T buffer[kTogether];
    for (npy_intp begin = 0; begin < count; begin += kTogether) {
        const npy_intp size = std::min(kTogether, count - begin);
        const char* from = arguments[0] + begin * steps[0];
        char* to = arguments[1] + begin * steps[1];
        for (npy_intp i = 0; i < size; ++i) std::memcpy(buffer + i, from + i * steps[0], sizeof(T));
        run_unary(kernel, precision, buffer, buffer, size);
        for (npy_intp i = 0; i < size; ++i) std::memcpy(to + i * steps[1], buffer + i, sizeof(T));
    }
}

// What a NumPy function is made from; it lives as long as the process.
struct Parts {
    std::vector<PyUFuncGenericFunction> functions;
    std::vector<void*> data;
    std::vector<char> types;

    void add(PyUFuncGenericFunction function, void* of_loop, std::initializer_list<char> of) {
        functions.push_back(function);
        data.push_back(of_loop);
        types.insert(types.end(), of);
    }
};

template <Unary kernel, class T>
void loop_of(char** arguments, const npy_intp* count, const npy_intp* steps, void*) {
    constexpr Precision precision = sizeof(T) == sizeof(float) ? kSingle : kDouble;
    if (steps[0] == sizeof(T) && steps[1] == sizeof(T))
        run_unary(kernel, precision, arguments[0], arguments[1], *count);
    else
        run_strided<T>(kernel, precision, arguments, *count, steps);
    // comparisons with NaN and branches not taken have raised flags that say nothing of the result
    std::feclearexcept(FE_ALL_EXCEPT);
}

// relu_backward(g, out): g where relu's result is not 0
template <class T>
void relu_backward_loop(char** arguments, const npy_intp* count, const npy_intp* steps, void*) {
    const char *g = arguments[0], *out = arguments[1];
    char* to = arguments[2];
    if (steps[0] == sizeof(T) && steps[1] == sizeof(T) && steps[2] == sizeof(T)) {
        run_relu_backward(sizeof(T) == sizeof(float) ? kSingle : kDouble, g, out, to, *count);
    } else {
        for (npy_intp i = 0; i < *count; ++i, g += steps[0], out += steps[1], to += steps[2])
            *reinterpret_cast<T*>(to) =
                *reinterpret_cast<const T*>(out) != 0 ? *reinterpret_cast<const T*>(g) : T(0);
    }
    std::feclearexcept(FE_ALL_EXCEPT);
}

bool add_ufunc(PyObject* module, Parts* parts, const char* name, int inputs = 1) {
    PyObject* made = PyUFunc_FromFuncAndData(
        parts->functions.data(), parts->data.data(), parts->types.data(),
        static_cast<int>(parts->functions.size()), inputs, 1, PyUFunc_None, name, nullptr, 0);
    if (made == nullptr) return false;
    const bool added = PyModule_AddObjectRef(module, name, made) == 0;
    Py_DECREF(made);
    return added;
}

// NumPy's function of this name, with our loops for float32 and, if there is one, for float64.
template <Unary kernel>
bool add_with_ours(PyObject* module, PyObject* numpy, const char* name, bool takes_double) {
    const Owned found(PyObject_GetAttrString(numpy, name));
    if (!found) return false;
    const PyUFuncObject* ufunc = reinterpret_cast<PyUFuncObject*>(found.get());
    Parts* parts = new Parts;
    for (int i = 0; i < ufunc->ntypes; ++i) {
        const char in = ufunc->types[2 * i], out = ufunc->types[2 * i + 1];
        PyUFuncGenericFunction function = ufunc->functions[i];
        if (in == NPY_FLOAT && out == NPY_FLOAT) function = loop_of<kernel, float>;
        const bool wide = in == NPY_DOUBLE && out == NPY_DOUBLE;
        if (wide && takes_double) function = loop_of<kernel, double>;
        parts->add(function, ufunc->data == nullptr ? nullptr : ufunc->data[i], {in, out});
    }
    return add_ufunc(module, parts, name);
}

template <Unary kernel>
bool add_new(PyObject* module, bool takes_double, const char* name) {
    Parts* parts = new Parts;
    parts->add(loop_of<kernel, float>, nullptr, {NPY_FLOAT, NPY_FLOAT});
    if (takes_double) parts->add(loop_of<kernel, double>, nullptr, {NPY_DOUBLE, NPY_DOUBLE});
    return add_ufunc(module, parts, name);
}

bool add_relu_backward(PyObject* module) {
    Parts* parts = new Parts;
    parts->add(relu_backward_loop<float>, nullptr, {NPY_FLOAT, NPY_FLOAT, NPY_FLOAT});
    parts->add(relu_backward_loop<double>, nullptr, {NPY_DOUBLE, NPY_DOUBLE, NPY_DOUBLE});
    return add_ufunc(module, parts, "relu_backward", 2);
}

}  // namespace

bool add_functions_of_elements(PyObject* module) {
    const Owned numpy(PyImport_ImportModule("numpy"));
    if (!numpy) return false;
#define OURS(name) add_with_ours<Unary::k_##name>(module, numpy.get(), #name, true) &&
#define OURS_SINGLE(name) add_with_ours<Unary::k_##name>(module, numpy.get(), #name, false) &&
#define BOTH(name) add_new<Unary::k_##name>(module, true, #name) &&
#define SINGLE(name) add_new<Unary::k_##name>(module, false, #name) &&
    return PELLUCID_UNARY_OF_NUMPY(OURS) PELLUCID_ANGLES_OF_NUMPY(OURS_SINGLE)
        PELLUCID_SINGLE_OF_NUMPY(OURS_SINGLE) PELLUCID_UNARY_OF_BOTH(BOTH)
        PELLUCID_UNARY_OF_SINGLE(SINGLE) add_relu_backward(module);
}

}  // namespace pellucid
