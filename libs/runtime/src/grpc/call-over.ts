import { AppError } from '@parlance/platform';

/** Why work for a call is given up. Made once: a call that was answered ends so too, and the trace that a new one takes is dear beside it. */
export const CALL_OVER = new AppError({ kind: 'canceled', code: 'call_over', message: 'The call is over.' });
