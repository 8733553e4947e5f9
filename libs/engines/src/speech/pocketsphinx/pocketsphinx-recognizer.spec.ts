import { spawnSync } from 'node:child_process';
import { watch } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { outageOf } from '@parlance/platform';
import { samplePcm, sampleReference } from '../../../test/sample-pcm.js';
import type { Recognition } from '../speech-recognizer.js';
import { wordErrorRate } from '../word-error-rate.js';
import { PocketsphinxRecognizer } from './pocketsphinx-recognizer.js';

const never = new AbortController().signal;
const second = new Uint8Array(Int16Array.from({ length: 16_000 }, (_, index) => 3000 * Math.sin(index / 9)).buffer);

const reading = samplePcm('reading.flac');
let whole: Recognition;
beforeAll(async () => {
  whole = await new PocketsphinxRecognizer().recognize({ pcm: reading, signal: never });
});

describe('PocketsphinxRecognizer on the samples', () => {
  // test/system/one-recording checks the longer samples with this engine.
  it('recognises reading.flac with a word error rate of at most 0.1', () => {
    const { words } = whole;
    expect(wordErrorRate(sampleReference('reading.flac'), words.map(({ text }) => text).join(' ')).rate).toBeLessThanOrEqual(0.1);
    for (const [index, word] of words.entries()) {
      expect(word.end).toBeGreaterThan(word.start);
      expect(word.start).toBeGreaterThanOrEqual(words[index - 1]?.start ?? 0);
      expect(word.end).toBeLessThanOrEqual(reading.byteLength / 32_000);
      expect(word.confidence).toBeGreaterThanOrEqual(0);
      expect(word.confidence).toBeLessThanOrEqual(1);
      expect(word.text).toMatch(/^[A-Za-z'.-]+$/);
    }
  });

  it('times words from the start of the chunk, a silence before them included', async () => {
    const beginning = reading.subarray(0, 6 * 32_000);
    const later = await new PocketsphinxRecognizer().recognize({ pcm: Buffer.concat([new Uint8Array(4 * 32_000), beginning]), signal: never });
    const startOf = (words: { text: string; start: number }[]) => words.find(({ text }) => text === 'married')?.start ?? NaN;
    expect(startOf(later.words) - startOf(whole.words)).toBeCloseTo(4, 1);
  });

  it.each([0, 1, 1_600, 16_000, 160_000])('hears nothing in %d bytes of silence', async (bytes) => {
    const { words } = await new PocketsphinxRecognizer().recognize({ pcm: new Uint8Array(bytes), signal: never });
    expect(words).toEqual([]);
  });

  it.each([0.1, 0.13, 0.4])('decodes %d seconds without complaint', async (seconds) => {
    const pcm = reading.subarray(32_000, 32_000 + seconds * 32_000);
    await expect(new PocketsphinxRecognizer().recognize({ pcm, signal: never })).resolves.toMatchObject({ words: expect.any(Array) });
  });

  it('says that it does not use the vocabulary', async () => {
    const recognition = await new PocketsphinxRecognizer().recognize({ pcm: second, vocabulary: ['Parlance'], signal: never });
    expect(recognition.warnings).toEqual([expect.objectContaining({ code: 'vocabulary_unsupported' })]);
  });

  it('refuses a language it does not speak', async () => {
    const recognition = new PocketsphinxRecognizer().recognize({ pcm: second, language: 'de-AT', signal: never });
    await expect(recognition).rejects.toMatchObject({ kind: 'invalid', code: 'language_unsupported' });
  });
});

const withSmallDisks = process.platform === 'linux' && process.getuid?.() === 0 ? describe : describe.skip;

withSmallDisks('PocketsphinxRecognizer on a disk that fills while it decodes', () => {
  it('returns every word: results do not go through the disk', async () => {
    const disk = await mkdtemp(join(tmpdir(), 'parlance-disk-'));
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]);
    try {
      const binary = join(disk, 'pocketsphinx_batch');
      // Fills the disk before the decoder writes; the audio has been written once the list of its utterances is there.
      const fill = `utterances=$(cat)\ncat /dev/zero > ${join(disk, 'ballast')} 2> /dev/null`;
      const decode = `printf '%s\\n' "$utterances" | pocketsphinx_batch "$@"`;
      await writeFile(binary, `#!/bin/sh\n[ $# = 0 ] && exec pocketsphinx_batch\n${fill}\n${decode}\n`);
      await chmod(binary, 0o755);
      const { words } = await new PocketsphinxRecognizer({ binary, temporaryFolder: disk }).recognize({ pcm: reading, signal: never });
      expect(words.length).toBeGreaterThan(10);
      expect(words).toEqual(whole.words);
    } finally {
      spawnSync('umount', [disk]);
      await rm(disk, { recursive: true });
    }
  });
});

