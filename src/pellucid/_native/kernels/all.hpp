// The source of the kernels: included once for each processor level, after the headers that it
// needs and inside that level's target. LEVEL_TABLE names the table to fill.

namespace pellucid {
namespace {

void relu_float(const float* x, float* y, npy_intp count) {
    for (npy_intp i = 0; i < count; ++i) y[i] = x[i] < 0 ? 0 : x[i];
}

}  // namespace

extern const KernelTable LEVEL_TABLE = {relu_float};

}  // namespace pellucid
