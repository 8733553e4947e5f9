import { Controller, Inject } from '@nestjs/common';
import type { transcription, TranscriptService } from '@parlance/contracts';
import { AppError, requireMatch } from '@parlance/platform';
import { ownedBy } from '../editing/spoken-transcripts.js';
import { merged, renamed } from '../transcript/speaker-changes.js';
import { TranscriptStore } from '../transcript/transcript-store.js';

const MAX_NAME_LENGTH = 200;

/** The part of TranscriptService about speakers. A transcript of another account is not found, as one that does not exist. */
@Controller()
export class SpeakersController implements Pick<TranscriptService, 'listSpeakers' | 'renameSpeaker' | 'mergeSpeakers'> {
  constructor(@Inject(TranscriptStore) private readonly transcripts: TranscriptStore) {}

  async listSpeakers({ accountId, jobId }: transcription.ListSpeakersRequest): Promise<transcription.ListSpeakersResponse> {
    const { speakers, version, merges = {}, revision = 0 } = ownedBy(accountId, await this.transcripts.get(jobId));
    return { speakers, version, merges, revision };
  }

  async renameSpeaker({ accountId, jobId, speakerId, name, ifMatch }: transcription.RenameSpeakerRequest): Promise<transcription.RenameSpeakerResponse> {
    if (name.trim() === '' || name.length > MAX_NAME_LENGTH) throw invalidName();
    const transcript = await this.transcripts.update(jobId, (current) => {
      const read = ownedBy(accountId, current);
      requireMatch(ifMatch, String(read.version));
      return renamed(read, speakerId, name);
    });
    const { speakers, version } = ownedBy(accountId, transcript);
    return { speaker: speakers.find((speaker) => speaker.speakerId === speakerId), version };
  }

  async mergeSpeakers({ accountId, jobId, from, into }: transcription.MergeSpeakersRequest): Promise<transcription.MergeSpeakersResponse> {
    const transcript = await this.transcripts.update(jobId, (current) => merged(ownedBy(accountId, current), from, into));
    return { speakers: ownedBy(accountId, transcript).speakers };
  }
}

const invalidName = () => new AppError({ kind: 'invalid', code: 'invalid_name', message: `A speaker's name has 1 to ${MAX_NAME_LENGTH} characters.` });
