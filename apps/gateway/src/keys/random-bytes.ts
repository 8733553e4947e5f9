/** The token under which RandomBytes for secrets is injected. */
export const RANDOM_BYTES = Symbol('RANDOM_BYTES');
