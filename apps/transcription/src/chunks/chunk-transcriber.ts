import { Inject, Injectable } from '@nestjs/common';
import { engineFailed, recognizeExpectedLanguage, recognizeWithinSpeech, SpeechEngines, type Recognition, type RecognitionRequest, type SpeechEngine, type SteeredRecognition } from '@parlance/engines';
import type { Clock } from '@parlance/platform';
import { CLOCK, CONFIG, MEDIA_STORE } from '@parlance/runtime';
import { giveBack, readObject, type MediaStore } from '@parlance/storage';
import { roundToMs, type PlannedChunk, type RecognitionOptions } from '@parlance/transcript';
import { onlyLanguage } from '../transcript/writer.js';
import type { TranscriptionConfig } from '../transcription.config.js';
import { ChunkPunctuator } from './chunk-punctuator.js';
import { LiveFinalsReader } from './live-finals-reader.js';
import { chunkOfFinals } from './live-chunk.js';
import type { TranscribedChunk } from './transcribed-chunk.js';

/** Gives one chunk's audio to the engine, within its deadline; a chunk without speech is not given at all. */
@Injectable()
export class ChunkTranscriber {
  constructor(
    @Inject(SpeechEngines) private readonly engines: SpeechEngines,
    @Inject(ChunkPunctuator) private readonly punctuator: ChunkPunctuator,
    @Inject(MEDIA_STORE) private readonly media: MediaStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<TranscriptionConfig, 'CHUNK_TIMEOUT_SECONDS'>,
    @Inject(LiveFinalsReader) private readonly liveFinals: LiveFinalsReader,
  ) {}

  /**
   * The chunk of a live session gets the words of its finals, and no engine.
   * @param isLast whether no chunk of the plan follows
   * @throws AppError engine_failed, engine_timeout, language_unsupported; canceled when the signal aborts.
   */
  async transcribe(chunk: PlannedChunk, options: RecognitionOptions, signal: AbortSignal, { isLast = false } = {}): Promise<TranscribedChunk> {
    if (options.liveFinalsKey !== undefined) return chunkOfFinals(await this.liveFinals.read(options.liveFinalsKey), chunk, isLast);
    const { language: asked, vocabulary, detection } = options;
    const { recognizer } = this.engineOf(options);
    const { name: engine, maxChunkSeconds } = recognizer.info;
    const { start, end } = chunk;
    const regions = chunk.speech.map((region) => ({ start: region.start - start, end: region.end - start }));
    if (regions.length === 0) return { words: [], speechSeconds: 0, audioSeconds: 0, processingSeconds: 0, engine, warnings: [] };

    const audioSeconds = roundToMs(end - start);
    if (audioSeconds > maxChunkSeconds) throw tooLong(audioSeconds, maxChunkSeconds);

    const pcm = await readObject(this.media, chunk.audioKey);
    const request = {
      pcm,
      ...(asked !== undefined && { language: asked }),
      ...(vocabulary.length > 0 && { vocabulary }),
      signal,
    };
    const began = this.clock.now().getTime();
    const recognize = (each: RecognitionRequest) =>
      recognizeWithinSpeech(recognizer, { ...each, signal: AbortSignal.any([signal, AbortSignal.timeout(this.config.CHUNK_TIMEOUT_SECONDS * 1000)]) }, regions);
    const recognition: Partial<SteeredRecognition> & Recognition = detection ? await recognizeExpectedLanguage(recognize, request, detection) : await recognize(request);
    const { language, languageConfidence, spoken, isUncertain, warnings = [] } = recognition;
    giveBack(pcm);
    const processingSeconds = (this.clock.now().getTime() - began) / 1000;
    const isBare = options.format && !recognizer.info.formatsText;
    const punctuated = isBare ? await this.punctuator.punctuate(recognition.words, spoken ?? language ?? asked ?? onlyLanguage(recognizer.info), signal) : undefined;
    return {
      words: punctuated?.words ?? recognition.words,
      speechSeconds: roundToMs(regions.reduce((sum, region) => sum + region.end - region.start, 0)),
      audioSeconds,
      processingSeconds,
      engine,
      language,
      languageConfidence,
      ...(spoken !== undefined && { spoken }),
      ...(isUncertain && { isLanguageUncertain: true }),
      ...(punctuated?.isPunctuated && { isPunctuated: true }),
      warnings: [...warnings, ...(punctuated?.warnings ?? [])],
    };
  }

  private engineOf({ model }: RecognitionOptions): SpeechEngine {
    const engine = this.engines.find(model);
    if (engine) return engine;
    throw engineFailed(`The speech engine ${model} is not configured.`, { retryable: false });
  }
}

/** Ingest asks for the limit of the engine when it plans chunks, and the engine may have been changed since. */
const tooLong = (seconds: number, maxSeconds: number) =>
  engineFailed(`The speech engine accepts ${maxSeconds} seconds of audio at once, but the chunk has ${Math.ceil(seconds)}.`, { retryable: false });
