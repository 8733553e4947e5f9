/** The name of a sealed object ends in '-'; the sealed key of a copy and other hidden objects end in two. */
const SEALED = /(?<!-)-$/;

/** The names of stored objects as the services know them. Objects that only the sealing store uses keep their names, so that a test sees what is left of them. */
export const mediaNames = (stored: string[]): string[] => stored.map((name) => name.replace(SEALED, '')).toSorted();
