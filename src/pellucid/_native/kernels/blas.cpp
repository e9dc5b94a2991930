#include "kernels/blas.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>

#include "kernels/pieces.hpp"
#include "kernels/scratch.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <dlfcn.h>
#include <pthread.h>
#define PELLUCID_HAS_DLSYM 1
#endif

namespace pellucid {
namespace {

constexpr int kRowMajor = 101, kAsItIs = 111, kTransposed = 112;

template <class T, class Int>
using Gemm = void (*)(int order, int first, int second, Int m, Int n, Int k, T alpha, const T* a,
                      Int a_step, const T* b, Int b_step, T beta, T* c, Int c_step);

// The functions of one OpenBLAS, whose integers have 64 bits or 32.
struct Blas {
    void *single = nullptr, *double_ = nullptr;
    bool wide = false;
    int (*get_threads)() = nullptr;
    void (*set_threads)(int) = nullptr;
} blas;

#if defined(PELLUCID_HAS_DLSYM)

template <class F>
bool find(void* library, const std::string& name, F* function) {
    *function = reinterpret_cast<F>(dlsym(library, name.c_str()));
    return *function != nullptr;
}

bool find_all(void* library, const std::string& prefix, const std::string& suffix) {
    Blas found;
    found.wide = suffix == "64_";
    const bool all =
        find(library, prefix + "cblas_sgemm" + suffix, &found.single) &&
        find(library, prefix + "cblas_dgemm" + suffix, &found.double_) &&
        find(library, prefix + "openblas_get_num_threads" + suffix, &found.get_threads) &&
        find(library, prefix + "openblas_set_num_threads" + suffix, &found.set_threads);
    if (all) blas = found;
    return all;
}

#endif

template <class T, class Int>
void call(void* function, const MatrixProduct& p, bool adds) {
    reinterpret_cast<Gemm<T, Int>>(function)(
        kRowMajor, p.first.turned ? kTransposed : kAsItIs, p.second.turned ? kTransposed : kAsItIs,
        static_cast<Int>(p.rows), static_cast<Int>(p.columns), static_cast<Int>(p.inner), T(1),
        static_cast<const T*>(p.first.data), static_cast<Int>(p.first.step),
        static_cast<const T*>(p.second.data), static_cast<Int>(p.second.step), T(adds),
        static_cast<T*>(p.out), static_cast<Int>(p.out_step));
}

long item_of(const MatrixProduct& p) {
    return p.precision == kSingle ? sizeof(float) : sizeof(double);
}

void* moved(const void* data, long elements, const MatrixProduct& p) {
    return const_cast<char*>(static_cast<const char*>(data)) + elements * item_of(p);
}

MatrixProduct some_rows(MatrixProduct p, long begin, long end) {
    p.first.data = moved(p.first.data, begin * (p.first.turned ? 1 : p.first.step), p);
    p.out = moved(p.out, begin * p.out_step, p);
    p.rows = end - begin;
    return p;
}

MatrixProduct some_columns(MatrixProduct p, long begin, long end) {
    p.second.data = moved(p.second.data, begin * (p.second.turned ? p.second.step : 1), p);
    p.out = moved(p.out, begin, p);
    if (p.bias != nullptr) p.bias = moved(p.bias, begin, p);
    p.columns = end - begin;
    return p;
}

// What several threads know of how many of them use BLAS. A child process starts with a new one,
// since a thread that it does not have may have held the lock.
struct Users {
    std::mutex mutex;
    int count = 0, threads_before = 1;
};

std::atomic<Users*> users{new Users};

void forget_users() {
    Users* before = users.load();
    if (before->count > 0) blas.set_threads(before->threads_before);
    users.store(new Users);
}

}  // namespace

void find_blas(const char* file) {
#if defined(PELLUCID_HAS_DLSYM)
    void* library = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) return;
    for (const char* prefix : {"scipy_", ""}) {
        for (const char* suffix : {"64_", ""}) {
            if (!find_all(library, prefix, suffix)) continue;
            pthread_atfork(nullptr, nullptr, forget_users);
            return;
        }
    }
#else
    (void)file;
#endif
}

bool has_blas() { return blas.single != nullptr; }

SingleThreadedBlas::SingleThreadedBlas() {
    Users& known = *users.load();
    std::lock_guard<std::mutex> lock(known.mutex);
    if (known.count++ > 0) return;
    known.threads_before = blas.get_threads();
    if (known.threads_before > 1) blas.set_threads(1);
}

