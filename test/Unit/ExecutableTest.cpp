//===- ExecutableTest.cpp - dlc::Executable -------------------------------===//
//
// The contract of Executable.h: metadata, strides, ownership, threads.
//
//===----------------------------------------------------------------------===//

#include "DLC/Execution/Executable.h"
#include "DLC/InitAll.h"
#include "DLC/Runtime/Runtime.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <thread>

using namespace mlir;
using namespace mlir::dlc;

static constexpr char kProgram[] = R"mlir(
  func.func @twice(%x: tensor<?x3xf32> {dlc.name = "x", dlc.dims = ["N", ""]})
      -> (tensor<?x3xf32> {dlc.name = "y"}, tensor<?x3xf32>) {
    %y = dlc.add %x, %x : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    return %y, %x : tensor<?x3xf32>, tensor<?x3xf32>
  }
  func.func @fill(%m: memref<2x3xf32>, %s: f32) {
    linalg.fill ins(%s : f32) outs(%m : memref<2x3xf32>)
    return
  }
)mlir";

namespace {
class ExecutableTest : public ::testing::Test {
protected:
  ExecutableTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    registerAllExtensions(registry);
    registerAllDLC(registry);
    context.appendDialectRegistry(registry);
  }

  std::unique_ptr<Executable> compile(StringRef program = kProgram,
                                      const CompileOptions &options = {}) {
    auto module = parseSourceString<ModuleOp>(program, &context);
    auto executable = Executable::compile(std::move(module), options);
    return succeeded(executable) ? std::move(*executable) : nullptr;
  }

  MLIRContext context;
};
} // namespace

static std::vector<float> getValues(const Tensor &tensor) {
  auto *data = static_cast<const float *>(tensor.data);
  return std::vector<float>(data, data + tensor.getNumElements());
}

TEST_F(ExecutableTest, DescribesEntries) {
  auto executable = compile();
  ASSERT_TRUE(executable);
  const EntryInfo *entry = executable->lookupEntry("twice");
  ASSERT_TRUE(entry);
  ASSERT_EQ(entry->inputs.size(), 1u);
  EXPECT_EQ(entry->inputs[0].name, "x");
  EXPECT_EQ(entry->inputs[0].dims, (std::vector<std::string>{"N", ""}));
  EXPECT_TRUE(ShapedType::isDynamic(entry->inputs[0].shape[0]));
  EXPECT_EQ(entry->outputs[0].name, "y");
  EXPECT_EQ(entry->outputs[1].name, "result1");
  EXPECT_FALSE(executable->lookupEntry("nothing"));
  EXPECT_FALSE(executable->lookupEntry("")); // there are two
}