describe('PocketsphinxRecognizer when the decoder misbehaves', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-test-'));
    await mkdir(join(folder, 'work'));
    await mkdir(join(folder, 'model', 'en-us'), { recursive: true });
    for (const file of ['en-us/mdef', 'en-us.lm.bin', 'cmudict-en-us.dict']) await writeFile(join(folder, 'model', file), '');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** A decoder whose answer to arguments is the given shell script; `$ctm` and `$hyp` are its results. */
  async function decoderThat(script: string) {
    const binary = join(folder, 'pocketsphinx_batch');
    const list = 'if [ $# = 0 ]; then echo "-remove_silence yes" >&2; exit 1; fi';
    await writeFile(binary, `#!/bin/sh\n${list}\nwhile [ $# -gt 0 ]; do case "$1" in -ctm) ctm=$2;; -hyp) hyp=$2;; esac; args="$args $1"; shift; done\n${script}\n`);
    await chmod(binary, 0o755);
    return new PocketsphinxRecognizer({ binary, model: join(folder, 'model'), temporaryFolder: join(folder, 'work') });
  }
  const leftOver = () => readdir(join(folder, 'work'));

  it.each([
    ['exits with an error', 'echo "ERROR: \\"acmod.c\\", line 83: Folder is empty" >&2; exit 3', 'ended with status 3: Folder is empty'],
    ['is killed', 'kill -KILL $$', 'was killed by SIGKILL'],
    ['ends well before it had transcribed', 'exit 0', 'before it had transcribed'],
    ['answers for other audio', 'echo "hello (other -1)" > $hyp', 'before it had transcribed'],
    ['writes garbage', 'echo "hello (u0 -1)" > $hyp; echo "<html>" > $ctm', 'not a word with its time'],
    ['writes a time past the end', 'echo "hello (u0 -1)" > $hyp; echo "u0 1 7.00 0.20 hello 1.000" > $ctm', 'outside of the audio'],
  ])('fails with the cause and leaves no file when it %s', async (_case, script, cause) => {
    const recognizer = await decoderThat(script);
    const error = await recognizer.recognize({ pcm: second, signal: never }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'engine_failed', retryable: true, message: expect.stringContaining(cause) });
    expect(await leftOver()).toEqual([]);
  });

  it.each([
    ['disk', 'echo "FATAL: \\"batch.c\\", line 5: Failed to open: No space left on device" >&2; exit 1', 'storage_full'],
    ['descriptors', 'echo "error: Too many open files in system" >&2; exit 1', 'service_unavailable'],
    ['memory', 'echo "FATAL: \\"ckd_alloc.c\\", line 5: calloc(1,9) failed from x.c(3)" >&2; kill -ABRT $$', 'service_unavailable'],
  ])('reports an outage, which is waited for, when it has no %s', async (_resource, script, code) => {
    const recognizer = await decoderThat(script);
    const error = await recognizer.recognize({ pcm: second, signal: never }).catch((thrown: unknown) => thrown);
    expect(outageOf(error)).toMatchObject({ code, retryable: true });
  });

  it('kills the decoder and leaves no file when the call is canceled', async () => {
    const recognizer = await decoderThat(`touch ${join(folder, 'begun')}; exec sleep 60`);
    const abort = new AbortController();
    const watcher = watch(folder, (_change, name) => {
      if (name === 'begun') abort.abort();
    });
    const recognition = recognizer.recognize({ pcm: second, signal: abort.signal });
    await expect(recognition).rejects.toMatchObject({ code: 'canceled' });
    watcher.close();
    expect(await leftOver()).toEqual([]);
  });

  it('takes the process that was prepared for the call, or another one when that has died, and keeps one ready until it is closed', async () => {
    const calls = join(folder, 'calls');
    // It looks for the file before it says that it has begun: the test makes it then.
    const recognizer = await decoderThat(`[ -e ${join(folder, 'sound')} ]; missing=$?; echo call >> ${calls}; [ $missing = 0 ] || kill -KILL $$; cat > /dev/null; echo " (u0 -1)" > $hyp`);
    const callsOf = async () => (await readFile(calls, 'utf8').catch(() => '')).split('call').length - 1;
    const begun = async (count: number) => {
      while ((await callsOf()) < count) await sleep(20);
      expect(await callsOf()).toBe(count);
    };
    await recognizer.check();
    recognizer.prepare();
    recognizer.prepare();
    await begun(1);
    await writeFile(join(folder, 'sound'), '');
    expect((await recognizer.recognize({ pcm: second, signal: never })).words).toEqual([]);
    // One for the call, and one for the next call.
    await begun(3);
    await recognizer.recognize({ pcm: second, signal: never });
    await begun(4);
    await recognizer.close();
    expect(await leftOver()).toEqual([]);
    await recognizer.recognize({ pcm: second, signal: never });
    await begun(5);
    expect(await leftOver()).toEqual([]);
  });

  it('calls a passed deadline engine_timeout', async () => {
    const recognizer = await decoderThat('exec sleep 60');
    const recognition = recognizer.recognize({ pcm: second, signal: AbortSignal.timeout(200) });
    await expect(recognition).rejects.toMatchObject({ code: 'engine_timeout', retryable: true });
  });

  it('turns off the removal of silence where the program has it, since that shifts times', async () => {
    const recognizer = await decoderThat('case "$args" in *"-remove_silence no"*) echo " (u0 -1)" > $hyp;; esac');
    expect((await recognizer.recognize({ pcm: second, signal: never })).words).toEqual([]);
  });

  it('says how to install what is missing, and finds it once it is there', async () => {
    const recognizer = new PocketsphinxRecognizer({ path: folder, model: join(folder, 'model'), temporaryFolder: join(folder, 'work') });
    await expect(recognizer.check()).rejects.toMatchObject({
      code: 'engine_failed',
      retryable: false,
      message: expect.stringContaining('apt-get install pocketsphinx pocketsphinx-en-us'),
    });
    await decoderThat('exit 0');
    await expect(recognizer.check()).resolves.toBeUndefined();
  });
});
