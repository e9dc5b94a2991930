#include "threads.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#if defined(__linux__)
#include <sched.h>
#endif
#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#define PELLUCID_HAS_FORK 1
#endif

namespace pellucid {
namespace {

// Note [A pool that survives fork]
// A child process has only the thread that called fork; the pool's other threads and the state of
// its locks are lost. The pool therefore lives behind a pointer that is never freed: the child
// drops the pointer and makes a pool of its own when it first needs one.

class Pool {
  public:
    void run(long count, Task task, void* context, int threads) {
        std::unique_lock<std::mutex> turn(busy_, std::try_to_lock);
        if (!turn.owns_lock()) {
            for (long i = 0; i < count; ++i) task(context, i);
            return;
        }
        const int helpers = start(threads - 1);
        {
            std::lock_guard<std::mutex> lock(mutex_);
            task_ = task;
            context_ = context;
            count_ = count;
            next_.store(0, std::memory_order_relaxed);
            places_ = helpers;
        }
        for (long i = 1; i < count && i <= helpers; ++i) work_.notify_one();
        inside() = true;
        take_tasks();
        inside() = false;
        std::unique_lock<std::mutex> lock(mutex_);
        places_ = 0;  // a helper that has not woken up yet is no longer needed
        done_.wait(lock, [this] { return active_ == 0; });
        const std::exception_ptr failure = std::exchange(failure_, nullptr);
        lock.unlock();
        if (failure != nullptr) std::rethrow_exception(failure);
    }

  private:
    int start(int helpers) {
        while (started_ < helpers) {
            try {
                std::thread(&Pool::serve, this).detach();
            } catch (const std::system_error&) {
                break;  // no more threads to be had: do with those that there are
            }
            ++started_;
        }
        return helpers < started_ ? helpers : started_;
    }

    // The first exception of any thread is kept for the caller; the tasks left are dropped.
    void take_tasks() {
        try {
            for (long i; (i = next_.fetch_add(1, std::memory_order_relaxed)) < count_;)
                task_(context_, i);
        } catch (...) {
            next_.store(count_, std::memory_order_relaxed);
            std::lock_guard<std::mutex> lock(mutex_);
            if (failure_ == nullptr) failure_ = std::current_exception();
        }
    }

    void serve() {
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            work_.wait(lock, [this] { return places_ > 0; });
            --places_;
            ++active_;
            lock.unlock();
            inside() = true;
            take_tasks();
            inside() = false;
            lock.lock();
            if (--active_ == 0) done_.notify_one();
        }
    }

    std::mutex busy_, mutex_;
    std::condition_variable work_, done_;
    Task task_ = nullptr;
    void* context_ = nullptr;
    long count_ = 0;
    std::atomic<long> next_{0};
    std::exception_ptr failure_;
    int places_ = 0, active_ = 0, started_ = 0;

  public:
    // Whether this thread is running a task of the pool.
    static bool& inside() {
        static thread_local bool value = false;
        return value;
    }
};

std::atomic<Pool*> the_pool{nullptr};
std::atomic<int> chosen_count{0};

void forget_pool() { the_pool.store(nullptr); }

Pool& pool() {
    Pool* found = the_pool.load();
    if (found != nullptr) return *found;
    static std::mutex* making = new std::mutex;
    std::lock_guard<std::mutex> lock(*making);
    if (the_pool.load() == nullptr) {
#if defined(PELLUCID_HAS_FORK)
        static const int registered = pthread_atfork(nullptr, nullptr, forget_pool);
        (void)registered;
#endif
        the_pool.store(new Pool);
    }
    return *the_pool.load();
}

int limited_by(const char* variable, int count) {
    const char* wish = std::getenv(variable);
    const int wished = wish != nullptr ? std::atoi(wish) : 0;
    return wished > 0 ? wished : count;
}

// The cores that this process may use, or what variables of other libraries ask for; OpenBLAS's
// counts too, since its products are ours to divide.
int default_count() {
    int cores = static_cast<int>(std::thread::hardware_concurrency());
#if defined(__linux__)
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) cores = CPU_COUNT(&allowed);
#endif
    return limited_by("OMP_NUM_THREADS", limited_by("OPENBLAS_NUM_THREADS", cores > 0 ? cores : 1));
}

}  // namespace

int thread_count() {
    int count = chosen_count.load(std::memory_order_relaxed);
    if (count == 0) chosen_count.store(count = default_count());
    return count;
}

void set_thread_count(int count) { chosen_count.store(count); }

void run_tasks(long count, Task task, void* context) {
    const int threads = thread_count();
    if (count <= 1 || threads <= 1 || Pool::inside()) {
        for (long i = 0; i < count; ++i) task(context, i);
        return;
    }
    pool().run(count, task, context, threads);
}

}  // namespace pellucid
