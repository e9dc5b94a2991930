// Sums over one dimension of an array, no less exact than pairwise ones.
#pragma once

#include "kernels/sum_job.hpp"
#include "kernels/sums.hpp"

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

// Each total becomes the sum of term(row, i) over the rows from `begin` to `end`; at most `most` of
// them.
template <class T, long most, class Term>
void total_columns(long begin, long end, long width, double* to, const Term& term) {
    Total<T> totals[most];
    long row = begin;
    for (; row + kRowsTogether <= end; row += kRowsTogether) {
#pragma GCC ivdep
        for (long i = 0; i < width; ++i) {
            T sum = term(row, i);
#pragma GCC unroll 8
            for (long k = 1; k < kRowsTogether; ++k) sum += term(row + k, i);
            totals[i].add(sum);
        }
    }
    T rest[most] = {};
    for (; row < end; ++row)
#pragma GCC ivdep
        for (long i = 0; i < width; ++i) rest[i] += term(row, i);
    for (long i = 0; i < width; ++i) {
        totals[i].add(rest[i]);
        to[i] = totals[i].value();
    }
}

// One share of some columns.
template <class T, template <class> class Terms>
void sum_column_share(const SumJob& job, long part) {
    const long blocks = (job.inner + kColumns - 1) / kColumns;
    const long block = part % blocks, outer = part / blocks % job.outer;
    const long share = part / blocks / job.outer, first = block * kColumns;
    const T* x = static_cast<const T*>(job.x) + outer * job.count * job.inner + first;
    total_columns<T, kColumns>(
        job.begin(share), job.begin(share + 1), smaller(kColumns, job.inner - first),
        job.partial + (share * job.outer + outer) * job.inner + first,
        [&](long row, long i) { return Terms<T>{x + row * job.inner}.single(i); });
}

}  // namespace
}  // namespace pellucid
