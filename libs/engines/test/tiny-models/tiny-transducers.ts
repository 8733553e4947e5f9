import { floats, integers, lookUp, loudness, value } from './loudness.js';
import { onnxFile } from './onnx-file.js';

/** Files of a model by name. */
export type ModelFiles = Readonly<Record<string, Uint8Array | string>>;

export const tokensFile = (tokens: readonly string[]): string => tokens.map((token, id) => `${token} ${id}\n`).join('');

/** What follows each token: `hel` + `lo`, then ` world`, and again from the start. */
const PARAKEET_TOKENS = ['▁hel', 'lo', '▁world', '<unk>', '<blk>'];
const NEXT = [1, 2, 0, 0, 0];
const DURATIONS = 5;
/** Frames of 80 ms that each token lasts. */
const LASTS = [2, 2, 4, 1, 1];

/**
 * A transducer with durations (TDT), as NeMo's Parakeet is exported for sherpa-onnx: 80 features, frames of 80 ms. While
 * it is loud it says `hello world` again and again, `hel` and `lo` of 160 ms each and `world` of 320 ms.
 */
export function tinyParakeet(): ModelFiles {
  const vocabulary = PARAKEET_TOKENS.length;
  const outputs = vocabulary + DURATIONS;
  const encoder = loudness({ from: 'audio_signal', to: 'loud1', stride: 8 });
  const afterEach = NEXT.flatMap((next) => [
    ...PARAKEET_TOKENS.map((_, id) => (id === next ? 10 : 0)),
    ...Array.from({ length: DURATIONS }, (_, frames) => (frames === LASTS[next] ? 10 : 0)),
  ]);
  // In silence the blank, for one frame, outweighs whatever would come next.
  const silence = [...PARAKEET_TOKENS.map((_, id) => (id === vocabulary - 1 ? 30 : 0)), ...Array.from({ length: DURATIONS }, (_, frames) => (frames === 1 ? 30 : 0))];
  return {
    'encoder.int8.onnx': onnxFile({
      inputs: [value('audio_signal', 'float', [1, 80, 'T']), value('length', 'int64', [1])],
      outputs: [value('outputs', 'float', [1, 1, 'U']), value('encoded_lengths', 'int64', [1])],
      nodes: [
        ...encoder.nodes,
        { op: 'Transpose', inputs: ['loud1'], outputs: ['outputs'], attributes: { perm: [0, 2, 1] } },
        { op: 'Shape', inputs: ['outputs'], outputs: ['shape'] },
        { op: 'Gather', inputs: ['shape', 'two'], outputs: ['encoded_lengths'], attributes: { axis: 0 } },
      ],
      constants: { ...encoder.constants, two: integers([2]) },
      metadata: {
        model_type: 'EncDecRNNTBPEModel',
        vocab_size: vocabulary - 1,
        subsampling_factor: 8,
        normalize_type: 'NA',
        pred_rnn_layers: 1,
        pred_hidden: 1,
        feat_dim: 80,
        url: 'a tiny tdt model',
      },
    }),
    'decoder.int8.onnx': onnxFile({
      inputs: [value('targets', 'int32', [1, 1]), value('target_length', 'int32', [1]), value('h', 'float', [1, 1, 1]), value('c', 'float', [1, 1, 1])],
      outputs: [value('outputs', 'float', [1, outputs, 1]), value('prednet_lengths', 'int32', [1]), value('h2', 'float', [1, 1, 1]), value('c2', 'float', [1, 1, 1])],
      nodes: [
        lookUp('targets', 'table', 'rows'),
        { op: 'Transpose', inputs: ['rows'], outputs: ['outputs'], attributes: { perm: [0, 2, 1] } },
        { op: 'Identity', inputs: ['target_length'], outputs: ['prednet_lengths'] },
        { op: 'Identity', inputs: ['h'], outputs: ['h2'] },
        { op: 'Identity', inputs: ['c'], outputs: ['c2'] },
      ],
      constants: { table: floats(afterEach, [vocabulary, outputs]) },
    }),
    'joiner.int8.onnx': onnxFile({
      inputs: [value('encoder_outputs', 'float', [1, 1, 1]), value('decoder_outputs', 'float', [1, outputs, 1])],
      outputs: [value('logits', 'float', [1, 1, 1, outputs])],
      nodes: [
        { op: 'Sub', inputs: ['one', 'encoder_outputs'], outputs: ['quiet'] },
        { op: 'Mul', inputs: ['quiet', 'silence'], outputs: ['blank'] },
        { op: 'Add', inputs: ['decoder_outputs', 'blank'], outputs: ['sum'] },
        { op: 'Reshape', inputs: ['sum', 'shape'], outputs: ['logits'] },
      ],
      constants: { one: floats([1]), silence: floats(silence, [1, outputs, 1]), shape: integers([1, 1, 1, outputs]) },
    }),
    'tokens.txt': tokensFile(PARAKEET_TOKENS),
  };
}

