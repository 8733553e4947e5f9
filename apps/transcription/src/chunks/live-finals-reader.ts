import { Inject, Injectable } from '@nestjs/common';
import { parseLiveFinals, type LiveFinals } from '@parlance/contracts';
import { MEDIA_STORE } from '@parlance/runtime';
import { readObject, type MediaStore } from '@parlance/storage';
import { LRUCache } from 'lru-cache';

/** Reads the finals of live sessions, and caches those of recent jobs. A session stores them once. */
@Injectable()
export class LiveFinalsReader {
  private readonly finals = new LRUCache<string, LiveFinals>({ max: 8 });

  constructor(@Inject(MEDIA_STORE) private readonly media: MediaStore) {}

  /** @throws AppError not_found */
  async read(key: string): Promise<LiveFinals> {
    const known = this.finals.get(key);
    if (known) return known;
    const finals = parseLiveFinals(new TextDecoder().decode(await readObject(this.media, key)));
    this.finals.set(key, finals);
    return finals;
  }
}
