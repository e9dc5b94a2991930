#include "engine/leaves.hpp"

#include "engine/formulas.hpp"
#include "kernels/reductions.hpp"

#include <algorithm>
#include <vector>

namespace pellucid {

bool can_add(PyObject* first, PyObject* second) {
    if (!PyArray_CheckExact(first) || !PyArray_CheckExact(second)) return false;
    PyArrayObject* a = reinterpret_cast<PyArrayObject*>(first);
    PyArrayObject* b = reinterpret_cast<PyArrayObject*>(second);
    return PyArray_DESCR(a) == PyArray_DESCR(b) && PyArray_SAMESHAPE(a, b) && is_plain(a) &&
           is_plain(b) && (PyArray_DESCR(a) == layout.single || PyArray_DESCR(a) == layout.double_);
}

bool add_into(PyObject* held, PyObject* g) {
    PyArrayObject* sum = reinterpret_cast<PyArrayObject*>(held);
    PyArrayObject* const terms[] = {sum, reinterpret_cast<PyArrayObject*>(g)};
    return run_loop_into(layout.add[PyArray_DESCR(sum) == layout.double_], terms, sum);
}

Ref sum_of(PyObject* held, PyObject* g) {
    if (!can_add(held, g)) {
        Ref sum(PyNumber_Add(held, g));
        return sum ? array_again(std::move(sum)) : Ref();
    }
    PyArrayObject* const terms[] = {reinterpret_cast<PyArrayObject*>(held),
                                    reinterpret_cast<PyArrayObject*>(g)};
    return Ref(run_loop(layout.add[PyArray_DESCR(terms[0]) == layout.double_], terms));
}

bool is_one_piece(PyObject* array) {
    return !PyArray_Check(array) || (PyArray_FLAGS(reinterpret_cast<PyArrayObject*>(array)) &
                                     (NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS)) != 0;
}

namespace {

const PyObject* base_of(PyObject* array) {
    if (array == nullptr || !PyArray_Check(array)) return nullptr;
    return PyArray_BASE(reinterpret_cast<PyArrayObject*>(array));
}

}  // namespace

Given given(PyObject* gradient) { return {gradient, base_of(gradient)}; }

bool is_handed_on(PyObject* grad, const Given& given) {
    if (grad == given.gradient) return true;
    const PyObject* base = base_of(grad);
    return base != nullptr && (base == given.gradient || base == given.base);
}

bool is_cut_down(PyObject* grad, PyObject* target) {
    PyObject* values = PyArray_Check(grad) ? grad : array_of(grad);
    PyObject* shape = slot(target, layout.node.shape);
    if (values == nullptr || !PyArray_Check(values) || !PyTuple_Check(shape)) return false;
    const Py_ssize_t ndim = PyTuple_GET_SIZE(shape);
    return ndim > 0 && PyArray_NDIM(reinterpret_cast<PyArrayObject*>(values)) > ndim;
}

namespace {

// A row of ones, remembered; empty with an error if there is no memory.
Ref ones(npy_intp count, PyArray_Descr* dtype) {
    static std::vector<Ref>* const known = new std::vector<Ref>[2];  // never freed, as at exit
    std::vector<Ref>& rows = known[dtype == layout.double_];
    if (rows.size() <= static_cast<size_t>(count)) rows.resize(count + 1);
    Ref& row = rows[count];
    if (!row) {
        Py_INCREF(dtype);
        row = Ref(
            PyArray_NewFromDescr(&PyArray_Type, dtype, 1, &count, nullptr, nullptr, 0, nullptr));
        if (!row) return Ref();
        for (npy_intp i = 0; i < count; ++i) {
            if (dtype == layout.single) {
                static_cast<float*>(PyArray_DATA(row.array()))[i] = 1;
            } else {
                static_cast<double*>(PyArray_DATA(row.array()))[i] = 1;
            }
        }
    }
    return Ref::borrowed(row.get());
}

// The sums of the columns of some of the rows of a plain matrix.
Ref sums_of_rows(PyArrayObject* matrix, npy_intp first, npy_intp count) {
    npy_intp dims[] = {count, PyArray_DIM(matrix, 1)};
    PyArray_Descr* dtype = PyArray_DESCR(matrix);
    Ref row = ones(count, dtype);
    if (!row) return Ref();
    if (count == PyArray_DIM(matrix, 0)) {
        return Ref(PyArray_MatrixProduct2(row.get(), reinterpret_cast<PyObject*>(matrix), nullptr));
    }
    Py_INCREF(dtype);
    char* from = PyArray_BYTES(matrix) + first * PyArray_STRIDE(matrix, 0);
    Ref part(PyArray_NewFromDescr(&PyArray_Type, dtype, 2, dims, nullptr, from, NPY_ARRAY_CARRAY_RO,
                                  nullptr));
    return part ? Ref(PyArray_MatrixProduct2(row.get(), part.get(), nullptr)) : Ref();
}

}  // namespace

Ref column_sums(PyObject* grad, PyObject* target) {
    if (!PyArray_CheckExact(grad)) return Ref();
    PyArrayObject* g = reinterpret_cast<PyArrayObject*>(grad);
    PyArray_Descr* dtype = PyArray_DESCR(g);
    PyObject* shape = slot(target, layout.node.shape);
    const int ndim = PyArray_NDIM(g);
    if (ndim < 2 || !is_plain(g) || PyArray_SIZE(g) == 0 ||
        (dtype != layout.single && dtype != layout.double_) ||
        slot(target, layout.node.dtype) != reinterpret_cast<PyObject*>(dtype) ||
        !PyTuple_Check(shape) || PyTuple_GET_SIZE(shape) != 1 ||
        PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, 0)) != PyArray_DIM(g, ndim - 1)) {
        return Ref();
    }
    if (ndim > 2) return Ref(column_sums_of(g));
    const npy_intp count = PyArray_DIM(g, 0);
    const bool uneven = PyArray_DIM(g, 1) % 4 != 0;
    const npy_intp most = uneven ? layout.uneven_column_block : layout.column_block;
    if (count >= 2 * most) return Ref(column_sums_of(g));
    Ref sums = sums_of_rows(g, 0, std::min(count, most));
    if (!sums || count <= most) return sums;
    Ref rest = sums_of_rows(g, most, count - most);
    if (rest) add_into(sums.get(), rest.get());
    return rest ? std::move(sums) : Ref();
}

