import { describe, expect, it } from '@jest/globals';
import { ingest } from '@parlance/contracts';
import fc from 'fast-check';
import { downloadHeader } from './download-name.js';

const JOB = { jobId: 'job_1' };
const nameIn = (header: string) => decodeURIComponent(/filename\*=UTF-8''(\S+)$/.exec(header)?.[1] ?? '');
const nameOf = (job: { fileName?: string; audioUrl?: string }) => nameIn(downloadHeader(ingest.Job.fromPartial({ ...JOB, ...job }), 'pdf'));
const headerOf = (title: string) => downloadHeader(ingest.Job.fromPartial({ ...JOB, options: { metadata: { title } } }), 'pdf');
const titled = (title: string) => nameIn(headerOf(title));

describe('the name of a downloaded document', () => {
  it('is the title of the recording, else the name of its file, else that in its URL', () => {
    expect(titled('Sprint review 12.5')).toBe('Sprint review 12.5.pdf');
    expect(nameOf({ fileName: 'Besprechung März.m4a' })).toBe('Besprechung März.pdf');
    expect(nameOf({ audioUrl: 'https://example.org/a/%D0%B2%D1%81%D1%82%D1%80%D0%B5%D1%87%D0%B0.mp3?x=1' })).toBe('встреча.pdf');
    expect(nameOf({})).toBe('job_1.pdf');
  });

  it('is beside the id of the job, by which programs have known it', () => {
    expect(downloadHeader(ingest.Job.fromPartial({ ...JOB, fileName: '会議.mp3' }), 'docx')).toBe(`attachment; filename="job_1.docx"; filename*=UTF-8''%E4%BC%9A%E8%AD%B0.docx`);
  });

  it('names one file in the folder of the reader, whatever the title is', () => {
    expect(titled('../../etc/passwd')).toBe('etc passwd.pdf');
    expect(titled('a\r\nSet-Cookie: x')).toBe('a Set-Cookie x.pdf');
    expect(titled('\u202Efdp.exe')).toBe('fdp.exe.pdf');
    expect(titled('...')).toBe('job_1.pdf');
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (title) => {
        const header = headerOf(title);
        expect(header).toMatch(/^attachment; filename="job_1\.pdf"; filename\*=UTF-8''[\w.~%-]+$/);
        const name = nameIn(header);
        expect(name).toMatch(/^[^\p{Cc}/\\]+\.pdf$/u);
        expect(Buffer.byteLength(name)).toBeLessThan(350);
      }),
    );
  });
});
