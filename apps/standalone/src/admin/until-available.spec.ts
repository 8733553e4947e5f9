import { describe, expect, it } from '@jest/globals';
import { AppError, ConfigError } from '@parlance/platform';
import { answeringSoon } from './indexes-command.js';
import { untilAvailable } from './until-available.js';

const away = (cause?: unknown) => new AppError({ kind: 'unavailable', code: 'database_unavailable', message: 'The database is unavailable.', cause });

describe('waiting for a server', () => {
  const attempt = (failures: unknown[], timeout = 60) => {
    const said: string[] = [];
    let tries = 0;
    const work = async () => {
      const failure = failures[tries++];
      if (failure !== undefined) throw failure;
      return 'done';
    };
    return { outcome: untilAvailable(work, { timeout, onWait: (reason) => said.push(reason) }), said, tries: () => tries };
  };

  it('tries again until it is there, and says once why it waits', async () => {
    const { outcome, said } = attempt([away(new Error('connect ECONNREFUSED 10.0.0.1:27017'))]);
    expect(await outcome).toBe('done');
    expect(said).toEqual(['The database is unavailable: connect ECONNREFUSED 10.0.0.1:27017.']);
  });

  it('gives up in time with one line', async () => {
    const { outcome } = attempt(Array.from({ length: 9 }, () => away(new Error('no\nanswer'))), 1);
    await expect(outcome).rejects.toMatchObject({ message: 'The database is unavailable: no answer. Gave up after 1 s (--timeout).', exitCode: 1 });
  });

  it('does not wait for a wrong password or wrong settings to become right', async () => {
    const refused = attempt([away(Object.assign(new Error('Authentication failed.'), { code: 18 }))]);
    await expect(refused.outcome).rejects.toMatchObject({ message: 'The database is unavailable: Authentication failed.', exitCode: 1 });
    const unauthorized = attempt([away(Object.assign(new Error('Response Error'), { statusCode: 401 }))]);
    await expect(unauthorized.outcome).rejects.toMatchObject({ exitCode: 1 });
    const wrong = attempt([new ConfigError(['EVENT_BUS_URL: no'])]);
    await expect(wrong.outcome).rejects.toThrow(ConfigError);
    expect([refused, unauthorized, wrong].map(({ tries, said }) => [tries(), said])).toEqual([[1, []], [1, []], [1, []]]);
  });
});

it('the driver is told to answer soon, unless the operator has said when', () => {
  expect(answeringSoon('mongodb://a:1,b:2')).toBe('mongodb://a:1,b:2/?serverSelectionTimeoutMS=1500');
  expect(answeringSoon('mongodb+srv://a/x')).toBe('mongodb+srv://a/x?serverSelectionTimeoutMS=1500');
  expect(answeringSoon('mongodb://a/x?replicaSet=r')).toBe('mongodb://a/x?replicaSet=r&serverSelectionTimeoutMS=1500');
  expect(answeringSoon('mongodb://a/?serverSelectionTimeoutMS=9')).toBe('mongodb://a/?serverSelectionTimeoutMS=9');
});
