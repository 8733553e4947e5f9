import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { eventually, filesBelow, ParlanceProcess, SAMPLES, SpeechServer } from '@parlance/testing';

const CANARY = 'Quillfeather';

it('a redacted word is in no file of the data folder and no line of the log once the job has ended', async () => {
  await using server = await SpeechServer.start(() => `Please call John ${CANARY} tomorrow.`);
  const parlance = await ParlanceProcess.start({ env: { SPEECH_ENGINE_URL: server.url, LOG_LEVEL: 'debug' } });
  try {
    const jobId = await parlance.api.upload(SAMPLES.reading.path, { redaction: '{"policies": ["person"]}', highlights: 'true', chapters: 'true', entities: 'true' });
    expect((await parlance.api.terminal(jobId)).status).toBe('completed');
    expect(await parlance.api.transcript(jobId, 'txt')).toContain('[PERSON_1]');
    // What a document said before is overwritten with the next checkpoint of its database.
    await eventually('the word to be gone', async () => (await filesWith(parlance.dataFolder, CANARY)).length === 0);
  } finally {
    await parlance.dispose();
  }
});

async function filesWith(folder: string, text: string): Promise<string[]> {
  const files = await filesBelow(folder);
  const found = await Promise.all(files.map(async (file) => ((await readFile(file).catch(() => Buffer.alloc(0))).includes(text) ? [file] : [])));
  return found.flat();
}
