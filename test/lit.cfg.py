"""lit configuration: tools from this build first, then the packaged LLVM's."""

import os

import lit.formats
from lit.llvm import llvm_config

config.name = "DLC"
config.test_format = lit.formats.ShTest(not llvm_config.use_lit_shell)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "Unit"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.dlc_binary_dir, "test")

config.substitutions.append(
    ("%dlc_plugin", os.path.join(config.dlc_binary_dir, "lib", "DLCPlugin.so"))
)
config.substitutions.append(("%dlc_source", config.dlc_source_dir))
config.substitutions.append(("%llvm_lib_dir", os.path.join(config.llvm_tools_dir, "..", "lib")))
config.substitutions.append(("%dlc_lib_dir", os.path.join(config.dlc_binary_dir, "lib")))

config.substitutions.append(
    ("%dlc_examples", os.path.join(config.dlc_source_dir, "examples"))
)
config.substitutions.append(("%libomp_dir", config.dlc_libomp_dir))
config.substitutions.append(("%c_compiler", config.dlc_c_compiler))
config.substitutions.append(("%qemu", config.dlc_qemu))
if config.dlc_qemu and not config.dlc_qemu.endswith("NOTFOUND"):
    config.available_features.add("qemu")

dlc_tools = os.path.join(config.dlc_binary_dir, "bin")
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
llvm_config.add_tool_substitutions(
    ["dlc-lsp-server", "dlc-opt", "dlc-reduce", "dlc-run", "dlc-translate"], [dlc_tools]
)
llvm_config.add_tool_substitutions(
    ["FileCheck", "count", "not", "mlir-opt", "mlir-translate"], [config.llvm_tools_dir]
)
