/** Injection token: the parts are a type, which Nest cannot see. */
export const PARTS = Symbol('DiarizationParts');
