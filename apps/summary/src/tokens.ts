/** Injection tokens of what the module wires. */
export const PARTS = Symbol('SummaryParts');
