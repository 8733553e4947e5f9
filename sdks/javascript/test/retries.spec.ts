import { expect, it } from '@jest/globals';
import { Parlance, type Retry } from '../src/index.js';

it('each retry is reported before its pause', async () => {
  const retries: Retry[] = [];
  let sent = 0;
  const fetch = async () => {
    sent += 1;
    if (sent < 3) throw new TypeError('fetch failed');
    return Response.json({ job_id: 'job_1' });
  };
  const client = new Parlance({ apiKey: 'pl_1', fetch, onRetry: (retry) => retries.push(retry) });
  expect(await client.transcriptions.get('job_1')).toEqual({ job_id: 'job_1' });
  expect(retries).toMatchObject([{ attempts: 1, error: { name: 'ConnectionError' } }, { attempts: 2 }]);
  expect(retries.every(({ pauseMs }) => pauseMs > 0)).toBe(true);
});
