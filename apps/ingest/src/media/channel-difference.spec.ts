import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { noise, SAMPLES, silence } from '@parlance/testing';
import { ChannelDifference } from './channel-difference.js';

const run = promisify(execFile);
const [TALK, OTHER_TALK] = [SAMPLES.meeting.path, SAMPLES.reading.path];

/** Compares the channels that a filter graph makes of the inputs; `[0]` and `[1]` are these at 16 kHz. In pieces that cut samples in two. */
async function areDifferent(inputs: string[], graph: string): Promise<boolean> {
  const filters = `[0:a]aresample=16000[0];${inputs.filter((argument) => argument === '-i').length > 1 ? '[1:a]aresample=16000[1];' : ''}${graph}`;
  const { stdout } = await run('ffmpeg', ['-v', 'error', ...inputs, '-filter_complex', filters, '-f', 's16le', '-t', '26', 'pipe:1'], { encoding: 'buffer', maxBuffer: 1e8 });
  const difference = new ChannelDifference();
  for (let at = 0; at < stdout.length; at += 10_001) difference.add(stdout.subarray(at, at + 10_001));
  return difference.areDifferent;
}

const ONE = ['-i', TALK];
const TWO = ['-i', TALK, '-i', OTHER_TALK];
const stereo = (left: string, right: string) => `${left}${right}join=inputs=2:channel_layout=stereo`;
const SPLIT = '[0]asplit[a][b];';

describe('two channels', () => {
  it.each([
    ['with two voices at once', TWO, `${stereo('[0]', '[1]')},atrim=end=9`],
    ['of which one is silent most of the time', TWO, `[1]apad[padded];${stereo('[0]', '[padded]')}`],
    ['with two voices and faint crosstalk', TWO, `[1]apad[padded];${stereo('[0]', '[padded]')},pan=stereo|c0=c0+0.05*c1|c1=c1+0.05*c0`],
    ['on which two take turns, one of them at a tenth of the level', ONE, `${SPLIT}[a]volume='if(lt(mod(t,8),4),1,0)':eval=frame[c];[b]volume='if(lt(mod(t,8),4),0,0.1)':eval=frame[d];${stereo('[c]', '[d]')}`],
  ])('%s differ', async (_what, inputs, graph) => {
    expect(await areDifferent(inputs, graph)).toBe(true);
  });

  it.each([
    ['with the same sound', ONE, `${SPLIT}${stereo('[a]', '[b]')}`],
    ['with the same sound at another level, delayed and inverted', ONE, `${SPLIT}[b]volume=-0.2,adelay=8[c];${stereo('[a]', '[c]')}`],
    ['with one voice and its echoes in a room', ONE, `${SPLIT}[a]aecho=0.8:0.9:60|110:0.4|0.3[c];[b]aecho=0.8:0.9:83|140:0.4|0.3[d];${stereo('[c]', '[d]')}`],
    ['of two microphones in a room of two people who take turns', ONE, `${SPLIT}[a]volume='if(lt(mod(t,8),4),1,0.4)':eval=frame[c];[b]volume='if(lt(mod(t,8),4),0.4,1)':eval=frame[d];${stereo('[c]', '[d]')}`],
    ['of which one is silent', [...ONE, ...silence(30)], stereo('[0]', '[1]')],
    ['of which one has only noise', [...ONE, ...noise(30)], `[1]volume=0.01[n];${stereo('[0]', '[n]')}`],
  ])('%s do not', async (_what, inputs, graph) => {
    expect(await areDifferent(inputs, graph)).toBe(false);
  });

  it('of silence, or without a sample, do not differ', async () => {
    expect(new ChannelDifference().areDifferent).toBe(false);
    expect(await areDifferent([...silence(5), ...silence(5)], stereo('[0]', '[1]'))).toBe(false);
  });
});
