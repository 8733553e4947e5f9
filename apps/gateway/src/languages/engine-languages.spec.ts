import { expect, it } from '@jest/globals';
import { credentials } from '@grpc/grpc-js';
import { transcription } from '@parlance/contracts';
import { silentLogger } from '@parlance/platform';
import { EngineLanguages } from './engine-languages.js';

it('an engine that does not answer is not waited for by each request, and asked again soon', async () => {
  let milliseconds = 0;
  let failures = 0;
  const nobody = new transcription.TranscriptServiceClient('127.0.0.1:9', credentials.createInsecure());
  const log = Object.assign(silentLogger(), { warn: () => void failures++ });
  const languages = new EngineLanguages(nobody, { now: () => new Date(milliseconds) }, log);
  try {
    for (let request = 0; request < 3; request++) expect(await languages.known()).toBeUndefined();
    expect(failures).toBe(1);
    milliseconds += 5_000;
    await languages.known();
    expect(failures).toBe(2);
  } finally {
    nobody.close();
  }
});
