//===- Coefficients.h - Polynomials of dlc-expand-math ----------*- C++ -*-===//
//
// Written by scripts/minimax.py, which states the methods. Lowest degree first.
//
//===----------------------------------------------------------------------===//

#ifndef DLC_LIB_TRANSFORMS_EXPANDMATH_COEFFICIENTS_H
#define DLC_LIB_TRANSFORMS_EXPANDMATH_COEFFICIENTS_H

namespace mlir::dlc::coefficients {

/// (e^r - 1) / r on [-0.346747, 0.346747],
/// weighted error 1.98e-9.
inline constexpr float kExpF32[] = {
    0x1.0000000000000p+0f, 0x1.fffffc0000000p-2f, 0x1.5554180000000p-3f,
    0x1.5558240000000p-5f, 0x1.1267d80000000p-7f, 0x1.6ae6f00000000p-10f,
};

/// (2^r - 1) / r on [-0.501, 0.501],
/// weighted error 2.0e-9.
inline constexpr float kExp2F32[] = {
    0x1.62e4300000000p-1f, 0x1.ebfbdc0000000p-3f,  0x1.c6aee60000000p-5f,
    0x1.3b2d520000000p-7f, 0x1.5f400e0000000p-10f, 0x1.41faae0000000p-13f,
};

/// (e^r - 1) / r on [-0.346747, 0.346747],
/// weighted error 2.33e-10.
inline constexpr double kExpm1F64[] = {
    0x1.0000000022711p+0,  0x1.00000028317f5p-1, 0x1.555554c59edc8p-3,
    0x1.5554ad6151ee2p-5,  0x1.1111a6bb6d889p-7, 0x1.6d74d90e652cdp-10,
    0x1.a019f0a0b4eaep-13,
};

/// (2^r - 1) / r on [-0.501, 0.501],
/// weighted error 4.74e-11.
inline constexpr double kExp2F64[] = {
    0x1.62e42ff0e6b5dp-1,  0x1.ebfbe0790c952p-3,  0x1.c6b08ab814a91p-5,
    0x1.3b29f20ecd28cp-7,  0x1.5d8a8b3a8c828p-10, 0x1.445dde2d088ddp-13,
    0x1.fde4025f26dd4p-17,
};

/// (tanh(x) / x - 1) / z, z = x^2 on [0.0, 0.3721],
/// weighted error 3.16e-9.
inline constexpr float kTanhF32[] = {
    -0x1.55553a0000000p-2f, 0x1.1108f20000000p-3f,  -0x1.b87c620000000p-5f,
    0x1.53e2b40000000p-6f,  -0x1.7e18c00000000p-8f,
};

/// erf(x) / x - 1, z = x^2 on [0.0, 0.8649],
/// weighted error 4.57e-10.
inline constexpr float kErfSmallF32[] = {
    0x1.06eba80000000p-3f,  -0x1.8127420000000p-2f, 0x1.ce2e0a0000000p-4f,
    -0x1.b80e900000000p-6f, 0x1.54c7f60000000p-8f,  -0x1.aa3f320000000p-11f,
    0x1.5cd4c00000000p-14f,
};

/// log(erfc(x)) on [0.92, 3.95],
/// weighted error 1.48e-9.
inline constexpr float kErfLargeF32[] = {
    -0x1.b22dc40000000p-13f, -0x1.20ac2e0000000p+0f, -0x1.4647b80000000p-1f,
    -0x1.a9651e0000000p-4f,  0x1.6b8e4a0000000p-6f,  -0x1.8da1060000000p-9f,
    0x1.98d3da0000000p-13f,
};

/// erfcx(x) (1 + 2 x), t = (x - 2) / (x + 2) on [-1.0, 0.672131],
/// weighted error 2.67e-10.
inline constexpr double kErfcxF64[] = {
    0x1.46e80e237ff91p+0,   -0x1.7bf5ec97e60d5p-4, -0x1.5407c2fecdb6bp-3,
    0x1.4ffa27ba4b8fdp-3,   -0x1.bc2a1d4d0cb2dp-5, -0x1.07474666eb753p-7,
    0x1.1da1ce9728f7cp-7,   0x1.4d693fb52c07dp-10, -0x1.7800fa3df2530p-10,
    -0x1.d1e8f3ffc9f8bp-12, 0x1.5f90041fdd063p-13, 0x1.e51f685ae139fp-14,
    0x1.232628936225ap-16,
};

/// (log(1 + f) - f) / f^2 on [-0.292894, 0.414215],
/// weighted error 3.95e-9.
inline constexpr double kLogF64[] = {
    -0x1.fffff861d1a04p-2, 0x1.55554f7340c89p-2,  -0x1.0004077651a59p-2,
    0x1.99a433a21b2bdp-3,  -0x1.5430fc9d223f6p-3, 0x1.2273a7afe53bcp-3,
    -0x1.0eaa1c47527a7p-3, 0x1.07b885fd5bfe2p-3,  -0x1.3db0d078315eap-4,
    0x1.15f42f6b351b0p-9,
};

/// (log(1 + f) - f) / f^2 on [-0.292894, 0.414215],
/// weighted error 8.04e-13.
inline constexpr double kLogPowF64[] = {
    -0x1.ffffffff6e4e3p-2, 0x1.55555554e0946p-2,  -0x1.0000009f9b5b9p-2,
    0x1.99999b5c4bbccp-3,  -0x1.5554f1d47624fp-3, 0x1.24917fc4e36f7p-3,
    -0x1.000d06482da71p-3, 0x1.c762468d74615p-4,  -0x1.980e51a60a307p-4,
    0x1.6eda354983197p-4,  -0x1.5dac51dc5f9b3p-4, 0x1.6cc7f194a2805p-4,
    -0x1.3bf8a1ced38c2p-4, 0x1.0dfc47b923dd4p-5,
};

/// (log(1 + f) - f) / f^2 on [-0.292894, 0.414215],
/// weighted error 4.13e-9.
inline constexpr float kLogF32[] = {
    -0x1.fffff80000000p-2f, 0x1.5555500000000p-2f,  -0x1.0004300000000p-2f,
    0x1.99a48c0000000p-3f,  -0x1.5425ea0000000p-3f, 0x1.22640e0000000p-3f,
    -0x1.0f36020000000p-3f, 0x1.08a4ba0000000p-3f,  -0x1.3924c20000000p-4f,
};

/// (sin(x) / x - 1) / z, z = x^2 on [0.0, 0.617467],
/// weighted error 3.61e-9.
inline constexpr float kSinF32[] = {
    -0x1.5555460000000p-3f,
    0x1.11075c0000000p-7f,
    -0x1.994cfa0000000p-13f,
};

/// (cos(x) - 1 + z / 2) / z^2, z = x^2 on [0.0, 0.617467],
/// weighted error 9.59e-11.
inline constexpr float kCosF32[] = {
    0x1.55554a0000000p-5f,
    -0x1.6c0c860000000p-10f,
    0x1.9a00cc0000000p-16f,
};

/// (sin(x) / x - 1) / z, z = x^2 on [0.0, 0.617467],
/// weighted error 4.91e-12.
inline constexpr double kSinF64[] = {
    -0x1.5555554cb2075p-3,
    0x1.111108907a1dfp-7,
    -0x1.a00f98e7dda79p-13,
    0x1.6cd73395f1237p-19,
};

/// (cos(x) - 1) / z, z = x^2 on [0.0, 0.617467],
/// weighted error 5.39e-11.
inline constexpr double kCosF64[] = {
    -0x1.ffffffd095e5ep-2,
    0x1.55553dfe9b233p-5,
    -0x1.6c087746b5086p-10,
    0x1.99326ffb7a49bp-16,
};

/// (asin(x) / x - 1) / z, z = x^2 on [0.0, 0.2501],
/// weighted error 2.83e-10.
inline constexpr double kAsinF64[] = {
    0x1.55554c3044dbep-3, 0x1.333891e5818b9p-4, 0x1.6cabb7321da76p-5,
    0x1.04aaf2f3f7482p-5, 0x1.d7a8a866e12e2p-7, 0x1.33d6e4c3f9bb3p-5,
};

/// (atan(x) / x - 1) / z, z = x^2 on [0.0, 1.0001],
/// weighted error 3.59e-10.
inline constexpr double kAtanF64[] = {
    -0x1.5555515f3407cp-2, 0x1.9997fcd6a1aaep-3,  -0x1.247500006e67ap-3,
    0x1.c506e3919c176p-4,  -0x1.69378ec42bc50p-4, 0x1.14dd4c6ed5096p-4,
    -0x1.702d7a15ca2c9p-5, 0x1.74dc9177f5c52p-6,  -0x1.e65c57aae9f93p-8,
    0x1.296cbd7b19293p-10,
};

/// 1 / (2 pi) modulo 2^-25k in two parts, for row k.
inline constexpr double kInverseTwoPi[][2] = {
    {0x1.45f306dc9c883p-3, -0x1.6b01ec5417056p-57},
    {0x1.6e4e441529fc2p-26, 0x1.d5f47d4d37703p-80},
    {0x1.529fc2757d1f5p-54, 0x1.a6ee06db14acdp-109},
    {0x1.3abe8fa9a6ee0p-77, 0x1.b6c52b3278872p-131},
    {0x1.a9a6ee06db14bp-101, -0x1.9b0ef1bef806cp-156},
};

} // namespace mlir::dlc::coefficients

#endif // DLC_LIB_TRANSFORMS_EXPANDMATH_COEFFICIENTS_H
