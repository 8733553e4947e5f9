import { integer } from '@parlance/platform';
import { z } from 'zod';

/** The value of KEY_PROVIDER that switches encryption at rest off. */
const NO_PROVIDER = 'none';
/** KEY_CACHE_MS of the storage, which is not loaded to read settings. */
const MAX_CACHE_SECONDS = 300;

export const keyConfig = {
  KEY_PROVIDER: z
    .string()
    .optional()
    .describe(
      'Key service that holds the master key of encryption at rest: `local:<file>`, a file of lines `<version> <32 bytes in base64>`, which no backup contains; `aws-kms:<id, ARN or alias>[?region=…&endpoint=…]`; `gcp-kms:projects/…/cryptoKeys/<key>[?endpoint=…]`; `azure-kv:https://<vault>/keys/<key>`; `vault-transit:https://<host>/<engine>/<key>[?namespace=…&role=…&auth=…]`. The same in all services. npm start makes a file in $PARLANCE_DATA/master-keys. Without it, or with `none`, stored data is not encrypted by Parlance',
    ),
  KEY_CACHE_SECONDS: integer(1, MAX_CACHE_SECONDS)
    .default(MAX_CACHE_SECONDS)
    .describe('Seconds that clear keys stay in the memory of a process. While the key service is away, what they seal is read and written for so long; a key that was destroyed is gone everywhere after that time'),
  MEDIA_ENCRYPTION: z
    .enum(['on', 'off'])
    .optional()
    .describe(
      'Whether media that is stored from now on is sealed, with the keys of KEY_PROVIDER; media of both kinds is read with either value. By default on where KEY_PROVIDER is set and not none, else off; on without one is refused. The same in all services, except while it is switched',
    ),
} as const;

interface KeyConfig {
  KEY_PROVIDER?: string | undefined;
  MEDIA_ENCRYPTION?: 'on' | 'off' | undefined;
}

/** The problems of settings that contradict each other. */
export const keyConfigProblems = (config: KeyConfig): string[] =>
  config.MEDIA_ENCRYPTION === 'on' && keyProviderSetting(config) === undefined ? ['MEDIA_ENCRYPTION: on needs KEY_PROVIDER, whose keys seal the media'] : [];

/** @returns undefined where encryption at rest is off */
export const keyProviderSetting = ({ KEY_PROVIDER }: { KEY_PROVIDER?: string | undefined }): string | undefined => (KEY_PROVIDER === NO_PROVIDER ? undefined : KEY_PROVIDER);

/** True where media that is stored from now on is sealed. */
export const sealsMedia = (config: KeyConfig): boolean => keyProviderSetting(config) !== undefined && config.MEDIA_ENCRYPTION !== 'off';
