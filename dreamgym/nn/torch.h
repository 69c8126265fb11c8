// The one door to libtorch: tensors, autograd and its guards. Nothing else includes torch headers.
//
// Only the nn room's .cc files and nn/internal may include this; it is precompiled there (a plain
// include costs 12 s of CPU, torch/torch.h three times that). torch/nn and torch/optim are left out
// on purpose: layers and optimisers are our own.
#pragma once

// clang-format off: types.h brings ATen, which the other two expect to be there.
#include <torch/types.h>
#include <torch/autograd.h>
#include <torch/utils.h>
// clang-format on
