/** The descriptions of the tags; a tag without one is listed in the API description by name only. */
export const TAG_DESCRIPTIONS: Readonly<Record<string, string>> = {
  Transcriptions: 'Create, follow, cancel, retry and delete jobs.',
  Transcripts: 'Read a transcript as JSON, text, captions or a document.',
  Speakers: 'Name and merge the speakers of a transcript.',
  'Summaries and highlights': 'Text derived from a transcript; each item has its evidence.',
  Search: 'Find passages in all transcripts, by words and by meaning.',
  Chat: 'Ask questions about one transcript or all of them; answers cite the transcript.',
  Languages: 'The languages that the speech engine supports.',
  Webhooks: 'Deliveries of events, the endpoints that receive them, and the secrets that sign them.',
  Events: 'Read again what happened to the jobs of the account.',
  Keys: 'Create, rotate and revoke API keys.',
  Account: 'The account of the API key.',
  Accounts: 'Signing up.',
  'Sign-up': 'Signing up.',
  Usage: 'Seconds of audio that were transcribed, and the limits.',
};
