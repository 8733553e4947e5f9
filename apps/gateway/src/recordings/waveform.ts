import { PEAKS_PER_SECOND } from '@parlance/contracts';
import { TimeSlices } from '@parlance/platform';

export interface Waveform {
  duration: number;
  points: number;
  min: number[];
  max: number[];
}

/** Bytes of a window of stored peaks: its lowest and its highest sample. */
const WINDOW_BYTES = 2;
const FULL_SCALE = 127;

/**
 * The waveform of stored peaks as they come: several windows make a point.
 * @param sizeBytes of all peaks
 * @param maxPoints the maximum number of points
 */
export async function waveformOf(peaks: AsyncIterable<Uint8Array>, { sizeBytes, maxPoints, duration = sizeBytes / WINDOW_BYTES / PEAKS_PER_SECOND }: { sizeBytes: number; maxPoints: number; duration?: number | undefined }): Promise<Waveform> {
  const windows = Math.floor(sizeBytes / WINDOW_BYTES);
  const points = Math.min(windows, maxPoints);
  const [lowest, highest] = [new Int8Array(points), new Int8Array(points)];
  let at = 0;
  const slices = new TimeSlices();
  for await (const piece of peaks) {
    await slices.next();
    for (const level of new Int8Array(piece.buffer, piece.byteOffset, piece.byteLength)) {
      const point = Math.floor((Math.floor(at / WINDOW_BYTES) * points) / windows);
      const [kept, isBeyond] = at % WINDOW_BYTES === 0 ? [lowest, level < (lowest[point] ?? 0)] : [highest, level > (highest[point] ?? 0)];
      if (isBeyond) kept[point] = level;
      at += 1;
    }
  }
  return { duration, points, min: Array.from(lowest, toLevel), max: Array.from(highest, toLevel) };
}

const toLevel = (level: number): number => Math.round((level / FULL_SCALE) * 1000) / 1000;
