#include "kernels/elementwise.hpp"

#include <algorithm>
#include <cfenv>
#include <cstring>
#include <vector>

#include "kernels/arguments.hpp"
#include "kernels/pieces.hpp"
#include "kernels/pointwise_lists.hpp"

namespace pellucid {

namespace {

// NumPy's own loops take less time for an element.
constexpr long kLoopGrain = 4 * kGrain;

}  // namespace

void run_with_numbers(Pointwise name, Precision precision, const void* const* operands, void* y,
                      long count) {
    const PointwiseKernel& kernel = kernels().pointwise[static_cast<int>(name)][precision];
    const long item = item_size(precision);
    in_pieces(count, kGrain, [&](long begin, long end) {
        const void* moved[kMostInputs];
        std::copy_n(operands, kernel.inputs, moved);
        for (int k = 0; k < kernel.inputs - kernel.numbers; ++k)
            moved[k] = static_cast<const char*>(operands[k]) + begin * item;
        kernel.loop_with_numbers(moved, static_cast<char*>(y) + begin * item, end - begin);
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

// Elements of an operand in a buffer, from where they lie with gaps or are all the same.
template <class T>
void collect(const char* from, npy_intp step, long count, T* buffer) {
    if (step == 0) {
        std::fill_n(buffer, count, *reinterpret_cast<const T*>(from));
        return;
    }
    for (long i = 0; i < count; ++i) std::memcpy(buffer + i, from + i * step, sizeof(T));
}

// Whether each result is an operand of the next, as where NumPy reduces or accumulates.
bool depends_on_itself(char* const* arguments, const npy_intp* steps, int inputs) {
    const char *first = arguments[0], *out = arguments[inputs];
    return steps[inputs] == 0 || (steps[0] == steps[inputs] && first + steps[0] == out);
}

bool is_zero(npy_intp step) { return step == 0; }

// Runs a loop over some elements, through buffers where they do not lie next to each other.
template <class T>
void run_some(const PointwiseKernel& kernel, char* const* arguments, const npy_intp* steps,
              long begin, long end) {
    constexpr long kTogether = 1024;
    constexpr npy_intp kItem = sizeof(T);
    T buffers[kMostInputs + 1][kTogether];
    const void* operands[kMostInputs];
    const int inputs = kernel.inputs;
    int arrays = inputs - kernel.numbers;
    const bool with_numbers =
        kernel.numbers > 0 && std::all_of(steps + arrays, steps + inputs, is_zero);
    if (!with_numbers) arrays = inputs;
    const PointwiseLoop loop = with_numbers ? kernel.loop_with_numbers : kernel.loop;
    for (int k = arrays; k < inputs; ++k) operands[k] = arguments[k];
    bool all_next = steps[inputs] == kItem;
    for (int k = 0; k < arrays; ++k) all_next = all_next && steps[k] == kItem;
    const long together = all_next ? end - begin : kTogether;
    for (long at = begin; at < end; at += together) {
        const long count = std::min(together, end - at);
        for (int k = 0; k < arrays; ++k) {
            const char* from = arguments[k] + at * steps[k];
            operands[k] = steps[k] == kItem ? static_cast<const void*>(from) : buffers[k];
            const bool is_kept = steps[k] == 0 && at > begin;
            if (steps[k] != kItem && !is_kept) collect(from, steps[k], count, buffers[k]);
        }
        char* to = arguments[inputs] + at * steps[inputs];
        const bool direct = steps[inputs] == kItem;
        loop(operands, direct ? static_cast<void*>(to) : buffers[inputs], count);
        for (long i = 0; !direct && i < count; ++i)
            std::memcpy(to + i * steps[inputs], buffers[inputs] + i, sizeof(T));
    }
}

template <class T>
constexpr Precision kPrecisionOf = sizeof(T) == sizeof(float) ? kSingle : kDouble;

// Comparisons with NaN and branches not taken raise flags that say nothing of the result; to clear
// them takes longer than to see that those which NumPy looks at are not there.
void clear_flags() {
    constexpr int kWarned = FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID;
    if (std::fetestexcept(kWarned) != 0) std::feclearexcept(FE_ALL_EXCEPT);
}

// The loop of NumPy's that runs a kernel, which is its data.
template <class T>
void run_kernel(char** arguments, const npy_intp* count, const npy_intp* steps, void* data) {
    const PointwiseKernel& kernel = *static_cast<const PointwiseKernel*>(data);
    const auto some = [&](long begin, long end) {
        run_some<T>(kernel, arguments, steps, begin, end);
    };
    if (depends_on_itself(arguments, steps, kernel.inputs)) {
        for (long i = 0; i < *count; ++i) some(i, i + 1);
    } else {
        in_pieces(*count, kGrain, some);
    }
    clear_flags();
}

// What a NumPy function is made from; it lives as long as the process.
struct Parts {
    std::vector<PyUFuncGenericFunction> functions;
    std::vector<void*> data;
    std::vector<char> types;

    // `arguments` dtypes, those of the operands and of the result
    void add(PyUFuncGenericFunction function, void* of_loop, const char* dtypes, int arguments) {
        functions.push_back(function);
        data.push_back(of_loop);
        types.insert(types.end(), dtypes, dtypes + arguments);
    }

    // A loop for operands and a result of one dtype.
    void add(PyUFuncGenericFunction function, void* of_loop, char dtype, int arguments) {
        add(function, of_loop, std::vector<char>(arguments, dtype).data(), arguments);
    }

    // The loop of a kernel; nothing where there is none.
    template <class T>
    void add(PointwiseKernel& kernel, char dtype) {
        if (kernel.loop != nullptr) add(run_kernel<T>, &kernel, dtype, kernel.inputs + 1);
    }
};

// Some elements of a gradient that is the same everywhere, as that of a sum, or has gaps.
template <class T>
void relu_backward_by_buffers(char* const* arguments, const npy_intp* steps, long begin, long end) {
    constexpr long kTogether = 1024;
    T buffers[2][kTogether];
    for (long at = begin; at < end; at += kTogether) {
        const long count = std::min(kTogether, end - at);
        const char* operands[2];
        for (int k = 0; k < 2; ++k) {
            operands[k] = arguments[k] + at * steps[k];
            if (steps[k] == sizeof(T)) continue;
            if (steps[k] != 0 || at == begin) collect(operands[k], steps[k], count, buffers[k]);
            operands[k] = reinterpret_cast<const char*>(buffers[k]);
        }
        kernels().relu_backward[kPrecisionOf<T>](operands[0], operands[1],
                                                 arguments[2] + at * steps[2], count);
    }
}

// relu_backward(g, out): g where relu's result is not 0
template <class T>
void relu_backward_loop(char** arguments, const npy_intp* count, const npy_intp* steps, void*) {
    const char *g = arguments[0], *out = arguments[1];
    char* to = arguments[2];
    constexpr npy_intp kItem = sizeof(T);
    if (steps[0] == kItem && steps[1] == kItem && steps[2] == kItem) {
        run_relu_backward(kPrecisionOf<T>, g, out, to, *count);
    } else if (steps[2] == kItem) {
        in_pieces(*count, kGrain, [&](long begin, long end) {
            relu_backward_by_buffers<T>(arguments, steps, begin, end);
        });
    } else {
        for (npy_intp i = 0; i < *count; ++i, g += steps[0], out += steps[1], to += steps[2])
            *reinterpret_cast<T*>(to) =
                *reinterpret_cast<const T*>(out) != 0 ? *reinterpret_cast<const T*>(g) : T(0);
    }
    clear_flags();
}

bool add_ufunc(PyObject* module, Parts* parts, const char* name, int inputs) {
    PyObject* made = PyUFunc_FromFuncAndData(
        parts->functions.data(), parts->data.data(), parts->types.data(),
        static_cast<int>(parts->functions.size()), inputs, 1, PyUFunc_None, name, nullptr, 0);
    if (made == nullptr) return false;
    const bool added = PyModule_AddObjectRef(module, name, made) == 0;
    Py_DECREF(made);
    return added;
}

// NumPy's function of this name, with our loops for float32 and, if there is one, for float64.
bool add_with_ours(PyObject* module, PyObject* numpy, const char* name, PointwiseKernel (&own)[2]) {
    const Ref found(PyObject_GetAttrString(numpy, name));
    if (!found) return false;
    const PyUFuncObject* ufunc = reinterpret_cast<PyUFuncObject*>(found.get());
    Parts* parts = new Parts;
    for (int i = 0; i < ufunc->ntypes; ++i) {
        const char* types = ufunc->types + i * ufunc->nargs;
        const auto is_for = [&](char dtype) {
            return std::all_of(types, types + ufunc->nargs,
                               [&](char each) { return each == dtype; });
        };
        if (is_for(NPY_FLOAT)) {
            parts->add<float>(own[kSingle], NPY_FLOAT);
        } else if (is_for(NPY_DOUBLE) && own[kDouble].loop != nullptr) {
            parts->add<double>(own[kDouble], NPY_DOUBLE);
        } else {
            parts->add(ufunc->functions[i], ufunc->data == nullptr ? nullptr : ufunc->data[i],
                       types, ufunc->nargs);
        }
    }
    return add_ufunc(module, parts, name, ufunc->nin);
}

bool add_new(PyObject* module, const char* name, PointwiseKernel (&own)[2]) {
    Parts* parts = new Parts;
    parts->add<float>(own[kSingle], NPY_FLOAT);
    parts->add<double>(own[kDouble], NPY_DOUBLE);
    return add_ufunc(module, parts, name, own[kSingle].inputs);
}

bool add_relu_backward(PyObject* module) {
    Parts* parts = new Parts;
    parts->add(relu_backward_loop<float>, nullptr, NPY_FLOAT, 3);
    parts->add(relu_backward_loop<double>, nullptr, NPY_DOUBLE, 3);
    return add_ufunc(module, parts, "relu_backward", 2);
}

}  // namespace

bool add_functions_of_elements(PyObject* module) {
    const Ref numpy(PyImport_ImportModule("numpy"));
    if (!numpy) return false;
    const auto own = [](Pointwise name) -> PointwiseKernel(&)[2] {
        return kernels().pointwise[static_cast<int>(name)];
    };
#define OURS(name) add_with_ours(module, numpy.get(), #name, own(Pointwise::k_##name)) &&
#define NEW(name, ...) add_new(module, #name, own(Pointwise::k_##name)) &&
    return PELLUCID_BOTH_OF_NUMPY(OURS) PELLUCID_SINGLE_OF_NUMPY(OURS)
        PELLUCID_GUARDED_OF_NUMPY(OURS) PELLUCID_BOTH(NEW) PELLUCID_BOTH_WITH_NUMBERS(NEW)
            PELLUCID_SINGLE(NEW) PELLUCID_GUARDED(NEW) add_relu_backward(module);
}

}  // namespace pellucid
