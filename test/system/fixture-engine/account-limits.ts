import { expect, it } from '@jest/globals';
import { SAMPLES } from '@parlance/testing';
import { product } from './product.js';

interface Limit {
  name: string;
  used: number;
  limit: number;
}

it('an account shows what it has stored of each kind that has a limit', async () => {
  const { api } = await product();
  const limits = async () => (await api.json<{ limits: Limit[] }>('/account')).limits;
  const jobId = await api.upload(SAMPLES.meeting.path, { summary: 'false', highlights: 'false' });
  await api.terminal(jobId);
  const before = new Map((await limits()).map(({ name, used }) => [name, used]));
  const url = `/transcriptions/${jobId}`;
  const requests = [
    api.post(`${url}/segments/replace`, { find: 'e', replace: 'ee' }),
    api.post(`${url}/chat`, { message: 'What was decided?' }),
    api.post('/projects', { name: 'Limits' }),
    api.post('/vocabularies', { name: 'limits', phrases: [{ phrase: 'Parlance' }] }),
    api.post('/tokens', {}),
    api.post('/batches', { items: [{}] }),
    api.request('POST', '/uploads', { headers: { 'tus-resumable': '1.0.0', 'upload-length': '1000' } }),
  ];
  const statuses = (await Promise.all(requests)).map(({ status }) => status);
  expect(statuses).toEqual([200, 200, 201, 201, 201, 202, 201]);
  const after = await limits();
  expect(after.map(({ name }) => name)).toEqual(['projects', 'vocabularies', 'tokens', 'unfinished_uploads', 'batch_bytes', 'revision_bytes', 'conversation_bytes']);
  for (const { name, used, limit } of after) expect([name, used > (before.get(name) ?? 0), used <= limit]).toEqual([name, true, true]);
}, 120_000);
