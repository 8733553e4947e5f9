import { ERRORS, isErrorCode, type CodeWith } from '@parlance/platform';

/** A code that a problem document can have; the page of each is `/problems/<code>`. */
export type ProblemCode = CodeWith<'problem'>;

export const isProblemCode = (code: string): code is ProblemCode => isErrorCode(code) && 'problem' in ERRORS[code];

/** All of them, in the order of their index page. */
export const PROBLEM_CODES: readonly ProblemCode[] = Object.keys(ERRORS).filter(isProblemCode);

/** The codes of problems that operations answer with, which are in the API description. */
export const OPERATION_CODES = PROBLEM_CODES.filter((code) => !('isOfSockets' in ERRORS[code]));

/** The title and the text of the code's page. */
export const problemOf = (code: ProblemCode): { title: string; text: string } => ERRORS[code].problem;
