import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '@parlance/platform';
import { diarizerFromUrl } from './diarizer-from-url.js';

describe('diarizerFromUrl', () => {
  it.each([
    ['built-in:', 'built-in'],
    ['sherpa:', 'sherpa:pyannote-segmentation-3.0+3dspeaker-campplus-zh-en'],
    ['sherpa:?embedding=nemo-titanet-small&threshold=0.6&threads=2', 'sherpa:pyannote-segmentation-3.0+nemo-titanet-small'],
    ['sherpa:?embedding=/srv/voices.onnx', 'sherpa:pyannote-segmentation-3.0+voices.onnx'],
    ['fixture:?speakers=3', 'fixture'],
  ])('%s is the engine %s', (url, name) => {
    expect(diarizerFromUrl(url).info.name).toBe(name);
  });

  it.each([
    ['pyannote', 'is not a URL'],
    ['nemo:', "unknown scheme 'nemo:'"],
    ['built-in:?speakers=2', 'Unrecognized key'],
    ['sherpa:?threshold=much', 'threshold'],
    ['sherpa:?embedding=whisper-tiny', "contains an unknown embedding model 'whisper-tiny'"],
  ])('%s stops the start with a clear line', (url, line) => {
    expect(() => diarizerFromUrl(url)).toThrow(ConfigError);
    expect(() => diarizerFromUrl(url)).toThrow(line);
  });
});
