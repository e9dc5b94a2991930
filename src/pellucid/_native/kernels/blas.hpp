// Matrix products by the BLAS that NumPy brings, divided among the threads of our pool.
//
// Note [Products on our own threads]
// OpenBLAS's threads spin while they wait for each other: where other processes want the cores too,
// a product takes a hundred times as long. So OpenBLAS is asked for single-threaded products, of
// parts of the result, which our sleeping threads share. A row of the result has the same bits
// whatever rows are computed with it, if parts begin at multiples of every tile that a BLAS
// computes at a time: the number of threads may decide how many such parts there are. Columns
// differ by how many there are, so parts of columns follow from the sizes alone.
#pragma once

#include "kernels/precision.hpp"

namespace pellucid {

// A matrix in memory: neighbouring rows lie `step` elements apart, or columns if it is turned.
struct Matrix {
    const void* data;
    long step;
    bool turned;
};

struct MatrixProduct {
    Precision precision;
    long rows, inner, columns;
    Matrix first, second;
    void* out;  // rows lie out_step elements apart
    long out_step;
    const void* bias = nullptr;  // added to every row
    bool adds = false;           // to what `out` holds; without a bias
    float* panels = nullptr;     // the second factor, if `lay_out_second` laid it out
};

// Looks for the functions in the library that NumPy's module is linked with; the argument is that
// module's file.
void find_blas(const char* file);
bool has_blas();

// While there is one of these, OpenBLAS runs products on the thread that asks for them.
class SingleThreadedBlas {
  public:
    SingleThreadedBlas();
    ~SingleThreadedBlas();
    SingleThreadedBlas(const SingleThreadedBlas&) = delete;
    SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;
};

// Multiplies on this thread, where BLAS is single-threaded.
void multiply_here(const MatrixProduct& product);

// Note [Products by panels]
// Where vectors have 64 bytes, products of float32 are our own, and small ones where they have 32:
// OpenBLAS takes its kernels of AVX2 for many processors with AVX-512. The second factor is laid
// out in panels of two vectors of columns, unless so few rows are multiplied by it that reading it
// where it is takes less; tiles of up to 14 rows by one panel stay in registers. Each element of
// the result is one sum over blocks of the inner size that follow from this size alone: it has the
// same bits however rows and columns are divided, by number of threads as well.

// Multiplies on as many threads as pay.
void multiply(const MatrixProduct& product);

// Lays the second factor out once for several products that differ in first factor and result
// alone, where that pays. It stays until this thread calls it for another.
void lay_out_second(MatrixProduct* product);

}  // namespace pellucid
