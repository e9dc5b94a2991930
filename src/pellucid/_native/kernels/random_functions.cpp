// Random numbers: what is computed from the draws of a stream.
#include <algorithm>

#include "kernels/arguments.hpp"

namespace pellucid {

// grouped_normals(uniforms, mean, std), with uniforms [groups, 16] in single precision
PyObject* grouped_normals(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    constexpr long kGroupsAtOnce = 1 << 9;
    if (count != 3) return declined();
    const Ref uniforms = contiguous(arguments[0], NPY_FLOAT);
    NormalsJob job{};
    if (!uniforms || PyArray_NDIM(uniforms.array()) != 2) return declined();
    if (PyArray_DIM(uniforms.array(), 1) != 16) return declined();
    if (!read_number(arguments[1], &job.mean) || !read_number(arguments[2], &job.std))
        return declined();
    Ref normals = new_like(uniforms, NPY_FLOAT);
    if (!normals) return nullptr;
    job.uniforms = uniforms.data<float>();
    job.normals = normals.data<float>();
    job.groups = PyArray_DIM(uniforms.array(), 0);
    job.groups_at_once = kGroupsAtOnce;
    const long parts = (job.groups + kGroupsAtOnce - 1) / kGroupsAtOnce;
    const bool done = unlocked([&] { run_parts(parts, kernels().normal_groups, job); });
    return done ? normals.release() : nullptr;
}

}  // namespace pellucid
