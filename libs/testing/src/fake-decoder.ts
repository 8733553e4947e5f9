import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the stand-in for pocketsphinx_batch may do instead of its work. */
export type DecoderFault = 'exit' | 'kill' | 'hang' | 'garbage' | 'megabytes' | 'nothing';

/**
 * A program in the place of pocketsphinx_batch that says one word for every utterance and can be told to fail,
 * all the time or for certain chunks. It notes each call.
 */
export class FakeDecoder implements AsyncDisposable {
  private constructor(private readonly folder: string) {}

  static async create(): Promise<FakeDecoder> {
    const decoder = new FakeDecoder(await mkdtemp(join(tmpdir(), 'parlance-decoder-')));
    const { folder } = decoder;
    await mkdir(join(folder, 'faults'));
    await mkdir(join(folder, 'model', 'en-us'), { recursive: true });
    for (const file of ['en-us/mdef', 'en-us.lm.bin', 'cmudict-en-us.dict']) await writeFile(join(folder, 'model', file), '');
    await writeFile(join(folder, 'calls'), '');
    await writeFile(decoder.binary, program(folder));
    await chmod(decoder.binary, 0o755);
    return decoder;
  }

  /** The setting that puts it in place. */
  get engineUrl(): string {
    return `pocketsphinx:?${new URLSearchParams({ binary: this.binary, model: join(this.folder, 'model'), parallelism: '2' })}`;
  }

  /** Every call from now on fails so, until `mend`. */
  fail(fault: DecoderFault): Promise<void> {
    return writeFile(join(this.folder, 'faults', 'all'), fault);
  }

  /** The first so many calls for each chunk fail. */
  failFirst(times: number): Promise<void> {
    return writeFile(join(this.folder, 'faults', 'first'), String(times));
  }

  /** Calls for this chunk fail; it is named as in `calls`. */
  failChunk(chunk: string): Promise<void> {
    return writeFile(join(this.folder, 'faults', chunk), 'exit');
  }

  /** Works from now on, and forgets its calls. */
  async mend(): Promise<void> {
    await rm(join(this.folder, 'faults'), { recursive: true });
    await mkdir(join(this.folder, 'faults'));
    await writeFile(join(this.folder, 'calls'), '');
  }

  /** The chunk of each call since the last `mend`, in order: a hash of its samples. */
  async calls(): Promise<string[]> {
    return (await readFile(join(this.folder, 'calls'), 'utf8')).split('\n').filter((line) => line !== '');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  private get binary(): string {
    return join(this.folder, 'pocketsphinx_batch');
  }
}

const program = (folder: string) => `#!/bin/sh
# Started without arguments to list its options.
[ $# -eq 0 ] && exit 1
PATH=/usr/local/bin:/usr/bin:/bin
while [ $# -gt 1 ]; do
  case $1 in -ctl) ctl=$2 ;; -cepdir) audio=$2 ;; -ctm) ctm=$2 ;; -hyp) hyp=$2 ;; esac
  shift
done
# Its audio is there once its list is.
utterances=$(cat "$ctl")
chunk=$(cat "$audio"/*.raw | sha256sum | cut -c 1-16)
echo "$chunk" >> '${folder}/calls'
faults='${folder}/faults'
fault=$(cat "$faults/all" "$faults/$chunk" 2>/dev/null)
times=$(cat "$faults/first" 2>/dev/null || echo 0)
[ "$(grep -c "$chunk" '${folder}/calls')" -le "$times" ] && fault=exit
case $fault in
  exit) echo 'ERROR: "acmod.c", line 83: the acoustic model is broken' >&2; exit 1 ;;
  kill) kill -KILL $$ ;;
  hang) exec sleep 300 ;;
  garbage) head -c 4096 /dev/urandom > "$ctm"; head -c 4096 /dev/urandom > "$hyp"; exit 0 ;;
  megabytes) head -c 20000000 /dev/zero | tr '\\0' x | tee "$ctm" > "$hyp"; head -c 20000000 /dev/zero >&2; exit 0 ;;
  nothing) exit 0 ;;
esac
for utterance in $utterances; do
  echo "spoken ($utterance -1000)" >> "$hyp"
  echo "$utterance 1 0.50 0.40 spoken 0.900" >> "$ctm"
done
`;
