import { describe, expect, it } from '@jest/globals';
import { AppError, createLogger } from '@parlance/platform';
import { untilMediaAnswers } from './reachable-media.js';

const away = () => new AppError({ kind: 'unavailable', code: 'media_store_unavailable', message: 'The media store has no bucket talks.' });
const AT_ONCE = { initialDelayMs: 1, maxDelayMs: 1 };

function loggedLines() {
  const lines: string[] = [];
  const log = createLogger({ level: 'info', destination: { write: (line) => void lines.push(line) } });
  return { log, said: () => lines.map((line) => JSON.parse(line) as { level: string; msg: string; err?: { message: string }; failures?: number }) };
}

describe('a media store that does not answer at start', () => {
  it('is logged with the cause, until it does', async () => {
    const { log, said } = loggedLines();
    let checks = 0;
    const check = async () => {
      checks += 1;
      if (checks < 3) throw away();
    };
    await untilMediaAnswers({ check }, log, new AbortController().signal, AT_ONCE);
    expect(said()).toMatchObject([
      { level: 'warn', failures: 1, err: { message: 'The media store has no bucket talks.' } },
      { level: 'warn', failures: 2 },
      { level: 'info', msg: 'media store available' },
    ]);
  });

  it('is waited for no longer than the process runs', async () => {
    const { log, said } = loggedLines();
    const stop = new AbortController();
    const check = async () => {
      stop.abort();
      throw away();
    };
    await untilMediaAnswers({ check }, log, stop.signal);
    expect(said()).toHaveLength(1);
  });

  it('is not logged when it answers at once', async () => {
    const { log, said } = loggedLines();
    await untilMediaAnswers({ check: async () => {} }, log, new AbortController().signal);
    expect(said()).toEqual([]);
  });
});
