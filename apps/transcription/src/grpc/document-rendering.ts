import type { transcription } from '@parlance/contracts';
import type { DocumentFormat, DocumentHead, DocumentTurn, DocumentWriter } from '@parlance/documents';
import { paragraphsOf, sentencesOf, speakerNames, type RenderSource } from '@parlance/transcript';

type Request = transcription.RenderTranscriptRequest;

/**
 * The transcript as a document to read: with times, and with speakers when there is more than one, unless the request says otherwise.
 * @param over aborts when the client disconnects
 */
export function writeDocument(writer: DocumentWriter, format: DocumentFormat, request: Request, source: RenderSource, over: AbortSignal): AsyncGenerator<Uint8Array> {
  const { info } = source;
  const { speakers = info.speakers.length > 1, timestamps = true } = request;
  const head: DocumentHead = {
    title: request.title ?? request.jobId,
    createdAt: request.createdAt?.toISOString(),
    language: info.language,
    duration: info.duration,
    speakers: speakers ? info.speakers.map(({ name }) => name) : [],
    sections: request.sections,
    template: request.template,
  };
  return writer.write(format, head, turnsOf(source, { speakers, timestamps }), over);
}

async function* turnsOf(source: RenderSource, { speakers, timestamps }: { speakers: boolean; timestamps: boolean }): AsyncGenerator<DocumentTurn> {
  const nameOf = speakerNames(source);
  for await (const { text, start, speakerId, beginsTurn } of paragraphsOf(sentencesOf(source.segments()), { speakers })) {
    const isNamed = speakers && beginsTurn && speakerId !== undefined;
    yield { text, ...(isNamed && { speaker: nameOf(speakerId) }), ...(timestamps && { start }) };
  }
}
