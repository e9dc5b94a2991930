// How an attempt at the usual case ends.
#pragma once

namespace pellucid {

// Where something is left to Python, nothing has been written and no error is set.
enum class Outcome { done, left_to_python, failed };

}  // namespace pellucid
