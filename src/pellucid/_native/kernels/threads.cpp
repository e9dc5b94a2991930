#include "kernels/threads.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
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

// Note [Waiting]
// To wake a sleeping thread takes tens of microseconds, as long as a small kernel. A thread that
// waits therefore looks out for a while before it sleeps, but only if its last wait was shorter
// than that: in the middle of a training step the next kernel comes soon. Where the cores are taken
// by other processes a wait becomes long, since the thread is interrupted, and it goes to sleep at
// once.

using Clock = std::chrono::steady_clock;
constexpr std::chrono::microseconds kPatience{200};

// Whether `ready` came true while looking out.
template <class Ready>
bool looked_out(const Ready& ready) {
    for (const Clock::time_point end = Clock::now() + kPatience; Clock::now() < end;) {
        if (ready()) return true;
    }
    return false;
}

class Pool {
  public:
    void run(long count, Task task, void* context, int threads) {
        std::unique_lock<std::mutex> turn(busy_, std::try_to_lock);
        if (!turn.owns_lock()) {
            for (long i = 0; i < count; ++i) task(context, i);
            return;
        }
        const long most = std::min({static_cast<long>(threads), count, long{kPlaces}});
        const int wanted = start(static_cast<int>(most) - 1);
        task_ = task;
        context_ = context;
        count_ = count;
        next_.store(0, std::memory_order_relaxed);
        places_.store(wanted);
        wake(wanted);
        inside() = true;
        take_tasks();
        inside() = false;
        places_.fetch_and(~kPlaces);  // a helper that has not come yet is no longer needed
        wait_for_helpers();
        const std::exception_ptr failure = std::exchange(failure_, nullptr);
        if (failure != nullptr) std::rethrow_exception(failure);
    }

  private:
    // `places_` holds how many helpers are still wanted, and above that how many are at work.
    static constexpr int kPlaces = (1 << 16) - 1, kOneAtWork = 1 << 16;

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

    void wake(int helpers) {
        if (sleeping_.load() == 0) return;
        std::lock_guard<std::mutex> lock(mutex_);
        for (int i = std::min(helpers, sleeping_.load()); i > 0; --i) work_.notify_one();
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

    bool is_wanted() const { return (places_.load() & kPlaces) > 0; }
    bool is_done() const { return places_.load() < kOneAtWork; }

    void wait_for_helpers() {
        if (is_done() || looked_out([this] { return is_done(); })) return;
        std::unique_lock<std::mutex> lock(mutex_);
        done_.wait(lock, [this] { return is_done(); });
    }

    // Whether this thread got one of the places.
    bool take_place() {
        int places = places_.load();
        while ((places & kPlaces) > 0) {
            if (places_.compare_exchange_weak(places, places - 1 + kOneAtWork)) return true;
        }
        return false;
    }

    void leave_place() {
        if (places_.fetch_sub(kOneAtWork) >= 2 * kOneAtWork) return;
        std::lock_guard<std::mutex> lock(mutex_);
        done_.notify_one();
    }

    void sleep_until_wanted() {
        std::unique_lock<std::mutex> lock(mutex_);
        ++sleeping_;
        work_.wait(lock, [this] { return is_wanted(); });
        --sleeping_;
    }

    void serve() {
        for (bool pays = true;;) {
            const Clock::time_point begin = Clock::now();
            if (!pays || !looked_out([this] { return is_wanted(); })) sleep_until_wanted();
            pays = Clock::now() - begin < kPatience;
            if (!take_place()) continue;
            inside() = true;
            take_tasks();
            inside() = false;
            leave_place();
        }
    }

    std::mutex busy_, mutex_;
    std::condition_variable work_, done_;
    Task task_ = nullptr;
    void* context_ = nullptr;
    long count_ = 0;
    std::exception_ptr failure_;
    int started_ = 0;
    alignas(64) std::atomic<long> next_{0};
    alignas(64) std::atomic<int> places_{0}, sleeping_{0};

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
    const long wished = wish != nullptr ? std::strtol(wish, nullptr, 10) : 0;
    return wished > 0 ? static_cast<int>(std::min(wished, 1024L)) : count;
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
