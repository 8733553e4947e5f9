/**
 * The owner of the keys that clients encrypt recordings to. No account has this id. Only the process that has the database of keys
 * unwraps them: they are not served to others.
 */
export const MEDIA_KEYS_OWNER = 'media-keys';

export const isOfMediaKeys = (recordId: string): boolean => recordId === MEDIA_KEYS_OWNER || recordId.startsWith(`${MEDIA_KEYS_OWNER}/`);
