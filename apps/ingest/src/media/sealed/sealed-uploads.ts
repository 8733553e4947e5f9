import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, CONFIG, DATA_KEYS, DOCUMENTS } from '@parlance/runtime';
import type { Clock } from '@parlance/platform';
import type { DataKeys, DocumentDatabase } from '@parlance/storage';
import { decryptAge } from './age-file.js';
import { MediaKeyRing, type MediaKeySettings } from './media-key-ring.js';

/** Opens recordings that clients encrypted to a media key of this server. Nothing but ingest has the private keys. */
@Injectable()
export class SealedUploads {
  readonly ring: MediaKeyRing;

  constructor(
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(DATA_KEYS) keys: DataKeys | null,
    @Inject(CLOCK) clock: Clock,
    @Inject(CONFIG) settings: MediaKeySettings,
  ) {
    this.ring = new MediaKeyRing({ documents, keys: keys ?? undefined, clock, settings });
  }

  /** The recording in clear, of a job that was created at this time (RFC 3339). @throws AppError media_sealed_*, keys_unavailable; what the bytes throw */
  async *open(bytes: AsyncIterable<Uint8Array>, createdAt: string): AsyncGenerator<Uint8Array> {
    yield* decryptAge(bytes, await this.ring.identities(new Date(createdAt)));
  }
}
