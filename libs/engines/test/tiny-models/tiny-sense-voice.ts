import { floats, integers, value } from './loudness.js';
import { onnxFile } from './onnx-file.js';
import type { ModelFiles } from './tiny-transducers.js';

const TOKENS = ['<unk>', '<|zh|>', '<|en|>', '<|NEUTRAL|>', '<|Speech|>', '<|withitn|>', '今', '天'];
const [BLANK, ZH, EN, NEUTRAL, SPEECH, ITN] = TOKENS.keys();
/** Frames of seven features, shifted by six, as with the real one: 60 ms. */
const WINDOW = 7;
const SHIFT = 6;
const FEATURES = 80 * WINDOW;

/**
 * SenseVoice's shape: a CTC model that first says language, mood, event and style, one frame each, then a character where
 * it is loud: `今` and `天` in turn, a frame each of every ten. The language asked for is the one it says.
 */
export function tinySenseVoice(): ModelFiles {
  const size = TOKENS.length;
  const row = (id: number | undefined) => TOKENS.map((_, at) => (at === id ? 10 : 0));
  // Which of the loud frames says which character, over and over: a table of ten rows.
  const cycle = [6, 0, 0, 0, 0, 7, 0, 0, 0, 0].flatMap(row);
  return {
    'model.int8.onnx': onnxFile({
      inputs: [value('x', 'float', [1, 'T', FEATURES]), value('x_length', 'int32', [1]), value('language', 'int32', [1]), value('text_norm', 'int32', [1])],
      outputs: [value('logits', 'float', [1, 'U', size])],
      nodes: [
        { op: 'ReduceMean', inputs: ['x'], outputs: ['mean'], attributes: { axes: [2], keepdims: 1 } },
        { op: 'Greater', inputs: ['mean', 'threshold'], outputs: ['isLoud'] },
        { op: 'Cast', inputs: ['isLoud'], outputs: ['loud'], attributes: { to: 1 } },
        // Which loud frame of the recording this is, modulo ten.
        { op: 'CumSum', inputs: ['loud', 'one'], outputs: ['count'] },
        { op: 'Cast', inputs: ['count'], outputs: ['whole'], attributes: { to: 7 } },
        { op: 'Mod', inputs: ['whole', 'ten'], outputs: ['turn'] },
        { op: 'Squeeze', inputs: ['turn', 'two'], outputs: ['turns'] },
        { op: 'Gather', inputs: ['cycle', 'turns'], outputs: ['said'], attributes: { axis: 0 } },
        { op: 'Mul', inputs: ['said', 'loud'], outputs: ['saidLoud'] },
        { op: 'Sub', inputs: ['oneFloat', 'loud'], outputs: ['quiet'] },
        { op: 'Mul', inputs: ['quiet', 'blank'], outputs: ['blanks'] },
        { op: 'Add', inputs: ['saidLoud', 'blanks'], outputs: ['frames'] },
        { op: 'Gather', inputs: ['languages', 'language'], outputs: ['first'], attributes: { axis: 0 } },
        { op: 'Unsqueeze', inputs: ['first', 'zero'], outputs: ['firstRow'] },
        { op: 'Concat', inputs: ['firstRow', 'head', 'frames'], outputs: ['logits'], attributes: { axis: 1 } },
      ],
      constants: {
        threshold: floats([-10]),
        one: integers([1], []),
        ten: integers([10]),
        two: integers([2]),
        zero: integers([0]),
        oneFloat: floats([1]),
        cycle: floats(cycle, [10, size]),
        blank: floats(row(BLANK), [1, 1, size]),
        // auto, zh, en
        languages: floats([row(ZH), row(ZH), row(EN)].flat(), [3, size]),
        head: floats([row(NEUTRAL), row(SPEECH), row(ITN)].flat(), [1, 3, size]),
      },
      metadata: {
        model_type: 'sense_voice_ctc',
        vocab_size: size,
        lfr_window_size: WINDOW,
        lfr_window_shift: SHIFT,
        normalize_samples: 1,
        with_itn: 14,
        without_itn: 15,
        lang_auto: 0,
        lang_zh: 1,
        lang_en: 2,
        lang_ja: 0,
        lang_ko: 0,
        lang_yue: 0,
        neg_mean: Array.from({ length: FEATURES }, () => 0).join(','),
        inv_stddev: Array.from({ length: FEATURES }, () => 1).join(','),
        comment: 'tiny',
      },
    }),
    'tokens.txt': TOKENS.map((token, id) => `${token} ${id}\n`).join(''),
  };
}