/** Blank is 0 with icefall's models. */
const ZIPFORMER_TOKENS = ['<blk>', '<sos/eos>', '<unk>', '▁YES', '▁NO'];

/**
 * A stateless transducer, as icefall's Zipformers are exported for sherpa-onnx: frames of 40 ms. It says `YES` when it
 * becomes loud and `NO` when it becomes quiet again.
 */
export function tinyZipformer(): ModelFiles {
  const size = ZIPFORMER_TOKENS.length;
  const encoder = loudness({ from: 'features', to: 'encoder_out', stride: 4 });
  const row = (...ids: number[]) => ZIPFORMER_TOKENS.map((_, id) => (ids.includes(id) ? 10 : 0));
  // By the token before: what to say while it is loud, and what while it is quiet.
  const loud = ZIPFORMER_TOKENS.map((_, before) => (before === 3 ? row(0) : row(3)));
  const quiet = ZIPFORMER_TOKENS.map((_, before) => (before === 3 ? row(4) : row(0)));
  return {
    'encoder-epoch-1-avg-1.int8.onnx': onnxFile({
      inputs: [value('x', 'float', ['N', 'T', 80]), value('x_lens', 'int64', ['N'])],
      outputs: [value('encoder_out', 'float', ['N', 'U', 1]), value('encoder_out_lens', 'int64', ['N'])],
      nodes: [
        { op: 'Transpose', inputs: ['x'], outputs: ['features'], attributes: { perm: [0, 2, 1] } },
        ...encoder.nodes,
        { op: 'Shape', inputs: ['encoder_out'], outputs: ['shape'] },
        { op: 'Gather', inputs: ['shape', 'one'], outputs: ['encoder_out_lens'], attributes: { axis: 0 } },
      ],
      constants: { ...encoder.constants, one: integers([1]) },
      metadata: { model_type: 'zipformer2' },
    }),
    'decoder-epoch-1-avg-1.onnx': onnxFile({
      inputs: [value('y', 'int64', ['N', 1])],
      outputs: [value('decoder_out', 'float', ['N', 2 * size])],
      nodes: [lookUp('y', 'table', 'rows'), { op: 'Squeeze', inputs: ['rows', 'one'], outputs: ['decoder_out'] }],
      constants: { table: floats(loud.flatMap((row, before) => [...row, ...(quiet[before] ?? [])]), [size, 2 * size]), one: integers([1]) },
      metadata: { vocab_size: size, context_size: 1 },
    }),
    'joiner-epoch-1-avg-1.int8.onnx': onnxFile({
      inputs: [value('encoder_out', 'float', ['N', 1]), value('decoder_out', 'float', ['N', 2 * size])],
      outputs: [value('logit', 'float', ['N', size])],
      nodes: [
        { op: 'Split', inputs: ['decoder_out', 'halves'], outputs: ['loud', 'quiet'], attributes: { axis: 1 } },
        { op: 'Sub', inputs: ['one', 'encoder_out'], outputs: ['hush'] },
        { op: 'Mul', inputs: ['encoder_out', 'loud'], outputs: ['whileLoud'] },
        { op: 'Mul', inputs: ['hush', 'quiet'], outputs: ['whileQuiet'] },
        { op: 'Add', inputs: ['whileLoud', 'whileQuiet'], outputs: ['logit'] },
      ],
      constants: { one: floats([1]), halves: integers([size, size]) },
      metadata: { joiner_dim: 1 },
    }),
    'tokens.txt': tokensFile(ZIPFORMER_TOKENS),
  };
}
