"""Reads a line of text with the PP-OCR recogniser compiled by DLC, and compares with ONNX Runtime.

The line is rendered to an image here, so that the right answer is known. Prints the text, the times and
the largest difference; exits with 1 if the text or the numbers are wrong.
"""

import argparse
import pathlib
import sys
import time

import numpy as np
import onnxruntime
from PIL import Image, ImageDraw, ImageFont

import dlc.onnx

MODEL = "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx"
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
HEIGHT = 48  # what the model was trained on
TOLERANCE = 1e-4  # of probabilities


def render(text: str) -> np.ndarray:
    """An image [3, HEIGHT, width] of `text` in the model's number range, [-1, 1]."""
    font = ImageFont.truetype(FONT, 30)
    width = int(font.getlength(text)) + 24
    image = Image.new("RGB", (width, HEIGHT), "white")
    ImageDraw.Draw(image).text((12, 6), text, font=font, fill="black")
    pixels = np.asarray(image, np.float32).transpose(2, 0, 1)
    return (pixels / 255.0 - 0.5) / 0.5


def decode(probabilities: np.ndarray, characters: list[str]) -> str:
    """Greedy CTC decoding of [time, class]: repeats are one character, class 0 is none."""
    text, previous = [], 0
    for best in probabilities.argmax(axis=1):
        if best != 0 and best != previous:
            text.append(characters[best - 1])
        previous = best
    return "".join(text)


def best_of(function, rounds: int) -> float:
    """The shortest of `rounds` runs in milliseconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def session(path: str, threads: int, optimized: bool) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    level = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = level.ORT_ENABLE_ALL if optimized else level.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=pathlib.Path, required=True, help="folder of scripts/models.py")
    parser.add_argument("--text", default="DLC reads 3 lines of text, 99.5% right")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()

    path = str(arguments.models / MODEL)
    image = render(arguments.text)[None]
    start = time.perf_counter()
    model = dlc.onnx.load(path)
    executable = model.compile(target="cpu", threads=arguments.threads)
    compile_seconds = time.perf_counter() - start
    (probabilities,) = executable(image)

    reference = session(path, arguments.threads, optimized=False)
    (expected,) = reference.run(None, {reference.get_inputs()[0].name: image})
    difference = float(np.abs(probabilities - expected).max())
    characters = reference.get_modelmeta().custom_metadata_map["character"].split("\n") + [" "]
    text = decode(probabilities[0], characters)

    tuned = session(path, arguments.threads, optimized=True)
    name = tuned.get_inputs()[0].name
    print(f"rendered             {arguments.text!r} as {image.shape[3]} x {HEIGHT} pixels")
    print(f"read                 {text!r}")
    print(f"largest difference   {difference:.2e} from ONNX Runtime without optimisations")
    print(f"compiled in          {compile_seconds:.2f} s")
    print(f"DLC                  {best_of(lambda: executable(image), 20):.2f} ms, {arguments.threads} threads")
    print(f"ONNX Runtime         {best_of(lambda: tuned.run(None, {name: image}), 20):.2f} ms, optimised")
    if text != decode(expected[0], characters) or difference > TOLERANCE:
        print("error: DLC and ONNX Runtime disagree", file=sys.stderr)
        return 1
    if text.replace(" ", "") != arguments.text.replace(" ", ""):
        print("error: the text that was read is not the text that was rendered", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
