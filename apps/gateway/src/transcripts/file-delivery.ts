/** How a file of a job is handed over. */
export interface FileDelivery {
  /** Whether a browser shows the file where it can, or saves it. */
  disposition: 'inline' | 'attachment';
  /** Further headers, such as how long it may be kept. */
  headers: Readonly<Record<string, string>>;
}

/** To a caller with a key. */
export const FILE_DELIVERY: FileDelivery = { disposition: 'attachment', headers: { 'cache-control': 'private, no-cache' } };
