import { describe, expect, it } from '@jest/globals';
import { transcription } from '@parlance/contracts';
import { silentLogger, systemClock, toAppError } from '@parlance/platform';
import { SpeechModels } from '../../languages/speech-models.js';
import { AsrJobs } from './asr-jobs.js';

describe('a request for the language of a recording', () => {
  it('is refused before the file arrives when the engine does not report the language', async () => {
    const engines = [transcription.SpeechEngine.fromPartial({ model: 'default', isDefault: true, reportsLanguage: false, engine: { name: 'pocketsphinx', languages: ['en'] } })];
    const models = new SpeechModels({ listEngines: async () => ({ engines }) }, systemClock, silentLogger());
    const noFile = { receiveForm: () => Promise.reject(new Error('The file was read.')) };
    const jobs = new AsrJobs(noFile, {} as never, models, {} as never);
    const error = await jobs.detectLanguage({ accountId: 'acc_1', keyId: 'key_1', scopes: new Set() }, { query: {} } as never).catch(toAppError);
    expect(error).toMatchObject({ kind: 'invalid', fields: [{ code: 'not_supported' }] });
  });
});
