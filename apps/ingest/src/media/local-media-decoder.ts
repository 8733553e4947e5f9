import { decoderArguments } from './decoder-arguments.js';
import type { MediaDecoder } from './media-decoder.js';
import type { MediaSandbox } from './sandbox.js';

/** Decodes in child processes of this process. */
export function createLocalMediaDecoder(sandbox: MediaSandbox): MediaDecoder {
  return {
    run(task, input) {
      const { tool, args } = decoderArguments(task);
      return sandbox.run(tool, args, input);
    },
  };
}
