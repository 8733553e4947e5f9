// In the place of silero-worker.mjs: takes blocks as it does, finds no speech in them, and with the third has the fault that its settings name.
import { readSync, writeSync } from 'node:fs';

const { fault } = JSON.parse(process.argv[2]);
if (fault === 'unloadable') {
  console.error('/home/somebody/model.onnx is no model');
  process.exit(255);
}
if (fault === 'exhausted') {
  console.error("Error: EMFILE: too many open files, open '/home/somebody/model.onnx'");
  process.exit(1);
}
const FAULTS = {
  killed: () => process.kill(process.pid, 'SIGKILL'),
  aborted: () => process.abort(),
  hanging: () => new Promise(() => setInterval(() => {}, 1e6)),
  'no JSON': () => writeSync(3, 'segmentation fault\n'),
  'other JSON': () => writeSync(3, '[[1],["a",2]]\n'),
  'two answers': () => writeSync(3, '[]\n[]\n'),
  endless: () => writeSync(3, '['.repeat(70_000)),
};
const bytes = Buffer.alloc(65_536);
const length = () => (readSync(0, bytes, 0, 4) === 4 ? bytes.readUInt32LE() : process.exit());
for (let nth = 1; ; nth += 1) {
  for (let left = length(); left > 0; ) left -= readSync(0, bytes, 0, left) || process.exit();
  if (nth === 3) await FAULTS[fault]?.();
  writeSync(3, '[]\n');
}
