// Conversions between single and half precision.
#include "arguments.hpp"
#include "functions.hpp"

namespace pellucid {

// cast(x, dtype)
PyObject* cast(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    PyArrayObject* x = count == 2 ? as_array(arguments[0]) : nullptr;
    if (x == nullptr || !PyArray_DescrCheck(arguments[1])) return declined();
    const PyArray_Descr* wanted = reinterpret_cast<PyArray_Descr*>(arguments[1]);
    const int from = PyArray_TYPE(x), to = wanted->type_num;
    const bool narrows = from == NPY_FLOAT && to == NPY_HALF;
    if (!narrows && !(from == NPY_HALF && to == NPY_FLOAT)) return declined();
    // results of other layouts keep them, which NumPy sees to
    const bool plain = PyArray_IS_C_CONTIGUOUS(x) && PyArray_ISALIGNED(x) &&
                       PyArray_ISNOTSWAPPED(x) && wanted->byteorder != NPY_OPPBYTE;
    if (!plain) return declined();
    Owned out = new_array(PyArray_NDIM(x), PyArray_DIMS(x), to);
    if (!out) return nullptr;
    const HalfJob job{PyArray_DATA(x), out.data(), PyArray_SIZE(x)};
    const Part<HalfJob> part = narrows ? kernels().narrow_piece : kernels().widen_piece;
    const long parts = (job.count + kConvertedAtOnce - 1) / kConvertedAtOnce;
    return unlocked([&] { run_parts(parts, part, job); }) ? out.release() : nullptr;
}

}  // namespace pellucid
