import type { PartialObject } from './partial-object.js';

/** Parts that clients send straight to the store, by URLs that allow exactly that. */
export interface DirectParts {
  /** Begins an object whose parts clients send. It is stored as they send it: a store that seals cannot seal it. */
  begin(key: string): Promise<PartialObject>;
  /** One URL for each part, to which its bytes are sent by PUT. Valid for `seconds`, at most a week. */
  urls(partial: PartialObject, parts: number, seconds: number): Promise<string[]>;
  /** @returns the state with the parts that have arrived. @throws AppError canceled/upload_removed */
  arrived(partial: PartialObject): Promise<PartialObject>;
}
