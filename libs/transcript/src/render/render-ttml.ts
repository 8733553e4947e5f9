import { vttTimecode } from '../timecodes.js';
import { directed } from './directed-line.js';
import { toCues, type Cue } from './cues.js';
import { labelledLines } from './labelled-lines.js';
import { speakerNames, type RenderOptions, type RenderSource } from './render-options.js';
import { xmlText } from './xml.js';

const PROFILE = 'http://www.w3.org/ns/ttml/profile/imsc1.1/text';

/** One region, whose cues stand centred at its bottom, on black. */
const LAYOUT = `<styling>
<style xml:id="text" tts:color="white" tts:backgroundColor="black" tts:fontFamily="proportionalSansSerif"/>
</styling>
<layout>
<region xml:id="bottom" tts:origin="10% 10%" tts:extent="80% 80%" tts:displayAlign="after" tts:textAlign="center" tts:lineHeight="125%" tts:showBackground="whenActive"/>
</layout>
`;

/**
 * TTML in the Text Profile of IMSC 1.1 (https://www.w3.org/TR/ttml-imsc1.1/): media times, a line break for each line. The
 * speaker's name stands before the first cue of a turn; each cue refers to its speaker as `ttm:agent`. Without words, an empty division.
 */
export async function* renderTtml(source: RenderSource, options: RenderOptions): AsyncGenerator<string> {
  const { info } = source;
  const names = speakerNames(source);
  const nameOf = (speakerId: string) => (options.speakers ? names(speakerId) : undefined);
  const agents = new Map(options.speakers ? info.speakers.map(({ speakerId }, index) => [speakerId, `speaker${index + 1}`]) : []);
  yield head(info.language) + agentsOf(agents, names) + LAYOUT + '</head>\n<body region="bottom">\n<div>\n';
  for await (const cue of toCues(source.segments(), info.duration, options, { nameOf, everyCue: false }, info.language)) {
    const agent = cue.speakerId === undefined ? undefined : agents.get(cue.speakerId);
    yield paragraph(cue, agent, info.language);
  }
  yield '</div>\n</body>\n</tt>\n';
}

const head = (language: string): string => `<?xml version="1.0" encoding="UTF-8"?>
<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" xmlns:tts="http://www.w3.org/ns/ttml#styling" xmlns:ttm="http://www.w3.org/ns/ttml#metadata" xml:lang="${xmlText(language)}" ttp:timeBase="media" ttp:cellResolution="50 24" ttp:contentProfiles="${PROFILE}">
<head>
`;

function agentsOf(agents: ReadonlyMap<string, string>, nameOf: (speakerId: string) => string): string {
  if (agents.size === 0) return '';
  const listed = [...agents].map(([speakerId, id]) => `<ttm:agent xml:id="${id}" type="person"><ttm:name type="full">${xmlText(nameOf(speakerId))}</ttm:name></ttm:agent>\n`);
  return `<metadata>\n${listed.join('')}</metadata>\n`;
}

function paragraph(cue: Cue, agent: string | undefined, language: string): string {
  const lines = labelledLines(cue).map((line) => xmlText(directed(line, language)));
  const spoken = agent === undefined ? '' : ` ttm:agent="${agent}"`;
  return `<p begin="${vttTimecode(cue.start)}" end="${vttTimecode(cue.end)}"${spoken}><span style="text">${lines.join('<br/>')}</span></p>\n`;
}
