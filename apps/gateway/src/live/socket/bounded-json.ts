import { jsonOverrun } from '../../http/json-bounds.js';

const FAULTS = { too_long: 'It has too many values.', too_deep: 'It has too many objects or lists within each other.' };

/** Parses a text frame whose depth and number of values are within bounds. @returns its value, or in one sentence what is wrong */
export function boundedJson(data: Buffer): { value?: unknown; fault?: string } {
  const overrun = jsonOverrun(data);
  if (overrun) return { fault: FAULTS[overrun] };
  try {
    return { value: JSON.parse(data.toString('utf8')) as unknown };
  } catch {
    return { fault: 'It is not JSON.' };
  }
}
