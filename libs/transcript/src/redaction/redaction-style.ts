/** Ways to write what stands for redacted words: their type and number, a keyed hash of what was said, or asterisks. */
export const REDACTION_STYLES = ['label', 'hash', 'mask'] as const;
export type RedactionStyle = (typeof REDACTION_STYLES)[number];

/** Ways to replace redacted words in a recording: silence, or a tone. */
export const REDACTION_AUDIO = ['silence', 'beep'] as const;
