import { describe, expect, it } from '@jest/globals';
import { transcription } from '@parlance/contracts';
import { silentLogger, systemClock, toAppError } from '@parlance/platform';
import { SpeechModels } from '../../languages/speech-models.js';
import { AsrJobs } from './asr-jobs.js';

const caller = { accountId: 'acc_1', keyId: 'key_1', scopes: new Set<never>() };

/** Jobs of a server whose engine reports the language, or does not. A file must not be read. */
function jobsOf({ reportsLanguage }: { reportsLanguage: boolean }): AsrJobs {
  const engines = [transcription.SpeechEngine.fromPartial({ model: 'default', isDefault: true, reportsLanguage, engine: { name: 'pocketsphinx', languages: ['en'] } })];
  const models = new SpeechModels({ listEngines: async () => ({ engines }) }, systemClock, silentLogger());
  const noFile = { receiveForm: () => Promise.reject(new Error('The file was read.')) };
  return new AsrJobs(noFile, {} as never, models, {} as never);
}

describe('a request for the language of a recording', () => {
  it('is refused before the file arrives when the engine does not report the language', async () => {
    const error = await jobsOf({ reportsLanguage: false }).detectLanguage(caller, { query: {} } as never).catch(toAppError);
    expect(error).toMatchObject({ kind: 'invalid', fields: [{ code: 'not_supported' }] });
  });

  it('is refused before the file arrives when its query is wrong', async () => {
    const error = await jobsOf({ reportsLanguage: true }).detectLanguage(caller, { query: { encode: 'perhaps' } } as never).catch(toAppError);
    expect(error).toMatchObject({ kind: 'invalid', fields: [{ pointer: '/encode' }] });
  });
});
