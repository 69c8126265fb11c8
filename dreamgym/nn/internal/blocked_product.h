// Matrix products in blocks, each by a kernel that oneDNN (inside libtorch) makes for this machine.
//
// Factors are packed block by block (product_packing.h), so that any layout costs the same, and in
// bfloat16 rounded on the way; sums are fp32. What a number of the result is depends on its row and
// column alone, not on how many rows there are. Kernels and their buffers (2.2 MB) live as long as
// the calling thread.
// Thread safety: reentrant; each call runs on the caller's thread.
#pragma once

#include "dreamgym/nn/compute_type.h"
#include "dreamgym/nn/internal/matrix_product.h"

namespace dreamgym::internal {

/// Whether this machine has the instructions: AVX-512 with BF16, of which AMX is a further step.
bool has_blocked_products();
/// Whether they are the faster way in fp32 too: MKL gives processors that are not Intel's AVX2 code
/// whatever they have.
bool prefers_blocked_products();

/// C = A B, or C += A B. @throws LogicError unless has_blocked_products().
void multiply_blocks(ComputeType type, ProductSize size, Factor a, Factor b, Target c);
void multiply_add_blocks(ComputeType type, ProductSize size, Factor a, Factor b, Target c);

}  // namespace dreamgym::internal
