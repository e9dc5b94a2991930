#include "objects/memory.hpp"

#include "objects/reference.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>

namespace pellucid {

namespace {

// Note [Large results]
// Large results start at a cache line, as PyTorch's do. NumPy's own memory starts within one, and
// where vectors cross from a line to the next, a pass over memory takes about a tenth longer. NumPy
// is told how to allocate for one array at a time, and not at all where somebody else has told it.
constexpr npy_intp kLarge = 1 << 18, kCacheLine = 64;

// The address that malloc gave stands in front of the elements. (posix_memalign leaves gaps around
// its blocks in the GNU C library before version 2.38: a training step then takes twice the
// memory.)
constexpr std::size_t kRoom = kCacheLine + sizeof(void*);

void*& given(void* elements) { return static_cast<void**>(elements)[-1]; }

void* first_line_in(void* block) {
    const auto end = reinterpret_cast<std::uintptr_t>(block) + kRoom;
    return reinterpret_cast<void*>(end - end % kCacheLine);
}

// Where the elements begin in a block of malloc's; null for none.
void* elements_in(void* block) {
    if (block == nullptr) return nullptr;
    void* elements = first_line_in(block);
    given(elements) = block;
    return elements;
}

void* allocate(void*, std::size_t size) { return elements_in(std::malloc(size + kRoom)); }

void* allocate_zeros(void*, std::size_t count, std::size_t size) {
    return elements_in(std::calloc(count * size + kRoom, 1));
}

void* resize(void*, void* elements, std::size_t size) {
    const std::ptrdiff_t before =
        static_cast<char*>(elements) - static_cast<char*>(given(elements));
    void* block = std::realloc(given(elements), size + kRoom);
    if (block == nullptr) return nullptr;
    // the elements move first, as the address may come to stand where they were
    std::memmove(first_line_in(block), static_cast<char*>(block) + before, size);
    return elements_in(block);
}

void release(void*, void* elements, std::size_t) {
    if (elements != nullptr) std::free(given(elements));
}

// While this lives, NumPy's usual memory starts at cache lines.
class AtCacheLines {
  public:
    AtCacheLines() {
        static PyDataMem_Handler handler = {
            "pellucid_cache_lines", 1, {nullptr, allocate, allocate_zeros, resize, release}};
        static PyObject* const ours = PyCapsule_New(&handler, "mem_handler", nullptr);
        if (ours == nullptr) return;
        PyObject* current = PyDataMem_GetHandler();
        if (current == PyDataMem_DefaultHandler) before_ = PyDataMem_SetHandler(ours);
        Py_XDECREF(current);
    }
    ~AtCacheLines() {
        if (before_ == nullptr || has_ended()) return;
        Py_XDECREF(PyDataMem_SetHandler(before_));
        Py_DECREF(before_);
    }
    AtCacheLines(const AtCacheLines&) = delete;
    AtCacheLines& operator=(const AtCacheLines&) = delete;

  private:
    PyObject* before_ = nullptr;
};

PyObject* new_array(PyArray_Descr* dtype, int ndim, const npy_intp* dims) {
    return PyArray_NewFromDescr(&PyArray_Type, dtype, ndim, dims, nullptr, nullptr, 0, nullptr);
}

}  // namespace

PyObject* make_array(PyArray_Descr* dtype, int ndim, const npy_intp* dims) {
    const npy_intp count =
        std::accumulate(dims, dims + ndim, npy_intp{1}, std::multiplies<npy_intp>());
    const bool is_small = count < kLarge && count * PyDataType_ELSIZE(dtype) < kLarge;
    if (is_small) return new_array(dtype, ndim, dims);
    const AtCacheLines memory;
    return new_array(dtype, ndim, dims);
}

}  // namespace pellucid
