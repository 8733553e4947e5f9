import { expect, it } from '@jest/globals';
import { transcription } from '@parlance/contracts';
import { silentLogger } from '@parlance/platform';
import { LocalService } from '@parlance/runtime/process';
import { SpeechModels } from './speech-models.js';

it('an engine that does not answer is not waited for by each request, and asked again soon', async () => {
  let milliseconds = 0;
  let failures = 0;
  const notStarted = new LocalService().port(transcription.TranscriptServiceDefinition);
  const log = Object.assign(silentLogger(), { warn: () => void failures++ });
  const models = new SpeechModels(notStarted, { now: () => new Date(milliseconds) }, log);
  for (let request = 0; request < 3; request++) expect(await models.known()).toBeUndefined();
  expect(failures).toBe(1);
  milliseconds += 5_000;
  await models.known();
  expect(failures).toBe(2);
});
