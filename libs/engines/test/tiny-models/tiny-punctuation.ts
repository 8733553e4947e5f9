import { floats, value } from './loudness.js';
import { onnxFile, type OnnxNode } from './onnx-file.js';
import type { ModelFiles } from './tiny-transducers.js';

/** By word: the mark behind it and, where the model knows case, its case. The mark `oh` is a word, which no model may add. */
export type Marks = Readonly<Record<string, { mark?: ',' | '.' | '?' | 'oh'; case?: 'upper' | 'capital' }>>;

const MARKS = ['', ',', '.', '?'];
const CASES = ['', 'upper', 'capital', 'mixed'];
const CHINESE_MARKS = ['<unk>', '_', '，', '。', '？', '、', 'oh'];

/** One row of logits for each token, in which the given column is highest. */
const rows = (columns: readonly number[], width: number) => floats(columns.flatMap((column) => Array.from({ length: width }, (_, at) => (at === column ? 10 : 0))), [columns.length, width]);

/** The shape of sherpa-onnx's CNN-BiLSTM: case and mark of each word by its first token alone, as given. Other words stay as they are. */
export function tinyCnnBilstm(marks: Marks): ModelFiles {
  const words = Object.keys(marks);
  const pieces = ['<unk>', '<s>', '</s>', ...words.map((word) => `▁${word}`)];
  const column = (names: readonly string[], of: (word: string) => string | undefined) => [0, 0, 0, ...words.map((word) => Math.max(0, names.indexOf(of(word) ?? '')))];
  const nodes: OnnxNode[] = [
    { op: 'Greater', inputs: ['valid_ids', 'none'], outputs: ['isFirst'] },
    { op: 'Equal', inputs: ['token_ids', 'begin'], outputs: ['isBegin'] },
    { op: 'Equal', inputs: ['token_ids', 'end'], outputs: ['isEnd'] },
    { op: 'Or', inputs: ['isBegin', 'isEnd'], outputs: ['isEdge'] },
    { op: 'Not', inputs: ['isEdge'], outputs: ['isInner'] },
    { op: 'And', inputs: ['isFirst', 'isInner'], outputs: ['isWord'] },
    { op: 'Reshape', inputs: ['isWord', 'flat'], outputs: ['isWordFlat'] },
    { op: 'Compress', inputs: ['token_ids', 'isWordFlat'], outputs: ['words'] },
    { op: 'Gather', inputs: ['cases', 'words'], outputs: ['case_logits'], attributes: { axis: 0 } },
    { op: 'Gather', inputs: ['marks', 'words'], outputs: ['punct_logits'], attributes: { axis: 0 } },
  ];
  const int32 = (number: number) => ({ type: 'int32' as const, shape: [1], values: [number] });
  return {
    'model.onnx': onnxFile({
      inputs: [value('token_ids', 'int32', ['N', 200]), value('valid_ids', 'int32', ['N', 200]), value('label_lens', 'int32', ['N'])],
      outputs: [value('case_logits', 'float', ['T', CASES.length]), value('punct_logits', 'float', ['T', MARKS.length])],
      nodes,
      constants: {
        none: int32(0),
        begin: int32(1),
        end: int32(2),
        flat: { type: 'int64', shape: [1], values: [-1] },
        cases: rows(column(CASES, (word) => marks[word]?.case), CASES.length),
        marks: rows(column(MARKS, (word) => marks[word]?.mark), MARKS.length),
      },
      metadata: { COMMA: 1, PERIOD: 2, QUESTION: 3, UPPER: 1, CAP: 2, MIX_CASE: 3 },
    }),
    'bpe.vocab': pieces.map((piece, id) => `${piece}\t${-id}\n`).join(''),
  };
}

/** The shape of FunASR's CT-Transformer: the mark behind each word, in Chinese forms, as given. It knows no case. */
export function tinyCtTransformer(marks: Marks): ModelFiles {
  const tokens = ['<unk>', ...Object.keys(marks)];
  const chinese = { ',': '，', '.': '。', '?': '？', oh: 'oh' };
  const columns = tokens.map((token) => {
    const mark = marks[token]?.mark;
    return CHINESE_MARKS.indexOf(mark ? chinese[mark] : '_');
  });
  return {
    'model.int8.onnx': onnxFile({
      inputs: [value('inputs', 'int32', [1, 'T']), value('text_lengths', 'int32', [1])],
      outputs: [value('logits', 'float', [1, 'T', CHINESE_MARKS.length])],
      nodes: [{ op: 'Gather', inputs: ['marks', 'inputs'], outputs: ['logits'], attributes: { axis: 0 } }],
      constants: { marks: rows(columns, CHINESE_MARKS.length) },
      metadata: { tokens: tokens.join('|'), vocab_size: tokens.length, punctuations: CHINESE_MARKS.join('|'), unk_symbol: '<unk>', model_type: 'ct_transformer' },
    }),
  };
}
