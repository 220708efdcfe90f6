// Files that somebody cuts short while they are mapped.
#pragma once

namespace regatta::worker {

/// From here on reading behind the new end of a mapped file ends this process with exit code 2 and one line, instead of
/// a signal that says nothing. For commands: a worker that serves an agent maps no data file.
void end_where_a_file_was_cut();

}  // namespace regatta::worker
