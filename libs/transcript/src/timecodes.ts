/** Seconds in milliseconds' resolution. */
export const roundToMs = (seconds: number): number => Math.round(seconds * 1000) / 1000;

export const toMs = (seconds: number): number => Math.round(seconds * 1000);

/** `01:02:03`, whole seconds rounded down; for people. */
export const clockTime = (seconds: number): string => hoursMinutesSeconds(Math.floor(toMs(seconds) / 1000));

/** SubRip's `01:02:03,004`. */
export const srtTimecode = (ms: number): string => `${hoursMinutesSeconds(Math.floor(ms / 1000))},${fraction(ms)}`;

/** WebVTT's `01:02:03.004` (https://www.w3.org/TR/webvtt1/#webvtt-timestamp). */
export const vttTimecode = (ms: number): string => `${hoursMinutesSeconds(Math.floor(ms / 1000))}.${fraction(ms)}`;

/** The `1:02:03.04` of Advanced SubStation Alpha, in hundredths of a second. */
export const assTimecode = (ms: number): string => {
  const hundredths = Math.round(ms / 10);
  return `${hoursMinutesSeconds(Math.floor(hundredths / 100)).replace(/^0/, '')}.${String(hundredths % 100).padStart(2, '0')}`;
};

function hoursMinutesSeconds(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

const fraction = (ms: number): string => String(ms % 1000).padStart(3, '0');