SingleThreadedBlas::~SingleThreadedBlas() {
    Users& known = *users.load();
    std::lock_guard<std::mutex> lock(known.mutex);
    if (--known.count == 0 && known.threads_before > 1) blas.set_threads(known.threads_before);
}

namespace {

void multiply_by_blas(const MatrixProduct& p) {
    if (p.bias != nullptr) {
        for (long row = 0; row < p.rows; ++row)
            std::memcpy(moved(p.out, row * p.out_step, p), p.bias, p.columns * item_of(p));
    }
    const bool adds = p.adds || p.bias != nullptr;
    if (p.precision == kSingle)
        blas.wide ? call<float, int64_t>(blas.single, p, adds)
                  : call<float, int32_t>(blas.single, p, adds);
    else
        blas.wide ? call<double, int64_t>(blas.double_, p, adds)
                  : call<double, int32_t>(blas.double_, p, adds);
}

// -- our own products, see Note [Products by panels] ---------------------------------------------

// Whether our own kernels are quicker with vectors of 32 bytes than OpenBLAS: where the product is
// small, or where it is not large and sums are long for the size of the result.
bool is_for_avx2(const MatrixProduct& p, long work) {
    constexpr long kSmall = 1 << 16, kMost = 1 << 18;
    return work <= kSmall || (work <= kMost && p.inner * p.inner >= p.rows * p.columns);
}

// Whether our own kernels take a product: by its sizes alone.
bool is_ours(const MatrixProduct& p) {
    constexpr long kFewestRows = 4, kFewest = 1 << 11;
    if (p.precision != kSingle || p.rows < kFewestRows || p.inner < 1) return false;
    const long work = p.rows * p.columns * p.inner;
    const long bytes = kernels().vector_bytes;
    return work >= kFewest && (bytes >= 64 || (bytes >= 32 && is_for_avx2(p, work)));
}

// Elements of the second factor that are laid out at once, and the longest inner size of them.
constexpr long kLaidOutAtOnce = 1 << 20, kLongestInner = 1 << 13;

// How many rows may be multiplied by a second factor that is read where it is; any number where it
// is one vector wide, of which a panel would be half empty.
constexpr long kRowsForDirect = 28;

// How many columns of so long an inner size are laid out at once.
long columns_at_once(long inner) {
    const long panel = kernels().panel_columns;
    return std::max(1L, kLaidOutAtOnce / inner / panel) * panel;
}

void lay_out(const PanelJob& job, long threads) {
    constexpr long kElementsPerPart = 1 << 14;
    const long each = std::max(1L, kElementsPerPart / (job.inner * job.panel_columns));
    if (threads <= 1) {
        for (long p = 0; p < job.panel_count; ++p) kernels().lay_out_panel(job, p);
    } else {
        in_pieces(job.panel_count, each, [&](long begin, long end) {
            for (long p = begin; p < end; ++p) kernels().lay_out_panel(job, p);
        });
    }
}

// Into how many parts a product is divided for so many threads.
void divide(PanelJob* job, long threads) {
    constexpr long kFewest = 1 << 20, kRowsOfPart = 56;
    const long work = job->rows * job->inner * job->columns;
    const long wished = threads <= 1 ? 1 : std::min(work / kFewest, 2 * threads);
    job->row_parts = std::max(1L, std::min(wished, job->rows / kRowsOfPart));
    job->panel_parts = std::max(1L, std::min(wished / job->row_parts, job->panel_count));
}

long size_of_panels(const PanelJob& job) { return job.panel_count * job.panel_columns * job.inner; }

// Multiply a part of the columns and of the inner size. Panels that only one part reads are laid
// out there, a block at a time, while the block is in the caches.
void multiply_strip(const MatrixProduct& p, PanelJob job, long threads) {
    job.panel_count = (job.columns + job.panel_columns - 1) / job.panel_columns;
    divide(&job, threads);
    const long lanes = kernels().vector_bytes / static_cast<long>(sizeof(float));
    const bool direct = !job.second_turned && (p.rows <= kRowsForDirect || job.columns == lanes) &&
                        job.columns % lanes == 0;
    job.panels = p.panels;
    job.lays_out = !direct && job.row_parts == 1;
    if (job.panels == nullptr && !direct && !job.lays_out) {
        job.panels = static_cast<float*>(scratch(4, size_of_panels(job) * sizeof(float)));
        lay_out(job, threads);
    }
    run_parts(job.row_parts * job.panel_parts, kernels().multiply_part, job);
}

// What is the same for all parts of the columns and of the inner size.
PanelJob job_of(const MatrixProduct& p) {
    PanelJob job{};
    job.first_step = p.first.step;
    job.first_turned = p.first.turned;
    job.second_step = p.second.step;
    job.second_turned = p.second.turned;
    job.out_step = p.out_step;
    job.rows = p.rows;
    job.panel_columns = kernels().panel_columns;
    return job;
}

void multiply_ours(const MatrixProduct& p, long threads) {
    PanelJob job = job_of(p);
    for (long k = 0; k < p.inner; k += kLongestInner) {
        job.inner = std::min(kLongestInner, p.inner - k);
        const long strip = columns_at_once(job.inner);
        for (long column = 0; column < p.columns; column += strip) {
            job.columns = std::min(strip, p.columns - column);
            job.first =
                static_cast<const float*>(p.first.data) + k * (p.first.turned ? p.first.step : 1);
            job.second =
                static_cast<const float*>(p.second.data) +
                (p.second.turned ? column * p.second.step + k : k * p.second.step + column);
            job.out = static_cast<float*>(p.out) + column;
            job.bias =
                k > 0 || p.bias == nullptr ? nullptr : static_cast<const float*>(p.bias) + column;
            job.adds = p.adds || k > 0;
            multiply_strip(p, job, threads);
        }
    }
}

}  // namespace

