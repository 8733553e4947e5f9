const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Text as the payload of a WebVTT cue has it. */
export const escapedForVtt = (text: string): string => text.replace(/[&<>]/g, (character) => ESCAPES[character] ?? character);
