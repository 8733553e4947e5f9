import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { NewTranscription } from '@parlance/client';
import { fromPath } from '@parlance/client/node';
import { CommandError } from '../failures.js';

/** A recording to transcribe. */
export interface Input {
  /** The name in messages. */
  label: string;
  /** The file name that names its transcripts. */
  fileName: string;
  /** The part of a new job that says where the recording is. @throws CommandError when it cannot be read */
  open(): Promise<Pick<NewTranscription, 'file' | 'file_name' | 'audio_url'>>;
}

/** The input that an argument names: a URL, `-` or a path. */
export function inputOf(argument: string, stdin: AsyncIterable<Uint8Array>): Input {
  if (argument === '-') return { label: 'stdin', fileName: 'stdin', open: async () => ({ file: await notEmpty(stdin, 'The standard input') }) };
  if (/^https?:\/\//i.test(argument)) return { label: argument, fileName: nameOfUrl(argument), open: async () => ({ audio_url: argument }) };
  return fileInput(argument);
}

/** A file of the disk, uploaded under a name. A pipe, such as `<(ffmpeg …)` of a shell, is read as a stream. */
export function fileInput(path: string, fileName = nameOfFile(path)): Input {
  const open = async () => {
    const isPipe = await requireRecording(path);
    return { file: isPipe ? await notEmpty(createReadStream(path), 'The pipe') : await fromPath(path), file_name: fileName };
  };
  return { label: path, fileName, open };
}

/** The name of a descriptor is a number, which says nothing. */
const nameOfFile = (path: string) => (/^\/(?:dev|proc\/(?:self|\d+))\/fd\/\d+$/.test(path) ? 'pipe' : basename(path));

/** @returns true for a pipe @throws CommandError when there is nothing that can be read to its end */
async function requireRecording(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error) throw new CommandError(found.code === 'ENOENT' ? 'The file does not exist.' : `The file cannot be read (${found.code}).`);
  if (found.isDirectory()) throw new CommandError(`This is a folder. Name its files, or use --watch ${path}`);
  if (found.isFile() && found.size === 0) throw new CommandError('The file is empty: there is nothing to transcribe.');
  if (!found.isFile() && !found.isFIFO()) throw new CommandError('This is neither a file nor a pipe. For the standard input, give -.');
  return found.isFIFO();
}

async function notEmpty(stream: AsyncIterable<Uint8Array>, name: string): Promise<AsyncIterable<Uint8Array>> {
  const pieces = stream[Symbol.asyncIterator]();
  const first = await pieces.next();
  if (first.done) throw new CommandError(`${name} is empty: there is nothing to transcribe.`);
  const all = async function* () {
    yield first.value;
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value;
  };
  return all();
}

/** The last part of the path of a URL, or its host. */
function nameOfUrl(url: string): string {
  if (!URL.canParse(url)) return 'recording';
  const { pathname, hostname } = new URL(url);
  const last = pathname.split('/').findLast((part) => part !== '');
  return last ? decoded(last) : hostname;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
