import { describe, expect, it } from '@jest/globals';
import { AudioPeaks } from './audio-peaks.js';

/** Bytes of s16le. */
const pcm = (samples: readonly number[]) => new Uint8Array(new Int16Array(samples).buffer);
const window = (value: number, channels = 1) => Array<number>(320 * channels).fill(value);

describe('the peaks of a recording', () => {
  it('are the lowest and the highest sample of each fiftieth of a second, however the audio comes', () => {
    const samples = [...window(0).with(3, 32_767).with(7, -32_768), ...window(-1000), 16_384];
    const whole = new AudioPeaks(1);
    whole.add(pcm(samples));
    const inPieces = new AudioPeaks(1);
    const bytes = pcm(samples);
    for (let at = 0; at < bytes.length; at += 7) inPieces.add(bytes.subarray(at, at + 7));
    expect([...new Int8Array(whole.bytes())]).toEqual([-127, 127, -4, 0, 0, 64]);
    expect(inPieces.bytes()).toEqual(whole.bytes());
  });

  it('of several channels are those of the loudest', () => {
    const peaks = new AudioPeaks(2);
    peaks.add(pcm(window(0, 2).with(1, 32_767).with(2, -16_384)));
    expect([...new Int8Array(peaks.bytes())]).toEqual([-64, 127]);
  });

  it('of tracks that are heard together are those of the loudest at each time', () => {
    const [one, other] = [new AudioPeaks(1), new AudioPeaks(1)];
    one.add(pcm([...window(16_384), ...window(-16_384)]));
    other.add(pcm(window(-32_768)));
    expect([...new Int8Array(AudioPeaks.ofTracks([one, other]))]).toEqual([-127, 64, -64, 0]);
    expect(AudioPeaks.ofTracks([])).toHaveLength(0);
  });

  it('of ten hours are three and a half megabytes', () => {
    const peaks = new AudioPeaks(1);
    const minute = pcm(Array<number>(960_000).fill(100));
    for (let count = 0; count < 600; count += 1) peaks.add(minute);
    expect(peaks.bytes()).toHaveLength(3_600_000);
  });
});
