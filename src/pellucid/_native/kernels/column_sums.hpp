// Sums over one dimension of an array, no less exact than pairwise ones.
#pragma once

#include "sum_job.hpp"
#include "sums.hpp"

namespace pellucid {
namespace {

// Rows that are added up before their sum is with care.
constexpr long kRowsTogether = 8;

// One share of a row that lies in memory without gaps.
template <class T, template <class> class Terms>
void sum_row_share(const SumJob& job, long part) {
    const long share = part / job.outer, row = part % job.outer, begin = job.begin(share);
    Total<T> total;
    const T* x = static_cast<const T*>(job.x) + row * job.count + begin;
    add_terms<T>(job.begin(share + 1) - begin, Terms<T>{x}, &total);
    job.partial[part] = total.value();
}

// One share of some columns.
template <class T, template <class> class Terms>
void sum_column_share(const SumJob& job, long part) {
    const long blocks = (job.inner + kColumns - 1) / kColumns;
    const long block = part % blocks, outer = part / blocks % job.outer;
    const long share = part / blocks / job.outer, first = block * kColumns;
    const long width = smaller(kColumns, job.inner - first), end = job.begin(share + 1);
    const T* x = static_cast<const T*>(job.x) + outer * job.count * job.inner + first;
    Total<T> totals[kColumns];
    T sums[kColumns];
    for (long row = job.begin(share); row < end;) {
        const T* from = x + row * job.inner;
        for (long i = 0; i < width; ++i) sums[i] = Terms<T>{from}.single(i);
        const long stop = smaller(end, row + kRowsTogether);
        for (++row; row < stop; ++row) {
            from += job.inner;
#pragma GCC ivdep
            for (long i = 0; i < width; ++i) sums[i] += Terms<T>{from}.single(i);
        }
        for (long i = 0; i < width; ++i) totals[i].add(sums[i]);
    }
    double* to = job.partial + (share * job.outer + outer) * job.inner + first;
    for (long i = 0; i < width; ++i) to[i] = totals[i].value();
}

}  // namespace
}  // namespace pellucid
