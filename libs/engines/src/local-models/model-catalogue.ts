import { PARAKEET_V3_LANGUAGES, SENSE_VOICE_LANGUAGES, WHISPER_LANGUAGES, WHISPER_V3_LANGUAGES } from './model-languages.js';

/** The way in which sherpa-onnx runs a model. */
export type SpeechFamily = 'whisper' | 'parakeet' | 'zipformer' | 'sense-voice';
/** The same for models that take audio while it arrives. */
export type OnlineFamily = 'online-transducer' | 'online-paraformer' | 'online-zipformer-ctc' | 'online-nemo-ctc' | 'online-t-one-ctc';
export type ModelFamily = SpeechFamily | OnlineFamily | 'segmentation' | 'embedding' | 'punctuation';

interface License {
  /** SPDX, where it has one. */
  name: string;
  /** The URL of its text, or of the model's card. */
  url: string;
}

/** A model that is known by name. */
export interface CatalogueModel {
  name: string;
  family: ModelFamily;
  title: string;
  /** BCP 47 primary subtags; empty where they do not matter. */
  languages: readonly string[];
  license: License;
  /** Below the mirror: `<release>/<file>`. An archive (.tar.bz2) or the model itself (.onnx). */
  source: string;
  /** The size of the source. */
  bytes: number;
  sha256: string;
  /** The files of an archive that are kept, besides licence and readme; all of them must be in it. */
  files: readonly string[];
}

/** The releases of k2-fsa/sherpa-onnx, where models stand converted. The tag's spelling is theirs. */
export const DEFAULT_MODELS_MIRROR = 'https://github.com/k2-fsa/sherpa-onnx/releases/download';

const MIT_WHISPER = { name: 'MIT', url: 'https://github.com/openai/whisper/blob/main/LICENSE' };
const CC_BY_PARAKEET = (version: string) => ({ name: 'CC-BY-4.0', url: `https://huggingface.co/nvidia/parakeet-tdt-0.6b-${version}` });

function whisper(size: string, title: string, languages: readonly string[], bytes: number, sha256: string, name = `whisper-${size}`): CatalogueModel {
  return {
    name,
    family: 'whisper',
    title: `Whisper ${title}, int8`,
    languages,
    license: MIT_WHISPER,
    source: `asr-models/sherpa-onnx-whisper-${size}.tar.bz2`,
    bytes,
    sha256,
    files: [`${size}-encoder.int8.onnx`, `${size}-decoder.int8.onnx`, `${size}-tokens.txt`],
  };
}

function parakeet(version: 'v2' | 'v3', languages: readonly string[], bytes: number, sha256: string): CatalogueModel {
  return {
    name: `parakeet-tdt-0.6b-${version}`,
    family: 'parakeet',
    title: `NVIDIA Parakeet TDT 0.6B ${version}, int8`,
    languages,
    license: CC_BY_PARAKEET(version),
    source: `asr-models/sherpa-onnx-nemo-parakeet-tdt-0.6b-${version}-int8.tar.bz2`,
    bytes,
    sha256,
    files: ['encoder.int8.onnx', 'decoder.int8.onnx', 'joiner.int8.onnx', 'tokens.txt'],
  };
}

function streamingZipformer(name: string, title: string, release: string, files: string, bytes: number, sha256: string): CatalogueModel {
  return {
    name,
    family: 'online-transducer',
    title: `${title}, int8`,
    languages: ['en'],
    license: { name: 'Apache-2.0', url: `https://huggingface.co/csukuangfj/sherpa-onnx-${release}` },
    source: `asr-models/sherpa-onnx-${release}.tar.bz2`,
    bytes,
    sha256,
    files: [`encoder-${files}.int8.onnx`, `decoder-${files}.onnx`, `joiner-${files}.int8.onnx`, 'tokens.txt'],
  };
}

/**
 * Names, sizes and checksums as of 2026-11; docs/decisions/0021-local-models.md says where they are from. The checksum is
 * of the source, so that whatever a mirror gives is what was meant.
 */
