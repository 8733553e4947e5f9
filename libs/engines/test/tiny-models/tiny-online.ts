import { floats, lookUp, loudness, value } from './loudness.js';
import { onnxFile } from './onnx-file.js';
import { tokensFile, type ModelFiles } from './tiny-transducers.js';

const TOKENS = ['<blk>', '<sos/eos>', '<unk>', '▁HEL', 'LO', '▁WORLD'];
/** Blank is 0. What follows each token: `HEL` + `LO`, then ` WORLD`, and again from the start. */
const NEXT = [3, 3, 3, 4, 5, 3];
/** Frames of 10 ms that the encoder gets, and by which the next step is further. */
const CHUNK = 19;
const SHIFT = 16;

/**
 * A streaming transducer, as icefall's Conformers are exported for sherpa-onnx: steps of 160 ms, frames of 40 ms. While it is loud it
 * says `HELLO WORLD` again and again, a token each 40 ms.
 */
export function tinyStreamingTransducer(): ModelFiles {
  const size = TOKENS.length;
  const encoder = loudness({ from: 'features', to: 'encoder_out', stride: 4 });
  const state = (name: string, length: number) => value(name, 'float', [1, length, 'N', 1]);
  const silence = TOKENS.map((_, id) => (id === 0 ? 30 : 0));
  return {
    'encoder-epoch-1-avg-1.int8.onnx': onnxFile({
      inputs: [value('x', 'float', ['N', CHUNK, 80]), state('attention', 2), state('convolution', 1), value('processed', 'int64', ['N'])],
      outputs: [value('encoder_out', 'float', ['N', SHIFT / 4, 1]), state('next_attention', 2), state('next_convolution', 1)],
      nodes: [
        { op: 'Slice', inputs: ['x', 'from', 'to', 'axis'], outputs: ['current'] },
        { op: 'Transpose', inputs: ['current'], outputs: ['features'], attributes: { perm: [0, 2, 1] } },
        ...encoder.nodes,
        { op: 'Identity', inputs: ['attention'], outputs: ['next_attention'] },
        { op: 'Identity', inputs: ['convolution'], outputs: ['next_convolution'] },
      ],
      constants: { ...encoder.constants, from: { type: 'int64', shape: [1], values: [0] }, to: { type: 'int64', shape: [1], values: [SHIFT] }, axis: { type: 'int64', shape: [1], values: [1] } },
      metadata: { model_type: 'conformer', num_encoder_layers: 1, T: CHUNK, decode_chunk_len: SHIFT, left_context: 2, encoder_dim: 1, pad_length: CHUNK - SHIFT, cnn_module_kernel: 2 },
    }),
    'decoder-epoch-1-avg-1.onnx': onnxFile({
      inputs: [value('y', 'int64', ['N', 1])],
      outputs: [value('decoder_out', 'float', ['N', size])],
      nodes: [lookUp('y', 'table', 'rows'), { op: 'Squeeze', inputs: ['rows', 'one'], outputs: ['decoder_out'] }],
      constants: { table: floats(NEXT.flatMap((next) => TOKENS.map((_, id) => (id === next ? 10 : 0))), [size, size]), one: { type: 'int64', shape: [1], values: [1] } },
      metadata: { vocab_size: size, context_size: 1 },
    }),
    'joiner-epoch-1-avg-1.int8.onnx': onnxFile({
      inputs: [value('encoder_out', 'float', ['N', 1]), value('decoder_out', 'float', ['N', size])],
      outputs: [value('logit', 'float', ['N', size])],
      nodes: [
        { op: 'Sub', inputs: ['one', 'encoder_out'], outputs: ['hush'] },
        { op: 'Mul', inputs: ['hush', 'silence'], outputs: ['blank'] },
        { op: 'Add', inputs: ['decoder_out', 'blank'], outputs: ['logit'] },
      ],
      constants: { one: floats([1]), silence: floats(silence, [1, size]) },
      metadata: { joiner_dim: 1 },
    }),
    'tokens.txt': tokensFile(TOKENS),
  };
}

/** Its blank is the last one, as with NeMo's. */
const CTC_TOKENS = ['▁YES', '<blk>'];

/**
 * A streaming CTC model, as NeMo's are exported for sherpa-onnx: steps of 160 ms, frames of 40 ms. It says `YES` in every second frame
 * of a step while it is loud.
 */
export function tinyStreamingCtc(): ModelFiles {
  const encoder = loudness({ from: 'audio_signal', to: 'loud1', stride: 4 });
  const state = (name: string) => value(name, 'float', ['N', 1, 1, 1]);
  const frames = SHIFT / 4;
  // By the frame: what outweighs the blank while it is loud.
  const said = Array.from({ length: frames }, (_, frame) => (frame % 2 === 0 ? [20, 0] : [0, 20])).flat();
  return {
    'model.onnx': onnxFile({
      inputs: [value('audio_signal', 'float', ['N', 80, SHIFT]), value('length', 'int64', ['N']), state('channel'), state('time'), value('channel_length', 'int64', ['N'])],
      outputs: [value('logprobs', 'float', ['N', frames, 2]), value('encoded_lengths', 'int64', ['N']), state('next_channel'), state('next_time'), value('next_channel_length', 'int64', ['N'])],
      nodes: [
        ...encoder.nodes,
        { op: 'Mul', inputs: ['loud1', 'said'], outputs: ['loudly'] },
        { op: 'Add', inputs: ['loudly', 'blank'], outputs: ['logprobs'] },
        { op: 'Identity', inputs: ['length'], outputs: ['encoded_lengths'] },
        { op: 'Identity', inputs: ['channel'], outputs: ['next_channel'] },
        { op: 'Identity', inputs: ['time'], outputs: ['next_time'] },
        { op: 'Identity', inputs: ['channel_length'], outputs: ['next_channel_length'] },
      ],
      constants: { ...encoder.constants, said: floats(said, [1, frames, 2]), blank: floats([0, 10], [1, 1, 2]) },
      metadata: {
        window_size: SHIFT,
        chunk_shift: SHIFT,
        subsampling_factor: 4,
        vocab_size: CTC_TOKENS.length - 1,
        cache_last_channel_dim1: 1,
        cache_last_channel_dim2: 1,
        cache_last_channel_dim3: 1,
        cache_last_time_dim1: 1,
        cache_last_time_dim2: 1,
        cache_last_time_dim3: 1,
      },
    }),
    'tokens.txt': tokensFile(CTC_TOKENS),
  };
}
