// What the loop over random normal numbers is given.
#pragma once

namespace pellucid {

// Uniform numbers in groups of sixteen, and the normal ones that they become.
struct NormalsJob {
    const float* uniforms;
    float* normals;
    double mean, std;
    long groups, groups_at_once;
};

}  // namespace pellucid
