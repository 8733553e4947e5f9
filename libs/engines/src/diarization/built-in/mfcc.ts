import FFT from 'fft.js';

/** Coefficients of a frame: c1 to c20. c0, the loudness, says nothing of who speaks. */
export const COEFFICIENTS = 20;
/** Samples at 16 kHz. */
const HOP = 160;
const WINDOW = 400;
const FFT_SIZE = 512;
const BANDS = 32;
const LOWEST_HZ = 80;
const HIGHEST_HZ = 7600;
const PRE_EMPHASIS = 0.97;

/** Seconds between two frames. */
export const FRAME_SECONDS = HOP / 16_000;

/**
 * Mel-frequency cepstral coefficients (Davis and Mermelstein 1980), 25 ms every 10 ms, of samples at 16 kHz.
 * @returns frame after frame, COEFFICIENTS numbers each; empty for less than one window.
 */
export function mfccOf(samples: Int16Array): Float32Array<ArrayBuffer> {
  const frames = Math.max(0, Math.floor((samples.length - WINDOW) / HOP) + 1);
  const result = new Float32Array(frames * COEFFICIENTS);
  for (let frame = 0; frame < frames; frame++) {
    const energies = melEnergies(samples, frame * HOP);
    for (let index = 0; index < COEFFICIENTS; index++) {
      let sum = 0;
      for (let band = 0; band < BANDS; band++) sum += (COSINES[index * BANDS + band] as number) * (energies[band] as number);
      result[frame * COEFFICIENTS + index] = sum;
    }
  }
  return result;
}

const fft = new FFT(FFT_SIZE);
const input = new Float64Array(FFT_SIZE);
const spectrum = fft.createComplexArray();
const energies = new Float64Array(BANDS);

/** Natural logarithms of the power in each band. */
function melEnergies(samples: Int16Array, from: number): Float64Array {
  for (let index = 0; index < WINDOW; index++) {
    const before = from + index === 0 ? 0 : (samples[from + index - 1] as number);
    input[index] = ((samples[from + index] as number) - PRE_EMPHASIS * before) * (HAMMING[index] as number);
  }
  fft.realTransform(spectrum, input);
  for (const [band, { first, weights }] of FILTERS.entries()) {
    let power = 0;
    for (let index = 0; index < weights.length; index++) {
      const at = 2 * (first + index);
      power += (weights[index] as number) * ((spectrum[at] as number) ** 2 + (spectrum[at + 1] as number) ** 2);
    }
    // one quantisation step of noise, so that digital silence is not minus infinity
    energies[band] = Math.log(power + WINDOW);
  }
  return energies;
}

const HAMMING = Float64Array.from({ length: WINDOW }, (_, index) => 0.54 - 0.46 * Math.cos((2 * Math.PI * index) / (WINDOW - 1)));

const COSINES = Float64Array.from({ length: COEFFICIENTS * BANDS }, (_, at) => {
  const [index, band] = [Math.floor(at / BANDS) + 1, at % BANDS];
  return Math.sqrt(2 / BANDS) * Math.cos((Math.PI * index * (band + 0.5)) / BANDS);
});

interface Filter {
  first: number;
  weights: Float64Array;
}

const mel = (hertz: number): number => 1127 * Math.log(1 + hertz / 700);

/** Triangles of the same width in mel, each from its lower neighbour's centre to its upper one's. */
const FILTERS: Filter[] = Array.from({ length: BANDS }, (_, band) => {
  const step = (mel(HIGHEST_HZ) - mel(LOWEST_HZ)) / (BANDS + 1);
  const centre = mel(LOWEST_HZ) + (band + 1) * step;
  const all = Array.from({ length: FFT_SIZE / 2 }, (_, bin) => 1 - Math.abs(mel((bin * 16_000) / FFT_SIZE) - centre) / step);
  const first = all.findIndex((weight) => weight > 0);
  const last = all.findLastIndex((weight) => weight > 0);
  return { first, weights: Float64Array.from(all.slice(first, last + 1)) };
});
