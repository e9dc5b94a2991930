// Steps of optimizers in one pass over each parameter.
#pragma once

#include <cmath>

#include "kernels/optimizer_job.hpp"
#include "kernels/vectors.hpp"

namespace pellucid {
namespace {

// A gradient with the decay of its weight; without decay, a weight that is inf or nan has no part.
template <class T>
inline T decayed(T gradient, T weight, T decay) {
    return decay == 0 ? gradient : gradient + decay * weight;
}

template <class T>
void adam_piece(const AdamJob& job, long piece) {
    T *param = static_cast<T*>(job.param), *mean = static_cast<T*>(job.mean);
    T *square = static_cast<T*>(job.square), *largest = static_cast<T*>(job.largest);
    const T* grad = static_cast<const T*>(job.grad);
    const T sign = T(job.sign), decay = T(job.decay), shrink = T(job.shrink), eps = T(job.eps);
    const T beta2 = T(job.beta2), fresh1 = T(1 - job.beta1), fresh2 = T(1 - job.beta2);
    const T root = T(job.root), step = T(job.step);
    const long end = smaller(job.count, (piece + 1) * kStepGrain);
#pragma GCC ivdep
    for (long i = piece * kStepGrain; i < end; ++i) {
        const T g = decayed(sign * grad[i], param[i], decay);
        const T m = mean[i] + (g - mean[i]) * fresh1;
        const T v = square[i] * beta2 + g * g * fresh2;
        T most = v;
        if (largest != nullptr) {
            const bool keeps = largest[i] > v || largest[i] != largest[i];  // what is nan stays nan
            most = keeps ? largest[i] : v;
            largest[i] = most;
        }
        mean[i] = m;
        square[i] = v;
        param[i] = param[i] * shrink - m / (std::sqrt(most) / root + eps) * step;
    }
}

template <class T>
void adadelta_piece(const AdadeltaJob& job, long piece) {
    T *param = static_cast<T*>(job.param), *square = static_cast<T*>(job.square);
    T* steps = static_cast<T*>(job.steps);
    const T* grad = static_cast<const T*>(job.grad);
    const T sign = T(job.sign), decay = T(job.decay), lr = T(job.lr), eps = T(job.eps);
    const T rho = T(job.rho), fresh = T(1 - job.rho);
    const long end = smaller(job.count, (piece + 1) * kStepGrain);
#pragma GCC ivdep
    for (long i = piece * kStepGrain; i < end; ++i) {
        const T g = decayed(sign * grad[i], param[i], decay);
        const T v = square[i] * rho + g * g * fresh;
        const T step = std::sqrt(steps[i] + eps) / std::sqrt(v + eps) * g;
        square[i] = v;
        steps[i] = steps[i] * rho + step * step * fresh;
        param[i] -= step * lr;
    }
}

template <class T>
void rmsprop_piece(const RmspropJob& job, long piece) {
    T *param = static_cast<T*>(job.param), *square = static_cast<T*>(job.square);
    T *mean = static_cast<T*>(job.mean), *buffer = static_cast<T*>(job.momentum_buffer);
    const T* grad = static_cast<const T*>(job.grad);
    const T sign = T(job.sign), decay = T(job.decay), lr = T(job.lr), eps = T(job.eps);
    const T alpha = T(job.alpha), fresh = T(1 - job.alpha), momentum = T(job.momentum);
    const long end = smaller(job.count, (piece + 1) * kStepGrain);
#pragma GCC ivdep
    for (long i = piece * kStepGrain; i < end; ++i) {
        const T g = decayed(sign * grad[i], param[i], decay);
        const T v = square[i] * alpha + g * g * fresh;
        T spread = v;
        if (mean != nullptr) {
            const T m = mean[i] + (g - mean[i]) * fresh;
            mean[i] = m;
            spread = v - m * m;
        }
        T step = g / (std::sqrt(spread) + eps);
        if (buffer != nullptr) buffer[i] = step = buffer[i] * momentum + step;
        square[i] = v;
        param[i] -= step * lr;
    }
}

template <class T>
void sgd_piece(const SgdJob& job, long piece) {
    T *param = static_cast<T*>(job.param), *buffer = static_cast<T*>(job.momentum_buffer);
    const T* grad = static_cast<const T*>(job.grad);
    const T sign = T(job.sign), decay = T(job.decay), lr = T(job.lr);
    const T momentum = T(job.momentum), fresh = T(1 - job.dampening);
    const long begin = piece * kStepGrain, end = smaller(job.count, begin + kStepGrain);
    if (buffer == nullptr && decay == 0) {
        const T rate = sign * lr;
#pragma GCC ivdep
        for (long i = begin; i < end; ++i) param[i] -= grad[i] * rate;
        return;
    }
    if (buffer == nullptr) {
#pragma GCC ivdep
        for (long i = begin; i < end; ++i)
            param[i] -= (decayed(sign * grad[i], param[i], decay)) * lr;
        return;
    }
#pragma GCC ivdep
    for (long i = begin; i < end; ++i) {
        const T g = decayed(sign * grad[i], param[i], decay);
        const T average = buffer[i] * momentum + g * fresh;
        buffer[i] = average;
        param[i] -= (job.nesterov ? g + average * momentum : average) * lr;
    }
}

}  // namespace
}  // namespace pellucid