export const MODEL_CATALOGUE: readonly CatalogueModel[] = [
  whisper('tiny', 'tiny', WHISPER_LANGUAGES, 116_204_861, 'c46116994e539aa165266d96b325252728429c12535eb9d8b6a2b10f129e66b1'),
  whisper('tiny.en', 'tiny, English', ['en'], 118_071_777, '2bd6cf965c8bb3e068ef9fa2191387ee63a9dfa2a4e37582a8109641c20005dd'),
  whisper('base', 'base', WHISPER_LANGUAGES, 207_557_382, '911b2083efd7c0dca2ac3b358b75222660dc09fb716d64fbfc417ba6c99ff3de'),
  whisper('base.en', 'base, English', ['en'], 208_576_005, '475bc7052ce299c007f6d5d5407ba8601f819a2867f6eecee510ed17df581542'),
  whisper('small', 'small', WHISPER_LANGUAGES, 639_387_718, '486a46afbb7ba798507190ffe02fea2dd726049af212e774537efac6afb210a6'),
  whisper('small.en', 'small, English', ['en'], 635_693_775, '0cdba2b8aaab69e04847f3427cc9709574112e67913a1a84b7fec3a8729faa9a'),
  whisper('medium', 'medium', WHISPER_LANGUAGES, 1_931_372_882, '614b1172557049069d846c29d9399640bce83a4dd6c580decebd9ce2a4f32c33'),
  whisper('large-v3', 'large v3', WHISPER_V3_LANGUAGES, 1_068_482_488, '2d0e134b3b5fc4a0533baf24a0c9d473b629aa47f030af0a165a05f461df7a03'),
  whisper('turbo', 'large v3 turbo', WHISPER_V3_LANGUAGES, 563_790_207, 'b11acbbcd660b44a8e0df33724feb5aaa709cf65668f2823d59f656312544f22', 'whisper-large-v3-turbo'),
  parakeet('v2', ['en'], 482_468_385, '157c157bc51155e03e37d2466522a3a737dd9c72bb25f36eb18912964161e1ad'),
  parakeet('v3', PARAKEET_V3_LANGUAGES, 487_170_055, '5793d0fd397c5778d2cf2126994d58e9d56b1be7c04d13c7a15bb1b4eafb16bf'),
  {
    name: 'sense-voice-small',
    family: 'sense-voice',
    title: 'SenseVoice small, int8',
    languages: SENSE_VOICE_LANGUAGES,
    license: { name: 'FunASR Model License 1.1', url: 'https://github.com/modelscope/FunASR/blob/main/MODEL_LICENSE' },
    source: 'asr-models/sherpa-onnx-sense-voice-zh-en-ja-ko-yue-int8-2024-07-17.tar.bz2',
    bytes: 163_002_883,
    sha256: '7d1efa2138a65b0b488df37f8b89e3d91a60676e416f515b952358d83dfd347e',
    files: ['model.int8.onnx', 'tokens.txt'],
  },
  {
    name: 'zipformer-small-en',
    family: 'zipformer',
    title: 'Zipformer small, English (LibriSpeech), int8',
    languages: ['en'],
    license: { name: 'Apache-2.0', url: 'https://huggingface.co/csukuangfj/sherpa-onnx-zipformer-small-en-2023-06-26' },
    source: 'asr-models/sherpa-onnx-zipformer-small-en-2023-06-26.tar.bz2',
    bytes: 112_232_184,
    sha256: 'c8bff1091c26c49731cddbcd60ef18061142ea11523df1b73bf1b14451b9c15e',
    files: ['encoder-epoch-99-avg-1.int8.onnx', 'decoder-epoch-99-avg-1.onnx', 'joiner-epoch-99-avg-1.int8.onnx', 'tokens.txt'],
  },
  streamingZipformer(
    'zipformer-streaming-en',
    'Streaming Zipformer, English (LibriSpeech)',
    'streaming-zipformer-en-2023-06-26',
    'epoch-99-avg-1-chunk-16-left-128',
    310_414_022,
    '639e25b578e9e997131402199419c13a941f8e4e198e2da1ce57dbf5cf401282',
  ),
  streamingZipformer(
    'zipformer-streaming-small-en',
    'Streaming Zipformer 20M, English (LibriSpeech)',
    'streaming-zipformer-en-20M-2023-02-17',
    'epoch-99-avg-1',
    127_887_156,
    '9c559283e8498d3fe95913c79ca1cb454bb26281ac2b102b41306c7d752765d9',
  ),
  {
    name: 'pyannote-segmentation-3.0',
    family: 'segmentation',
    title: 'pyannote segmentation 3.0: who speaks when, in ten seconds',
    languages: [],
    license: { name: 'MIT', url: 'https://huggingface.co/pyannote/segmentation-3.0' },
    source: 'speaker-segmentation-models/sherpa-onnx-pyannote-segmentation-3-0.tar.bz2',
    bytes: 6_958_444,
    sha256: '24615ee884c897d9d2ba09bb4d30da6bb1b15e685065962db5b02e76e4996488',
    files: ['model.onnx'],
  },
  {
    name: '3dspeaker-campplus-zh-en',
    family: 'embedding',
    title: '3D-Speaker CAM++: voices as vectors, Chinese and English',
    languages: [],
    license: { name: 'Apache-2.0', url: 'https://modelscope.cn/models/iic/speech_campplus_sv_zh_en_16k-common_advanced' },
    source: 'speaker-recongition-models/3dspeaker_speech_campplus_sv_zh_en_16k-common_advanced.onnx',
    bytes: 28_281_164,
    sha256: 'aa3cfc16963a10586a9393f5035d6d6b57e98d358b347f80c2a30bf4f00ceba2',
    files: ['3dspeaker_speech_campplus_sv_zh_en_16k-common_advanced.onnx'],
  },
  {
    name: 'nemo-titanet-small',
    family: 'embedding',
    title: 'NVIDIA NeMo TitaNet small: voices as vectors, English',
    languages: [],
    license: { name: 'NVIDIA (see card)', url: 'https://catalog.ngc.nvidia.com/orgs/nvidia/teams/nemo/models/titanet_small' },
    source: 'speaker-recongition-models/nemo_en_titanet_small.onnx',
    bytes: 40_257_283,
    sha256: 'ad4a1802485d8b34c722d2a9d04249662f2ece5d28a7a039063ca22f515a789e',
    files: ['nemo_en_titanet_small.onnx'],
  },
  {
    name: 'punct-ct-transformer-zh-en',
    family: 'punctuation',
    title: 'CT-Transformer (FunASR): punctuation of Chinese and English, int8',
    languages: ['zh', 'en'],
    license: { name: 'FunASR (see card)', url: 'https://modelscope.cn/models/iic/punc_ct-transformer_zh-cn-common-vocab272727-pytorch' },
    source: 'punctuation-models/sherpa-onnx-punct-ct-transformer-zh-en-vocab272727-2024-04-12-int8.tar.bz2',
    bytes: 64_717_756,
    sha256: 'c0d5aa5f8eeb686032345e180bedf39319dc2e0556781c6264bcadba8328a6e1',
    files: ['model.int8.onnx'],
  },
];

export const catalogueModel = (name: string, catalogue: readonly CatalogueModel[] = MODEL_CATALOGUE): CatalogueModel | undefined =>
  catalogue.find((model) => model.name === name);

const SPEECH_FAMILIES: readonly ModelFamily[] = ['whisper', 'parakeet', 'zipformer', 'sense-voice'] satisfies SpeechFamily[];

export const isSpeechModel = (model: CatalogueModel): model is CatalogueModel & { family: SpeechFamily } => SPEECH_FAMILIES.includes(model.family);

const ONLINE_FAMILIES: readonly ModelFamily[] = ['online-transducer', 'online-paraformer', 'online-zipformer-ctc', 'online-nemo-ctc', 'online-t-one-ctc'] satisfies OnlineFamily[];

export const isOnlineModel = (model: CatalogueModel): model is CatalogueModel & { family: OnlineFamily } => ONLINE_FAMILIES.includes(model.family);
