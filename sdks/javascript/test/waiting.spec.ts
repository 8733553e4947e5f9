import { expect, it } from '@jest/globals';
import { Parlance, type ResponseInfo } from '../src/index.js';

it('a wait gives each of its responses to its caller', async () => {
  const statuses = ['processing', 'completed'];
  const fetch = async () => Response.json({ job_id: 'job_1', status: statuses.shift() }, { headers: { 'x-request-id': `req_${statuses.length}` } });
  const responses: ResponseInfo[] = [];
  await new Parlance({ apiKey: 'pl_1', fetch }).transcriptions.wait('job_1', { onResponse: (response) => responses.push(response) });
  expect(responses).toMatchObject([{ requestId: 'req_1' }, { requestId: 'req_0' }]);
});
