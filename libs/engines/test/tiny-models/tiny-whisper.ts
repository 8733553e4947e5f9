import { floats, integers, lookUp, loudness, value } from './loudness.js';
import { onnxFile } from './onnx-file.js';
import type { ModelFiles } from './tiny-transducers.js';

const TEXTS = [' hello', ' world', ' hallo', ' Welt'];
const EOT = 4;
const SOT = 5;
const EN = 6;
const DE = 7;
const TRANSLATE = 8;
const TRANSCRIBE = 9;
const NO_SPEECH = 10;
const NO_TIMESTAMPS = 11;
const FIRST_TIME = 12;
const VOCABULARY = FIRST_TIME + 1501;
/** Instead of a token: the time of the first loud frame, that after the last one, and the language by how early it begins. */
const [START, END, DETECTED] = [-1, -2, -3];
const CONTEXT = 40;

/** What follows each token, in a language: `<|sot|> language <|transcribe|> <|start|> two words <|end|> <|eot|>`. */
function following(first: number, second: number, multilingual: boolean): number[] {
  const next = Array.from({ length: VOCABULARY }, () => first);
  // After a time comes the first word, and after the time of the end nothing.
  const known = { [first]: second, [second]: END, [SOT]: multilingual ? DETECTED : START, [TRANSCRIBE]: START, [EOT]: EOT };
  for (const [token, follower] of Object.entries(known)) next[Number(token)] = follower;
  return next;
}

/**
 * Whisper's shape, with its tokens for languages and times: says `hello world` (English) or `hallo Welt` (German) once,
 * from the first loud frame to the last. Whether the language is German is kept in the cache of self attention; when none
 * is asked for it is German where the sound begins after half a second. With `failing` it throws inside
 * ONNX Runtime; without `multilingual` it is one of those for English alone, with other names and fewer tokens before the text.
 */
export function tinyWhisper({ failing = false, multilingual = true } = {}): ModelFiles {
  const encoder = loudness({ from: 'mel', to: 'loud1', stride: 2, above: 0.5, reduce: 'ReduceMax' });
  const metadata = {
    model_type: 'whisper-tiny',
    n_mels: 80,
    n_text_layer: 1,
    n_text_ctx: CONTEXT,
    n_text_state: 1,
    n_vocab: VOCABULARY,
    sot: SOT,
    eot: EOT,
    blank_id: VOCABULARY - 1,
    translate: TRANSLATE,
    transcribe: TRANSCRIBE,
    is_multilingual: Number(multilingual),
    no_timestamps: NO_TIMESTAMPS,
    no_speech: NO_SPEECH,
    sot_sequence: (multilingual ? [SOT, EN, TRANSCRIBE] : [SOT]).join(','),
    all_language_tokens: [EN, DE].join(','),
    all_language_codes: 'en,de',
  };
  const size = multilingual ? 'tiny' : 'tiny.en';
  return {
    [`${size}-encoder.int8.onnx`]: onnxFile({
      inputs: [value('mel', 'float', [1, 80, 'T'])],
      outputs: [value('n_layer_cross_k', 'float', [1, 1, 'U', 1]), value('n_layer_cross_v', 'float', [1, 1, 'U', 1])],
      nodes: [
        ...encoder.nodes,
        ...(failing ? [{ op: 'Reshape', inputs: ['loud1', 'impossible'], outputs: ['shaped'] }] : []),
        { op: 'Unsqueeze', inputs: [failing ? 'shaped' : 'loud1', 'zero'], outputs: ['n_layer_cross_k'] },
        { op: 'Identity', inputs: ['n_layer_cross_k'], outputs: ['n_layer_cross_v'] },
      ],
      constants: { ...encoder.constants, zero: integers([0]), ...(failing && { impossible: integers([1, 7, 1]) }) },
      metadata,
    }),
    [`${size}-decoder.int8.onnx`]: decoder(multilingual),
    [`${size}-tokens.txt`]: TEXTS.map((text, id) => `${Buffer.from(text).toString('base64')} ${id}\n`).join(''),
  };
}

