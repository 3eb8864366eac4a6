//===- Precompiled.cpp - Owner of the precompiled header ------------------===//
//
// Empty on purpose: the target exists so that all others can reuse its
// precompiled header.
//
//===----------------------------------------------------------------------===//
