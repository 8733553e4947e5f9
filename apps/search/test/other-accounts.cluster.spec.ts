import { randomBytes } from 'node:crypto';
import { afterAll } from '@jest/globals';
import { describeOtherAccounts } from './other-accounts.js';

const server = process.env['OPENSEARCH_URL'] ?? '';
const prefix = `t-${randomBytes(6).toString('hex')}`;

describeOtherAccounts('OpenSearch', () => ({ SEARCH_URL: `opensearch+${server}/${prefix}?createIndex=true&replicas=0` }));

afterAll(async () => {
  for (const index of ['passages-v1', 'jobs-v1']) await fetch(`${server}/${prefix}-${index}`, { method: 'DELETE' });
});
