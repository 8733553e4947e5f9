import { describe, expect, it } from '@jest/globals';
import { toAppError } from '@parlance/platform';
import { AssemblyAiController } from './assemblyai.controller.js';

describe('the deletion of a transcript by AssemblyAI’s API', () => {
  it('needs a key that may read, as its answer describes the job, and deletes nothing otherwise', async () => {
    const untouched = { get: () => Promise.reject(new Error('The job was read.')), deleteJob: () => Promise.reject(new Error('The job was deleted.')) };
    const controller = new AssemblyAiController({} as never, {} as never, {} as never, untouched as never, untouched as never);
    const error = await controller.delete({ accountId: 'acc_1', keyId: 'key_1', scopes: new Set(['transcriptions:write'] as const) }, 'job_1', {} as never, {} as never).catch(toAppError);
    expect(error).toMatchObject({ kind: 'forbidden', code: 'insufficient_scope' });
  });
});
