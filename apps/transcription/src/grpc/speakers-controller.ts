import { Controller, Inject } from '@nestjs/common';
import { GrpcMethod } from '@nestjs/microservices';
import type { transcription } from '@parlance/contracts';
import { AppError, notFound } from '@parlance/platform';
import { TRANSCRIPTS_STORE } from '../tokens.js';
import { merged, renamed } from '../transcript/speaker-changes.js';
import type { TranscriptDocument } from '../transcript/transcript-documents.js';
import type { TranscriptStore } from '../transcript/transcript-store.js';

const LONGEST_NAME = 200;

/** TranscriptService: who speaks. Of another account's transcript, as of none, NOT_FOUND. */
@Controller()
export class SpeakersController {
  constructor(@Inject(TRANSCRIPTS_STORE) private readonly transcripts: TranscriptStore) {}

  @GrpcMethod('TranscriptService', 'listSpeakers')
  async listSpeakers({ accountId, jobId }: transcription.ListSpeakersRequest): Promise<transcription.ListSpeakersResponse> {
    const { speakers, version, merges = {} } = ownedBy(accountId, await this.transcripts.get(jobId));
    return { speakers, version, merges };
  }

  @GrpcMethod('TranscriptService', 'renameSpeaker')
  async renameSpeaker({ accountId, jobId, speakerId, name }: transcription.RenameSpeakerRequest): Promise<transcription.RenameSpeakerResponse> {
    if (name.trim() === '' || name.length > LONGEST_NAME) throw invalidName();
    const transcript = await this.transcripts.update(jobId, (current) => renamed(ownedBy(accountId, current), speakerId, name));
    return { speaker: ownedBy(accountId, transcript).speakers.find((speaker) => speaker.speakerId === speakerId) };
  }

  @GrpcMethod('TranscriptService', 'mergeSpeakers')
  async mergeSpeakers({ accountId, jobId, from, into }: transcription.MergeSpeakersRequest): Promise<transcription.MergeSpeakersResponse> {
    const transcript = await this.transcripts.update(jobId, (current) => merged(ownedBy(accountId, current), from, into));
    return { speakers: ownedBy(accountId, transcript).speakers };
  }
}

function ownedBy(accountId: string, transcript: TranscriptDocument | undefined): TranscriptDocument {
  if (transcript?.accountId !== accountId) throw notFound('The transcript');
  return transcript;
}

const invalidName = () => new AppError({ kind: 'invalid', code: 'invalid_name', message: `A speaker's name has 1 to ${LONGEST_NAME} characters.` });
