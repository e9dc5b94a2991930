// One pool of threads for all kernels. Idle threads sleep, after looking out for work for an
// instant.
#pragma once

namespace pellucid {

using Task = void (*)(void* context, long index);

// Run task(context, i) for every i in [0, count), each once, in any order and on any thread.
// Which indices exist must follow from the sizes alone, so that results do not depend on the
// number of threads. Called from inside a task, or while another thread uses the pool, it runs
// everything on the calling thread. If a task throws, the tasks not yet begun are dropped and the
// exception reaches the caller.
void run_tasks(long count, Task task, void* context);

int thread_count();
void set_thread_count(int count);

}  // namespace pellucid
