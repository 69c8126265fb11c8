// Expected<T, E>: a value or the reason there is none, for outcomes we expect.
#pragma once

#include <expected>

namespace dreamgym {

template <class T, class E>
using Expected = std::expected<T, E>;

template <class E>
using Unexpected = std::unexpected<E>;

}  // namespace dreamgym