TEST_F(ExecutableTest, OutputsOutliveEverything) {
  std::vector<Tensor> outputs;
  float data[] = {1, 2, 3, 4, 5, 6};
  {
    auto executable = compile();
    ASSERT_TRUE(executable);
    TensorView view{data, DType::F32, {2, 3}, {}};
    ASSERT_FALSE(
        executable->run(*executable->lookupEntry("twice"), view, outputs));
  }
  EXPECT_EQ(getValues(outputs[0]), (std::vector<float>{2, 4, 6, 8, 10, 12}));
  // The second result is the input, hence a copy.
  EXPECT_NE(outputs[1].data, data);
  EXPECT_EQ(getValues(outputs[1]), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST_F(ExecutableTest, TakesStridedInputs) {
  auto executable = compile();
  ASSERT_TRUE(executable);
  float data[] = {1, 4, 2, 5, 3, 6};
  std::vector<Tensor> outputs;
  TensorView transposed{data, DType::F32, {2, 3}, {1, 2}};
  ASSERT_FALSE(
      executable->run(*executable->lookupEntry("twice"), transposed, outputs));
  EXPECT_EQ(getValues(outputs[0]), (std::vector<float>{2, 4, 6, 8, 10, 12}));
  TensorView reversed{data + 5, DType::F32, {2, 3}, {-3, -1}};
  ASSERT_FALSE(
      executable->run(*executable->lookupEntry("twice"), reversed, outputs));
  EXPECT_EQ(getValues(outputs[0]), (std::vector<float>{12, 6, 10, 4, 8, 2}));
  TensorView wrong{data, DType::F32, {2, 3}, {1}};
  auto error =
      executable->run(*executable->lookupEntry("twice"), wrong, outputs);
  EXPECT_EQ(llvm::toString(std::move(error)),
            "input 'x' expected 2 strides, one per dimension, but got 1");
}

TEST_F(ExecutableTest, WritesStridedMemRefs) {
  auto executable = compile();
  ASSERT_TRUE(executable);
  std::vector<float> data(12, 0);
  float value = 7;
  std::vector<Tensor> outputs;
  TensorView views[] = {{data.data(), DType::F32, {2, 3}, {6, 2}},
                        {&value, DType::F32, {}, {}}};
  ASSERT_FALSE(
      executable->run(*executable->lookupEntry("fill"), views, outputs));
  EXPECT_EQ(data, (std::vector<float>{7, 0, 7, 0, 7, 0, 7, 0, 7, 0, 7, 0}));
}

TEST_F(ExecutableTest, TakesEmptyInputs) {
  auto executable = compile();
  ASSERT_TRUE(executable);
  std::vector<Tensor> outputs;
  TensorView empty{nullptr, DType::F32, {0, 3}, {}};
  ASSERT_FALSE(
      executable->run(*executable->lookupEntry("twice"), empty, outputs));
  EXPECT_EQ(outputs[0].shape, (SmallVector<int64_t, 6>{0, 3}));
}

TEST_F(ExecutableTest, RefusesWrongInputs) {
  auto executable = compile();
  ASSERT_TRUE(executable);
  const EntryInfo &entry = *executable->lookupEntry("twice");
  float data[6];
  std::vector<Tensor> outputs;
  auto getError = [&](ArrayRef<TensorView> views) {
    return llvm::toString(executable->run(entry, views, outputs));
  };
  EXPECT_EQ(getError({}), "'twice' expected 1 inputs, but got 0");
  EXPECT_EQ(getError(TensorView{nullptr, DType::F32, {2, 3}, {}}),
            "input 'x' expected data, but got a null pointer");
  EXPECT_EQ(getError(TensorView{data, DType::F32, {-1, 3}, {}}),
            "input 'x' expected size 0 or more in dimension 0 (shape ?x3), but "
            "got -1 (shape -1x3)");
  EXPECT_EQ(getError(TensorView{data, DType::F32, {INT64_MAX, 3}, {}}),
            "input 'x' expected a size that fits in 64 bits, but got shape "
            "9223372036854775807x3");
  SmallVector<int64_t, 6> many(20, 1);
  EXPECT_EQ(getError(TensorView{data, DType::F32, many, {}}),
            "input 'x' expected rank 2 (shape ?x3), but got rank 20 (shape "
            "unknown)");
  EXPECT_TRUE(outputs.empty());
}

TEST_F(ExecutableTest, RunsInSeveralThreads) {
  auto executable = compile();
  ASSERT_TRUE(executable);
  const EntryInfo &entry = *executable->lookupEntry("twice");
  std::vector<int> wrong(6, 0);
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&, t] {
      std::vector<float> data(3 * (100 + t), float(t));
      std::vector<float> want(data.size(), 2.0f * t);
      TensorView view{data.data(), DType::F32, {100 + t, 3}, {}};
      for (int i = 0; i < 200; ++i) {
        std::vector<Tensor> outputs;
        if (auto error = executable->run(entry, view, outputs, 1 + t % 2)) {
          llvm::consumeError(std::move(error));
          ++wrong[t];
          continue;
        }
        wrong[t] += getValues(outputs[0]) != want;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, std::vector<int>(6, 0));
}

TEST_F(ExecutableTest, LeaksNothing) {
  auto executable = compile();
  ASSERT_TRUE(executable);
  float data[6] = {};
  TensorView view{data, DType::F32, {2, 3}, {}};
  int64_t cached, before, after;
  dlc_rt_memory(&cached, &before);
  for (int i = 0; i < 100; ++i) {
    std::vector<Tensor> outputs;
    ASSERT_FALSE(
        executable->run(*executable->lookupEntry("twice"), view, outputs));
  }
  dlc_rt_memory(&cached, &after);
  EXPECT_EQ(before, after);
}

TEST_F(ExecutableTest, ReportsWhatItCannotCompile) {
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message += diagnostic.str();
    return success();
  });
  EXPECT_FALSE(compile("func.func @f(%x: tensor<*xf32>) { return }"));
  EXPECT_NE(message.find("'f' expected argument #0 to be a tensor"),
            std::string::npos)
      << message;
  message.clear();
  CompileOptions options;
  options.cpu = "no-such-cpu";
  EXPECT_FALSE(compile(kProgram, options));
  EXPECT_NE(message.find("but got 'no-such-cpu'"), std::string::npos);
}

TEST_F(ExecutableTest, CompilesForOlderProcessors) {
  for (const char *cpu : {"generic", "x86-64-v2"}) {
    CompileOptions options;
    options.cpu = cpu;
    auto executable = compile(kProgram, options);
    ASSERT_TRUE(executable);
    float data[3] = {1, 2, 3};
    std::vector<Tensor> outputs;
    TensorView view{data, DType::F32, {1, 3}, {}};
    ASSERT_FALSE(
        executable->run(*executable->lookupEntry("twice"), view, outputs));
    EXPECT_EQ(getValues(outputs[0]), (std::vector<float>{2, 4, 6}));
  }
}
