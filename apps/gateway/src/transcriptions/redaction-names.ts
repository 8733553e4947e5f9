import { REDACTION_POLICIES } from '@parlance/text-analysis';
import { REDACTION_AUDIO, REDACTION_STYLES } from '@parlance/transcript';
import { z } from 'zod';

export const redactionPolicy = z.enum(REDACTION_POLICIES).meta({ id: 'RedactionPolicy', description: 'A kind of personal data.' });
export const redactionStyle = z.enum(REDACTION_STYLES).meta({ id: 'RedactionStyle', description: 'What stands for redacted words.' });
export const redactionAudio = z.enum(REDACTION_AUDIO).meta({ id: 'RedactionAudio', description: 'What stands for redacted words in the recording.' });