void multiply_here(const MatrixProduct& p) {
    is_ours(p) ? multiply_ours(p, 1) : multiply_by_blas(p);
}

namespace {

// a multiple of the tiles of all processors; multiplications that take longer than waking a thread
constexpr long kTile = 24, kFewest = 1 << 20;

// The size of parts of about equal size.
long chunk_of(long length, long parts) {
    return std::max(1L, (length + parts * kTile / 2) / (parts * kTile)) * kTile;
}

// Computes parts of `chunk` rows or columns, of which there are `length`.
template <class Take>
void multiply_parts(const MatrixProduct& p, long length, long chunk, Take take) {
    const long parts = std::max(1L, (length + chunk / 2) / chunk);
    in_pieces(parts, 1, [&](long i, long) {
        multiply_by_blas(take(p, i * chunk, i + 1 == parts ? length : (i + 1) * chunk));
    });
}

void multiply_rows(const MatrixProduct& p, long work) {
    constexpr long kMany = 1 << 24;
    const long threads = thread_count();
    const long wished = std::min(work / kFewest, work > kMany * threads ? 2 * threads : threads);
    if (threads <= 1 || wished <= 1) return multiply_by_blas(p);
    multiply_parts(p, p.rows, chunk_of(p.rows, wished), some_rows);
}

void multiply_columns(const MatrixProduct& p) {
    constexpr long kTwoParts = 768;
    const long parts = 2 * std::max(1L, (p.columns + kTwoParts / 2) / kTwoParts);
    multiply_parts(p, p.columns, chunk_of(p.columns, parts), some_columns);
}

}  // namespace

void multiply(const MatrixProduct& p) {
    constexpr long kThin = 512;
    if (is_ours(p)) return multiply_ours(p, thread_count());
    const SingleThreadedBlas alone;
    const long work = p.rows * p.inner * p.columns;
    if (work < 2 * kFewest || std::max(p.rows, p.columns) < 4 * kTile) return multiply_by_blas(p);
    if (p.rows >= std::min(p.columns, kThin)) return multiply_rows(p, work);
    multiply_columns(p);
}

void lay_out_second(MatrixProduct* p) {
    p->panels = nullptr;
    if (!is_ours(*p) || p->inner > kLongestInner || p->columns > columns_at_once(p->inner)) return;
    PanelJob job = job_of(*p);
    job.inner = p->inner;
    job.columns = p->columns;
    job.second = static_cast<const float*>(p->second.data);
    job.panel_count = (job.columns + job.panel_columns - 1) / job.panel_columns;
    job.panels = static_cast<float*>(scratch(5, size_of_panels(job) * sizeof(float)));
    lay_out(job, 1);
    p->panels = job.panels;
}

}  // namespace pellucid
