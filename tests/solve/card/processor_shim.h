// The few words of CUDA that sweeps.cu uses, for a processor: it runs one thread after another.
#include <cfenv>
#include <cmath>
#include <cstring>
#define __device__
#define __global__
struct Position { int x; };
static Position blockIdx, blockDim = {1}, threadIdx = {0};
static double __longlong_as_double(long long bits) { double number; std::memcpy(&number, &bits, 8); return number; }
static long long __double_as_longlong(double number) { long long bits; std::memcpy(&bits, &number, 8); return bits; }
static double __shfl_down_sync(unsigned, double number, int) { return number; }
static void atomicMax(unsigned long long* kept, unsigned long long other) { if (other > *kept) *kept = other; }
static void atomicAdd(unsigned long long* sum, unsigned long long more) { *sum += more; }
#define ROUNDED(name, direction, sign)                                        \
    static __attribute__((noinline)) double name(double first, double second) \
    {                                                                         \
        std::fesetround(direction);                                           \
        volatile double left = first, right = second;                         \
        volatile double result = left sign right;                             \
        std::fesetround(FE_TONEAREST);                                        \
        return result;                                                        \
    }
ROUNDED(__dadd_rd, FE_DOWNWARD, +)
ROUNDED(__dadd_ru, FE_UPWARD, +)
ROUNDED(__dsub_rd, FE_DOWNWARD, -)
ROUNDED(__dsub_ru, FE_UPWARD, -)
ROUNDED(__dmul_rd, FE_DOWNWARD, *)
ROUNDED(__dmul_ru, FE_UPWARD, *)
using std::isnan;
extern "C" void move_to(int thread) { blockIdx.x = thread; }
