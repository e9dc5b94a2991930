// Convolutions as products of matrices.
//
// Note [Convolution by products]
// The elements of the input that lie under each tap of a filter are copied into a matrix of columns
// [channel and tap, position], several images one after the other. Then the result is
// filters @ columns, the gradient by the filters grad @ columns^T, and the gradient by the input
// filters^T @ grad, added up at the places that the columns were copied from (im2col and col2im;
// Chellapilla, Puri and Simard, "High Performance Convolutional Neural Networks for Document
// Processing", 2006). The copy is worth it where there are many filters for each of its elements,
// and where the kernels of Note [Convolution without im2col] leave their vectors half empty: at
// small images, whose rows are shorter than a vector, and with strides. Filters of one element that
// move by one need no copy, since the image is its own matrix of columns.
#pragma once

#include "kernels/convolution_plan.hpp"
#include "kernels/precision.hpp"

namespace pellucid {

// Whether convolutions of such sizes, or their gradients by the filters, are computed by products.
bool suits_products(const ConvolutionSizes& sizes, Precision precision, bool to_weight);

// Write the convolution, with a bias unless it is null.
void convolve_by_products(const ConvolutionSizes& sizes, Precision precision, const void* input,
                          const void* weight, const void* bias, void* out);

// Write the gradient by the input, with a bias unless it is null.
void convolve_to_input_by_products(const ConvolutionSizes& sizes, Precision precision,
                                   const void* grad, const void* weight, const void* bias,
                                   void* out);

// Write the gradient by the filters.
void correlate_by_products(const ConvolutionSizes& sizes, Precision precision, const void* grad,
                           const void* input, void* out);

}  // namespace pellucid
