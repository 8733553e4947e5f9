import { floats, value } from './loudness.js';
import { onnxFile } from './onnx-file.js';

const WINDOW = 160_000;
/** Samples that a frame looks at and by which frames are apart, as with the real model. */
const FIELD = 991;
const SHIFT = 270;
/** Nobody, three people, three pairs of them. */
const CLASSES = 7;

/** Like pyannote's segmentation: within ten seconds it hears nobody, somebody with a low voice (below about 750 Hz), or somebody with a high one. */
export function tinySegmentation(): Uint8Array {
  const pool = { kernel_shape: [FIELD], strides: [SHIFT] };
  const only = (index: number) => Array.from({ length: CLASSES }, (_, at) => (at === index ? 10 : 0));
  return onnxFile({
    inputs: [value('x', 'float', ['N', 1, 'T'])],
    outputs: [value('y', 'float', ['N', 'F', CLASSES])],
    nodes: [
      { op: 'Abs', inputs: ['x'], outputs: ['level'] },
      { op: 'AveragePool', inputs: ['level'], outputs: ['levels'], attributes: pool },
      // A high voice changes more from sample to sample.
      { op: 'Conv', inputs: ['x', 'difference'], outputs: ['change'], attributes: { pads: [1, 0] } },
      { op: 'Abs', inputs: ['change'], outputs: ['changed'] },
      { op: 'AveragePool', inputs: ['changed'], outputs: ['changes'], attributes: pool },
      { op: 'Greater', inputs: ['levels', 'quiet'], outputs: ['isSpeech'] },
      { op: 'Mul', inputs: ['levels', 'share'], outputs: ['limit'] },
      { op: 'Greater', inputs: ['changes', 'limit'], outputs: ['isHigh'] },
      { op: 'Cast', inputs: ['isSpeech'], outputs: ['speech'], attributes: { to: 1 } },
      { op: 'Cast', inputs: ['isHigh'], outputs: ['sharp'], attributes: { to: 1 } },
      { op: 'Mul', inputs: ['speech', 'sharp'], outputs: ['high'] },
      { op: 'Sub', inputs: ['speech', 'high'], outputs: ['low'] },
      { op: 'Sub', inputs: ['one', 'speech'], outputs: ['nobody'] },
      { op: 'Concat', inputs: ['nobody', 'low', 'high'], outputs: ['who'], attributes: { axis: 1 } },
      { op: 'Transpose', inputs: ['who'], outputs: ['frames'], attributes: { perm: [0, 2, 1] } },
      { op: 'MatMul', inputs: ['frames', 'classes'], outputs: ['y'] },
    ],
    constants: {
      difference: floats([-1, 1], [1, 1, 2]),
      quiet: floats([0.01]),
      share: floats([0.3]),
      one: floats([1]),
      classes: floats([only(0), only(1), only(2)].flat(), [3, CLASSES]),
    },
    metadata: {
      sample_rate: 16_000,
      window_size: WINDOW,
      receptive_field_size: FIELD,
      receptive_field_shift: SHIFT,
      num_speakers: 3,
      powerset_max_classes: 2,
      num_classes: CLASSES,
    },
  });
}

/** Like an extractor of voice embeddings: how loud each of 80 bands is on average, above the mean of all. */
export function tinyEmbedding(): Uint8Array {
  return onnxFile({
    inputs: [value('x', 'float', ['N', 'T', 80])],
    outputs: [value('embedding', 'float', ['N', 80])],
    nodes: [
      { op: 'ReduceMean', inputs: ['x'], outputs: ['bands'], attributes: { axes: [1], keepdims: 0 } },
      { op: 'ReduceMean', inputs: ['bands'], outputs: ['mean'], attributes: { axes: [1], keepdims: 1 } },
      { op: 'Sub', inputs: ['bands', 'mean'], outputs: ['above'] },
      { op: 'Relu', inputs: ['above'], outputs: ['peaks'] },
      { op: 'Mul', inputs: ['peaks', 'peaks'], outputs: ['embedding'] },
    ],
    metadata: { framework: '3d-speaker', output_dim: 80, sample_rate: 16_000, normalize_samples: 1, language: 'any', feature_normalize_type: '' },
  });
}
