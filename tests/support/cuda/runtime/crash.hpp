// An explanation of segmentation faults in device memory, in words.
#pragma once

namespace regatta::cuda_fakes {

/// Has SIGSEGV and SIGBUS at addresses of device memory say on stderr who touched what, before they end the process as
/// they do anyway. Leaves handlers of others (sanitizers) in place.
void explain_crashes();

}  // namespace regatta::cuda_fakes
