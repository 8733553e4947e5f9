#!/usr/bin/env python3
"""Makes libs/engines/models/silero_vad_v6_batched.onnx of silero_vad_v6.onnx: the same weights and the same arithmetic, for many windows and streams in one run.

The original convolves each window of a batch by itself: its matrices have the four frames of a window as columns, with which ONNX
Runtime reaches a third of a core's speed. Here all frames of a batch are the rows of one matrix, and each convolution is one
product; only the recurrent layer takes the windows of a stream one after the other. Of the original, this is the part for 16 kHz.
Input: `input` [windows, streams, 576], successive windows of each stream, the 64 samples before a window and its 512; `state`
[2, streams, 128]. Output: `output` [windows, streams], the probabilities of speech; `stateN`, the state after the last window.

    python3 -m venv venv && venv/bin/pip install onnx==1.23.2
    venv/bin/python scripts/batch-silero.py libs/engines/test/models/silero_vad_v6.onnx libs/engines/models/silero_vad_v6_batched.onnx
"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

CONTEXT, WINDOW = 64, 512
# Samples between two frames of the short-time Fourier transform; a frame has two of them, and the end of a window is mirrored for half of one.
HOP = 128
FRAMES = 4
STATE = 128


def weights_of(path: str) -> dict[str, np.ndarray]:
    """The weights of the 16 kHz part, by the ends of their names."""
    switch = next(node for node in onnx.load(path).graph.node if node.op_type == 'If')
    branch = next(attribute.g for attribute in switch.attribute if attribute.name == 'then_branch')
    constants = {node.output[0]: node.attribute[0].t for node in branch.node if node.op_type == 'Constant'}
    return {name.split('__')[-1]: numpy_helper.to_array(tensor) for name, tensor in constants.items()}


class Graph:
    """Nodes with one output each, named after their number."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, value: np.ndarray) -> str:
        name = f'constant_{len(self.constants)}'
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def add(self, op: str, *inputs: str, **attributes: object) -> str:
        name = f'{op.lower()}_{len(self.nodes)}'
        self.nodes.append(helper.make_node(op, list(inputs), [name], **attributes))
        return name

    def integers(self, *values: int) -> str:
        return self.constant(np.array(values, dtype=np.int64))

    def shape(self, value: str, *dimensions: int) -> str:
        return self.add('Reshape', value, self.integers(*dimensions))

    def slice(self, value: str, start: int, end: int, axis: int, step: int = 1) -> str:
        return self.add('Slice', value, self.integers(start), self.integers(end), self.integers(axis), self.integers(step))

    def product(self, rows: str, matrix: np.ndarray, bias: np.ndarray) -> str:
        return self.add('Relu', self.add('Gemm', rows, self.constant(matrix), self.constant(bias)))


def windows_of(graph: Graph, frames: str, count: int, stride: int) -> str:
    """The neighbours of every `stride`-th frame beside each other: [streams, frames, channels] with a silent frame at both ends to rows for a kernel of 3."""
    padded = graph.add('Pad', frames, graph.integers(0, 1, 0, 0, 1, 0))
    taps = [graph.slice(padded, tap, tap + stride * (count - 1) + 1, 1, stride) for tap in range(3)]
    return graph.add('Concat', *taps, axis=2)


def convolution(graph: Graph, frames: str, weight: np.ndarray, bias: np.ndarray, stride: int, count: int) -> str:
    """@param weight [channels out, channels in, 3]. @param count frames of the result"""
    outputs, inputs, _ = weight.shape
    rows = graph.shape(windows_of(graph, frames, count, stride), -1, 3 * inputs)
    return graph.shape(graph.product(rows, weight.transpose(2, 1, 0).reshape(3 * inputs, outputs), bias), -1, count, outputs)


