// A worker that does what it is told, as those of sherpa-onnx would by themselves: crash, hang inside a native call, complain.
import { writeSync } from 'node:fs';

/** True when the model's work hangs, once it is loaded. */
let isStuck = false;

process.on('message', ({ load, crash, hang, complain, echo }) => {
  if (load?.fail) {
    writeSync(2, '/shared/sherpa-onnx/csrc/some-model.cc:Init:12 /secret/folder/model.onnx is no model\n');
    process.exit(255);
  }
  if (load?.exhausted) {
    writeSync(2, "terminate called after throwing an instance of 'std::bad_alloc'\n");
    process.abort();
  }
  if (crash) process.kill(process.pid, 'SIGSEGV');
  // Blocks the thread without using it up.
  if (hang || isStuck) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  if (complain) writeSync(2, 'Caught exception:\n');
  if (load?.stuck) isStuck = true;
  process.send(load?.refuse ? { error: 'Please check your config in /secret/folder/model!' } : { echo, pid: process.pid });
  // Threads of the native library may write later than the answer ends.
  writeSync(2, '\u0004\nsomething else\n');
});
