const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** Items of a page; 0 asks for the default. */
export const pageLimit = (limit: number): number => Math.min(limit > 0 ? limit : DEFAULT_LIMIT, MAX_LIMIT);