def magnitudes(graph: Graph, samples: str, basis: np.ndarray) -> str:
    """[streams, frames, frequencies] of the short-time Fourier transform."""
    mirrored = graph.slice(samples, -2, -2 - HOP // 2, 1, -1)
    hops = graph.shape(graph.add('Concat', samples, mirrored, axis=1), -1, FRAMES + 1, HOP)
    frames = graph.add('Concat', graph.slice(hops, 0, FRAMES, 1), graph.slice(hops, 1, FRAMES + 1, 1), axis=2)
    parts = graph.add('MatMul', graph.shape(frames, -1, 2 * HOP), graph.constant(basis[:, 0, :].T))
    bins = basis.shape[0] // 2
    squares = graph.add('Mul', parts, parts)
    power = graph.add('Add', graph.slice(squares, 0, bins, 1), graph.slice(squares, bins, 2 * bins, 1))
    return graph.shape(graph.add('Sqrt', power), -1, FRAMES, bins)


def gates(weight: np.ndarray) -> np.ndarray:
    """PyTorch has the gates as input, forget, cell, output; ONNX as input, output, forget, cell."""
    inputs, forget, cell, output = np.split(weight, 4)
    return np.concatenate([inputs, output, forget, cell])


def memory(graph: Graph, features: str, weights: dict[str, np.ndarray]) -> tuple[str, str]:
    """The outputs [windows, 1, streams, 128] and the last state of the recurrent layer. @param features a row of 128 for each window of each stream"""
    of = lambda name: gates(weights[f'decoder.rnn.{name}'])
    constants = [of('weight_ih')[None], of('weight_hh')[None], np.concatenate([of('bias_ih'), of('bias_hh')])[None]]
    hidden, cell = graph.slice('state', 0, 1, 0), graph.slice('state', 1, 2, 0)
    steps = graph.add('Reshape', features, graph.add('Concat', graph.integers(-1), streams_of(graph), graph.integers(STATE), axis=0))
    outputs = ['answers', 'hidden', 'cell']
    graph.nodes.append(helper.make_node('LSTM', [steps, *map(graph.constant, constants), '', hidden, cell], outputs, hidden_size=STATE))
    return 'answers', graph.add('Concat', 'hidden', 'cell', axis=0)


def streams_of(graph: Graph) -> str:
    """The number of streams, as a tensor of one dimension."""
    return graph.slice(graph.add('Shape', 'state'), 1, 2, 0)


def batched(weights: dict[str, np.ndarray]) -> onnx.ModelProto:
    graph = Graph()
    frames = magnitudes(graph, graph.shape('input', -1, CONTEXT + WINDOW), weights['stft.forward_basis_buffer'])
    for layer, (stride, count) in enumerate([(1, 4), (2, 2), (2, 1), (1, 1)]):
        weight, bias = (weights[f'encoder.{layer}.reparam_conv.{part}'] for part in ('weight', 'bias'))
        frames = convolution(graph, frames, weight, bias, stride, count)
    answers, state = memory(graph, frames, weights)
    heard = graph.shape(graph.add('Relu', answers), -1, STATE)
    answer = graph.add('Gemm', heard, graph.constant(weights['decoder.decoder.2.weight'][0]), graph.constant(weights['decoder.decoder.2.bias']))
    by_stream = graph.add('Reshape', graph.add('Sigmoid', answer), graph.add('Concat', graph.integers(-1), streams_of(graph), axis=0))
    graph.nodes += [helper.make_node('Identity', [by_stream], ['output']), helper.make_node('Identity', [state], ['stateN'])]
    value = lambda name, *shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    inputs = [value('input', 'windows', 'streams', CONTEXT + WINDOW), value('state', 2, 'streams', STATE)]
    outputs = [value('output', 'windows', 'streams'), value('stateN', 2, 'streams', STATE)]
    made = helper.make_graph(graph.nodes, 'silero_vad_v6_batched', inputs, outputs, graph.constants)
    return helper.make_model(made, opset_imports=[helper.make_opsetid('', 16)], ir_version=8)


if __name__ == '__main__':
    source, target = sys.argv[1:]
    model = batched(weights_of(source))
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, target)
