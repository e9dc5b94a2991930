#pragma once

namespace pellucid {

// Which entry of a table's pairs is for which dtype.
enum Precision { kSingle, kDouble };

}  // namespace pellucid
