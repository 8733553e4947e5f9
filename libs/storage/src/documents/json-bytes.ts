/** Bytes of a value as JSON, before it is sealed. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
