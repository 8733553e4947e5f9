import { AppError } from '@parlance/platform';

/** The bytes of a file. @throws AppError media_empty when there are none */
export async function* notEmpty(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isEmpty = true;
  for await (const bytes of body) {
    isEmpty &&= bytes.length === 0;
    yield bytes;
  }
  if (isEmpty) throw emptyFile();
}

export const emptyFile = (): AppError => new AppError({ kind: 'unsupported_media', code: 'media_empty', message: 'The file has no bytes.' });
