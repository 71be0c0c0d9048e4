// The same work over many indices, in threads of this call alone.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace otap {

// Calls work(index, thread) for each index below count, each once. Which thread takes which index is
// left to chance; what is computed must not depend on it.
template <class Work> void parallel(int threads, size_t count, Work work) {
    std::atomic<size_t> next{0};
    std::exception_ptr failure;
    std::mutex failing;
    const auto run = [&](int thread) {
        try {
            for (size_t k = next++; k < count; k = next++) work(k, thread);
        } catch (...) {
            const std::lock_guard<std::mutex> lock(failing);
            failure = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    try {
        for (int thread = 1; thread < threads && static_cast<size_t>(thread) < count; ++thread)
            others.emplace_back(run, thread);
    } catch (const std::system_error&) {
        // The system gives no more threads: those that there are do the work.
    }
    run(0);
    for (std::thread& other : others) other.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace otap
