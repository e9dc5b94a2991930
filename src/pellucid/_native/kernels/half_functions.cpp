// Conversions between single and half precision, and from single precision to integers.
#include <cstring>

#include "kernels/arguments.hpp"

namespace pellucid {
namespace {

// Whether this is the dtype bfloat16, which NumPy has from another package.
bool is_brain(const PyArray_Descr* dtype) {
    return dtype->type_num >= NPY_USERDEF &&
           std::strstr(dtype->typeobj->tp_name, "bfloat16") != nullptr;
}

Part<HalfJob> conversion(const PyArray_Descr* from, const PyArray_Descr* to) {
    const int source = from->type_num, wanted = to->type_num;
    if (wanted == NPY_FLOAT && source == NPY_HALF) return kernels().widen_piece;
    if (wanted == NPY_FLOAT && is_brain(from)) return kernels().widen_brain_piece;
    if (source != NPY_FLOAT) return nullptr;
    if (is_brain(to)) return kernels().narrow_brain_piece;
    if (wanted == NPY_HALF) return kernels().narrow_piece;
    return wanted == NPY_INT64 ? kernels().truncate_piece : nullptr;
}

}  // namespace

// cast(x, dtype)
PyObject* cast(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    PyArrayObject* x = count == 2 ? as_array(arguments[0]) : nullptr;
    if (x == nullptr || !PyArray_DescrCheck(arguments[1])) return declined();
    const PyArray_Descr* wanted = reinterpret_cast<PyArray_Descr*>(arguments[1]);
    const Part<HalfJob> part = conversion(PyArray_DESCR(x), wanted);
    if (part == nullptr) return declined();
    // results of other layouts keep them, which NumPy sees to
    const bool plain = PyArray_IS_C_CONTIGUOUS(x) && PyArray_ISALIGNED(x) &&
                       PyArray_ISNOTSWAPPED(x) && wanted->byteorder != NPY_OPPBYTE;
    if (!plain) return declined();
    Ref out = new_array(PyArray_NDIM(x), PyArray_DIMS(x), wanted->type_num);
    if (!out) return nullptr;
    const HalfJob job{PyArray_DATA(x), out.data(), PyArray_SIZE(x)};
    const long parts = (job.count + kConvertedAtOnce - 1) / kConvertedAtOnce;
    return unlocked([&] { run_parts(parts, part, job); }) ? out.release() : nullptr;
}

}  // namespace pellucid
