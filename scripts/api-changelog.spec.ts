import { describe, expect, it } from '@jest/globals';
import { unknownOperations, unlistedOperations } from '../.ci/api-changelog.mjs';

const describing = (...operations: [method: string, path: string][]) => ({ paths: Object.fromEntries(operations.map(([method, path]) => [path, { [method]: {} }])) });
const base = describing(['get', '/jobs']);
const current = describing(['get', '/jobs'], ['post', '/jobs/{id}/cancel']);

describe('the changelog of the API', () => {
  it('lacks an operation that was added without an entry', () => {
    expect(unlistedOperations(base, current, '# Changes\n\n## Unreleased\n\n- Nothing.\n')).toEqual(['POST /jobs/{id}/cancel']);
  });

  it('is complete with an entry in the section of the next release, and not in that of an earlier one', () => {
    const entry = '- `POST /jobs/{id}/cancel`: cancels a job.\n';
    expect(unlistedOperations(base, current, `## Unreleased\n\n${entry}\n## 0.1\n`)).toEqual([]);
    expect(unlistedOperations(base, current, `## Unreleased\n\n${entry}`)).toEqual([]);
    expect(unlistedOperations(base, current, `## Unreleased\n\n## 0.1\n\n${entry}`)).toEqual(['POST /jobs/{id}/cancel']);
  });

  it('names no operation that does not exist', () => {
    expect(unknownOperations(current, '## Unreleased\n\n- `GET /jobs`, `DELETE /jobs`: more fields.\n')).toEqual(['DELETE /jobs']);
  });
});