function decoder(multilingual: boolean): Uint8Array {
  const cache = (name: string) => value(name, 'float', [1, 'N', CONTEXT, 1]);
  const cross = (name: string) => value(name, 'float', [1, 1, 'U', 1]);
  const equals = (token: number | string, of: string, output: string) => ({ op: 'Equal', inputs: [of, `id${token}`], outputs: [output] });
  return onnxFile({
    inputs: [
      value('tokens', 'int64', [1, 'n']),
      cache('in_self_k'),
      cache('in_self_v'),
      cross('n_layer_cross_k'),
      cross('n_layer_cross_v'),
      value('offset', 'int64', [1]),
    ],
    outputs: [value('logits', 'float', [1, 'n', VOCABULARY]), cache('out_self_k'), cache('out_self_v')],
    nodes: [
      // German, once asked for or detected, is remembered.
      equals(DE, 'tokens', 'isGerman'),
      { op: 'Cast', inputs: ['isGerman'], outputs: ['germanHere'], attributes: { to: 1 } },
      { op: 'ReduceMax', inputs: ['germanHere'], outputs: ['germanNow'], attributes: { keepdims: 0 } },
      { op: 'Max', inputs: ['in_self_k', 'germanNow'], outputs: ['out_self_k'] },
      { op: 'ReduceMax', inputs: ['out_self_k'], outputs: ['german'], attributes: { keepdims: 0 } },
      { op: 'Greater', inputs: ['german', 'half'], outputs: ['speaksGerman'] },
      // The first loud frame and the one after the last; frames are 20 ms, as times are.
      { op: 'ArgMax', inputs: ['n_layer_cross_k'], outputs: ['firstLoud'], attributes: { axis: 2, keepdims: 0 } },
      { op: 'ArgMax', inputs: ['n_layer_cross_k'], outputs: ['lastLoud'], attributes: { axis: 2, keepdims: 0, select_last_index: 1 } },
      { op: 'Reshape', inputs: ['firstLoud', 'idOne'], outputs: ['first'] },
      { op: 'Reshape', inputs: ['lastLoud', 'idOne'], outputs: ['last'] },
      { op: 'Add', inputs: ['first', 'firstTime'], outputs: ['startTime'] },
      { op: 'Add', inputs: ['last', 'firstTime'], outputs: ['endsBefore'] },
      { op: 'Add', inputs: ['endsBefore', 'idOne'], outputs: ['endTime'] },
      { op: 'Equal', inputs: ['tokens', 'endTime'], outputs: ['isEnd'] },
      { op: 'ReduceMax', inputs: ['n_layer_cross_k'], outputs: ['loudest'], attributes: { keepdims: 0 } },
      { op: 'Greater', inputs: ['loudest', 'half'], outputs: ['anyLoud'] },
      lookUp('tokens', 'english', 'nextEnglish'),
      lookUp('tokens', 'deutsch', 'nextGerman'),
      { op: 'Where', inputs: ['speaksGerman', 'nextGerman', 'nextEnglish'], outputs: ['next'] },
      equals('Start', 'next', 'atStart'),
      { op: 'Where', inputs: ['atStart', 'startTime', 'next'], outputs: ['next1'] },
      equals('End', 'next', 'atEnd'),
      { op: 'Where', inputs: ['atEnd', 'endTime', 'next1'], outputs: ['next2'] },
      equals('Detected', 'next', 'detecting'),
      { op: 'Less', inputs: ['first', 'idEarly'], outputs: ['early'] },
      { op: 'Where', inputs: ['early', `id${EN}`, `id${DE}`], outputs: ['detected'] },
      { op: 'Where', inputs: ['detecting', 'detected', 'next2'], outputs: ['next3'] },
      { op: 'Where', inputs: ['isEnd', `id${EOT}`, 'next3'], outputs: ['next4'] },
      { op: 'Where', inputs: ['anyLoud', 'next4', `id${EOT}`], outputs: ['said'] },
      { op: 'OneHot', inputs: ['said', 'depth', 'offOn'], outputs: ['logits'] },
      { op: 'Identity', inputs: ['in_self_v'], outputs: ['out_self_v'] },
    ],
    constants: {
      english: integers(following(0, 1, multilingual)),
      deutsch: integers(following(2, 3, multilingual)),
      half: floats([0.5], []),
      idOne: integers([1]),
      idEarly: integers([25]),
      firstTime: integers([FIRST_TIME]),
      idStart: integers([START]),
      idEnd: integers([END]),
      idDetected: integers([DETECTED]),
      [`id${EN}`]: integers([EN]),
      [`id${DE}`]: integers([DE]),
      [`id${EOT}`]: integers([EOT]),
      depth: integers([VOCABULARY], []),
      offOn: floats([0, 10]),
    },
  });
}
