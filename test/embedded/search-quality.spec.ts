import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';

describe('the quality of search and chat', () => {
  it.each(['search-quality', 'chat-quality'])('keeps what bench/measures/%s.mjs promises', (measure) => {
    const { status, stdout } = spawnSync(process.execPath, ['bench/main.mjs', '--quick', '--only', measure], { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.not.stringContaining('| NO ') });
  });
});
