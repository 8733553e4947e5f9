import { describe, expect, it } from '@jest/globals';
import { printable, Terminal } from '../src/terminal.js';

function written(isTTY: boolean, work: (terminal: Terminal) => void): { stdout: string; stderr: string } {
  const texts = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof texts) => ({ isTTY, write: (text: string) => void (texts[name] += text) }) as unknown as NodeJS.WriteStream;
  work(new Terminal({ stdout: stream('stdout'), stderr: stream('stderr') }, { NO_COLOR: '1' }, () => ({})));
  return texts;
}

const HOSTILE = 'a\u001B]0;owned\u0007\u001B[2Jb\r\nc\u009B1m\u202Ed\u2028e 你好 é 👩‍👩‍👧';
const SHOWN = 'a\\u001b]0;owned\\u0007\\u001b[2Jb\\r\\nc\\u009b1m\\u202ed\\u2028e 你好 é 👩‍👩‍👧';

describe('a text of the server', () => {
  it('is one line without control characters in columns', () => {
    expect(printable(HOSTILE)).toBe(SHOWN);
    expect(written(false, (terminal) => terminal.table([['job_1', HOSTILE]])).stdout).toBe(`job_1  ${SHOWN}\n`);
  });

  it('is one line in an error and in a note', () => {
    expect(written(true, (terminal) => terminal.failure(HOSTILE)).stderr).toBe(`error: ${SHOWN}\n`);
    expect(written(true, (terminal) => terminal.note(HOSTILE)).stderr).toBe(`${SHOWN}\n`);
  });

  it('keeps its lines on a terminal, and controls nothing', () => {
    expect(written(true, (terminal) => terminal.write('one\r\n\ttwo\u001B[2J\n')).stdout).toBe('one\n\ttwo\\u001b[2J\n');
  });

  it('is the same in JSON, as escapes that control nothing', () => {
    const { stdout } = written(true, (terminal) => terminal.printJson({ title: HOSTILE }));
    expect(stdout).toMatch(/^[^\p{Cc}\u2028\u202E]*\n$/u);
    expect(JSON.parse(stdout)).toEqual({ title: HOSTILE });
  });

  it('is as it is where the output is no terminal', () => {
    expect(written(false, (terminal) => terminal.write(HOSTILE)).stdout).toBe(HOSTILE);
  });
});
