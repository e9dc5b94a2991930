#include "memory.hpp"

#include <algorithm>
#include <cstdlib>

namespace pellucid {

namespace {

// Note [Large results]
// Large results start at a cache line, as PyTorch's do. NumPy's own memory starts within one, and
// where vectors cross from a line to the next, a pass over memory takes about a tenth longer. NumPy
// is told how to allocate for one array at a time, and not at all where somebody else has told it.
constexpr npy_intp kLarge = 1 << 18, kCacheLine = 64;

#if defined(__unix__) || defined(__APPLE__)

void* allocate(void*, std::size_t size) {
    void* memory = nullptr;
    return posix_memalign(&memory, kCacheLine, size) == 0 ? memory : nullptr;
}

void* allocate_zeros(void*, std::size_t count, std::size_t size) { return std::calloc(count, size); }
void* resize(void*, void* memory, std::size_t size) { return std::realloc(memory, size); }
void release(void*, void* memory, std::size_t) { std::free(memory); }

// While this lives, NumPy's usual memory starts at cache lines, if wanted.
class AtCacheLines {
  public:
    explicit AtCacheLines(bool wanted) {
        static PyDataMem_Handler handler = {
            "pellucid_cache_lines", 1, {nullptr, allocate, allocate_zeros, resize, release}};
        static PyObject* const ours = PyCapsule_New(&handler, "mem_handler", nullptr);
        if (!wanted || ours == nullptr) return;
        PyObject* current = PyDataMem_GetHandler();
        if (current == PyDataMem_DefaultHandler) before_ = PyDataMem_SetHandler(ours);
        Py_XDECREF(current);
    }
    ~AtCacheLines() {
        if (before_ != nullptr) Py_XDECREF(PyDataMem_SetHandler(before_));
        Py_XDECREF(before_);
    }
    AtCacheLines(const AtCacheLines&) = delete;
    AtCacheLines& operator=(const AtCacheLines&) = delete;

  private:
    PyObject* before_ = nullptr;
};

#else

struct AtCacheLines {
    explicit AtCacheLines(bool) {}
};

#endif

}  // namespace

PyObject* make_array(PyArray_Descr* dtype, int ndim, const npy_intp* dims) {
    const npy_intp item = std::max<npy_intp>(1, PyDataType_ELSIZE(dtype));
    const AtCacheLines memory(PyArray_MultiplyList(dims, ndim) >= kLarge / item);
    return PyArray_NewFromDescr(&PyArray_Type, dtype, ndim, dims, nullptr, nullptr, 0, nullptr);
}

}  // namespace pellucid
