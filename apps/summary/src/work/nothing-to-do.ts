import { AppError } from '@parlance/platform';

/** There is nothing to be done for this transcript: not a failure, and no retry would change it. */
export class NothingToDo extends AppError {
  constructor(code: string, message: string) {
    super({ kind: 'conflict', code, message, retryable: false });
  }
}