namespace {

// A class whose nodes change no gradients, as it was when it had this version.
struct Unchanging {
    PyTypeObject* type;
    unsigned int version;
};

constexpr size_t kUnchanging = 256;

}  // namespace

long changes_by(PyObject* node) {
    static PyObject* const name = PyUnicode_InternFromString("gradient_changes");
    static Unchanging known[kUnchanging];
    PyTypeObject* type = Py_TYPE(node);
    Unchanging& entry = known[(reinterpret_cast<size_t>(type) >> 4) % kUnchanging];
    const unsigned int version = type->tp_version_tag;
    if (entry.type == type && entry.version == version && version != 0) return 0;
    // looked up in the node's class alone, and asked of the node where it depends on it
    PyObject* value = PyDict_GetItemWithError(type->tp_dict, name);
    if (value == nullptr) return 0;
    if (PyLong_CheckExact(value)) {
        const long changes = PyLong_AsLong(value);
        if (changes == 0) entry = {type, version};
        return changes;
    }
    const Ref found(PyObject_GetAttr(node, name));
    return found ? PyLong_AsLong(found.get()) : (PyErr_Clear(), 0);
}

bool is_unfreed(PyObject* node) {
    PyObject* saved = slot(node, layout.node.saved);
    if (!PyTuple_CheckExact(saved) || PyTuple_GET_SIZE(saved) != 1) return false;
    PyObject* entry = PyTuple_GET_ITEM(saved, 0);
    if (!PyTuple_CheckExact(entry) || PyTuple_GET_SIZE(entry) != 3) return false;
    PyObject* storage = PyTuple_GET_ITEM(entry, 1);
    if (storage != layout.whole_number && storage != layout.other_number) return false;
    static PyObject* const name = PyUnicode_InternFromString("is_unfreed");
    const Ref found(PyObject_GetAttr(node, name));
    if (!found) PyErr_Clear();
    return found.get() == Py_True;
}

