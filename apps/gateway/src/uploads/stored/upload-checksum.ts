import { createHash, type Hash } from 'node:crypto';
import { AppError } from '@parlance/platform';

/** Upload-Checksum of the tus protocol; it requires SHA-1 of every server. */
export const CHECKSUM_ALGORITHMS = ['sha1', 'sha256', 'sha512'];

/** The checksum that a request states for its body. */
export class UploadChecksum {
  private readonly hash: Hash;

  private constructor(
    algorithm: string,
    private readonly expected: Buffer,
  ) {
    this.hash = createHash(algorithm);
  }

  /** @throws AppError malformed_request */
  static parse(header: string | undefined): UploadChecksum | undefined {
    if (header === undefined) return undefined;
    const [algorithm = '', base64 = '', ...rest] = header.split(' ');
    const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(base64);
    if (rest.length > 0 || !isBase64 || !CHECKSUM_ALGORITHMS.includes(algorithm)) {
      throw new AppError({ kind: 'invalid', code: 'malformed_request', message: `Upload-Checksum must be one of ${CHECKSUM_ALGORITHMS.join(', ')}, a space, and the checksum in base64.` });
    }
    return new UploadChecksum(algorithm, Buffer.from(base64, 'base64'));
  }

  /** The bytes, of which the last is passed on only when all are right. @throws AppError checksum_mismatch */
  async *check(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const bytes of body) {
      this.hash.update(bytes);
      yield bytes;
    }
    if (!this.hash.digest().equals(this.expected)) throw new AppError({ kind: 'invalid', code: 'checksum_mismatch', message: 'The bytes of this request have another checksum than Upload-Checksum states.' });
  }
}
