// What the loops of optimizers are given: a parameter, its gradient and its state, side by side.
#pragma once

namespace pellucid {

// Elements of a parameter that one part of a job changes.
constexpr long kStepGrain = 1 << 15;

struct AdamJob {
    void* param;
    const void* grad;
    void *mean, *square, *largest;         // the last for amsgrad, else null
    double beta1, beta2, step, root, eps;  // root: of the correction of the mean square
    double decay, shrink;  // weight decay: added to the gradient, or a factor of the parameter
    double sign;           // -1 to ascend
    long count;
};

struct AdadeltaJob {
    void* param;
    const void* grad;
    void *square, *steps;  // running means of squared gradients and squared steps
    double lr, rho, eps, decay, sign;
    long count;
};

struct RmspropJob {
    void* param;
    const void* grad;
    void *square, *mean, *momentum_buffer;  // mean: null unless centered; buffer: without momentum
    double lr, alpha, eps, momentum, decay, sign;
    long count;
};

struct SgdJob {
    void* param;
    const void* grad;
    void* momentum_buffer;  // null without momentum
    double lr, momentum, dampening, decay, sign;
    bool nesterov;
    long count;
};

}  // namespace pellucid
