import { Inject, Injectable } from '@nestjs/common';
import { roundToMs, type Word } from '@parlance/transcript';
import { ChunkCheckpoints, type ChunkRange } from '../chunks/chunk-checkpoints.js';
import type { TranscriptDocument } from './transcript-documents.js';
import { TranscriptStore } from './transcript-store.js';

interface RewordedChunk extends ChunkRange {
  words: Word[];
}

/** Gives the checkpoints of a redacted transcript its words: they are kept to show how the job proceeded, with all that was recognised. */
@Injectable()
export class RedactedCheckpoints {
  /** The work that is going on, by job. */
  private readonly running = new Map<string, Promise<void>>();

  constructor(
    @Inject(ChunkCheckpoints) private readonly checkpoints: ChunkCheckpoints,
    @Inject(TranscriptStore) private readonly transcripts: TranscriptStore,
  ) {}

  /** May be repeated; calls for one transcript share the work. */
  redact(transcript: TranscriptDocument): Promise<void> {
    const { id } = transcript;
    const running = this.running.get(id) ?? this.rewordAll(transcript).finally(() => this.running.delete(id));
    this.running.set(id, running);
    return running;
  }

  /** Holds the words of the chunks at one place of the media. */
  private async rewordAll(transcript: TranscriptDocument): Promise<void> {
    if (Object.keys(transcript.redacted ?? {}).length === 0) return;
    const waiting = (await this.checkpoints.recognizedRanges(transcript.id)).map((range): RewordedChunk => ({ ...range, words: [] })).toSorted((one, other) => one.ownStart - other.ownStart);
    if (waiting.length === 0) return;
    let open: RewordedChunk[] = [];
    for await (const segment of this.transcripts.readSegments(transcript)) {
      const [done, rest] = partition(open, ({ ownEnd }) => ownEnd <= segment.start);
      open = [...rest, ...takeWhile(waiting, ({ ownStart }) => ownStart <= segment.end)];
      for (const chunk of done) await this.reword(transcript.id, chunk);
      for (const word of segment.words) for (const chunk of open) if (isIn(chunk, word)) chunk.words.push(wordOf(word, chunk));
    }
    for (const chunk of [...open, ...waiting]) await this.reword(transcript.id, chunk);
  }

  private reword(jobId: string, { words, ...range }: RewordedChunk): Promise<void> {
    return this.checkpoints.reword(jobId, range, words);
  }
}

const isIn = ({ ownStart, ownEnd, channel }: ChunkRange, word: Word): boolean => {
  const middle = (word.start + word.end) / 2;
  return middle >= ownStart && middle < ownEnd && word.channel === channel;
};

const wordOf = ({ start, end, text, confidence, redacted, redactedBy }: Word, chunk: ChunkRange): Word => ({
  start: roundToMs(start - chunk.start),
  end: roundToMs(end - chunk.start),
  text,
  ...(confidence !== undefined && { confidence }),
  ...(redacted !== undefined && { redacted, redactedBy }),
});

function partition<T>(all: readonly T[], test: (each: T) => boolean): [T[], T[]] {
  return [all.filter(test), all.filter((each) => !test(each))];
}

/** Takes the first ones that pass off the list. */
function takeWhile<T>(all: T[], test: (each: T) => boolean): T[] {
  const end = all.findIndex((each) => !test(each));
  return all.splice(0, end < 0 ? all.length : end);
}