namespace {

// Whether nobody else holds an array's memory: it is its own, or that of one of another shape
// which it alone holds.
bool is_sole(PyArrayObject* array) {
    PyObject* base = PyArray_BASE(array);
    if (Py_REFCNT(array) != 1) return false;
    if (base == nullptr) return true;
    PyArrayObject* whole = reinterpret_cast<PyArrayObject*>(base);
    return PyArray_CheckExact(base) && Py_REFCNT(base) == 1 &&
           PyArray_CHKFLAGS(whole, NPY_ARRAY_OWNDATA) && PyArray_ISWRITEABLE(array) &&
           PyArray_DESCR(whole) == PyArray_DESCR(array) &&
           PyArray_SIZE(whole) == PyArray_SIZE(array);
}

// Whether the elements of an array that nobody else has lie one after the other.
bool is_handed_over(PyArrayObject* array) {
    if (PyArray_SIZE(array) == 0) return Py_REFCNT(array) == 1;
    npy_intp step = PyArray_ITEMSIZE(array);
    for (int d = PyArray_NDIM(array); d-- > 0; step *= PyArray_DIM(array, d)) {
        if (PyArray_DIM(array, d) > 1 && PyArray_STRIDE(array, d) != step) return false;
    }
    return Py_REFCNT(array) == 1;
}

bool set_version(PyObject* gradient, long changes) {
    if (changes == 0) return true;
    PyObject* storage = storage_of(gradient);
    Ref version(PyLong_FromLong(changes));
    if (storage == nullptr || !version) return false;
    replace(storage, layout.storage.version, version.get());
    return true;
}

bool add_to_gradient(PyObject* held, PyObject* g, PyObject* run) {
    Ref array = Ref::borrowed(array_of(held));
    if (!array || slot(held, layout.tensor.edge) != Py_None || !can_add(array.get(), g) ||
        !PyArray_ISWRITEABLE(array.array())) {
        return false;
    }
    Ref storage = Ref::borrowed(storage_of(held));
    return storage && Py_IS_TYPE(storage.get(), layout.storage_class) && add_into(array.get(), g) &&
           add_change(storage.get(), layout.name_accumulate, slot(run, layout.run.code),
                      slot(run, layout.run.lasti), Py_None);
}

bool accumulate_locked(PyObject* leaf, Ref* g, long changes, PyObject* run) {
    Ref tensor = referent(slot(leaf, layout.accumulate.leaf));
    if (!tensor) return false;
    PyObject* edge = slot(tensor.get(), layout.tensor.edge);
    PyObject* param = array_of(tensor.get());
    if (param == nullptr || edge == Py_None || PyTuple_GET_ITEM(edge, 0) != leaf ||
        !is_plain(reinterpret_cast<PyArrayObject*>(param)) ||
        !PyArray_SAMESHAPE(reinterpret_cast<PyArrayObject*>(param), g->array())) {
        return false;
    }
    Ref held = Ref::borrowed(slot(tensor.get(), layout.tensor.grad));
    if (held.get() != Py_None) return add_to_gradient(held.get(), g->get(), run);
    if (!take_over(g, &changes)) return false;
    const Ref gradient(wrap(g->release()));
    if (!gradient || !set_version(gradient.get(), changes)) return false;
    replace(tensor.get(), layout.tensor.grad, gradient.get());
    return true;
}

}  // namespace

bool take_over(Ref* g, long* changes) {
    if (!is_handed_over(g->array())) *changes = 1;
    if (is_sole(g->array()) && is_plain(g->array())) return true;
    *g = Ref(PyArray_NewCopy(g->array(), NPY_CORDER));
    return static_cast<bool>(*g);
}

bool accumulate_usual(PyObject* leaf, Ref* g, long changes, PyObject* run) {
    if (!Py_IS_TYPE(leaf, layout.accumulate_class) || !PyArray_CheckExact(g->get())) {
        return false;
    }
    Ref lock = Ref::borrowed(slot(leaf, layout.accumulate.lock));
    Ref acquired(PyObject_CallMethodOneArg(lock.get(), layout.name_acquire, Py_False));
    if (acquired.get() != Py_True) return false;
    const bool done = accumulate_locked(leaf, g, changes, run);
    return release_lock(lock.get()) && done;
}

}  // namespace pellucid
