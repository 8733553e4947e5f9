import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const CHECK = fileURLToPath(new URL('documents.mjs', import.meta.url));
const FIRST = '# 1. One queue\n\nStatus: accepted, 2026-01-02.\n\nText.';

describe('the check of documents', () => {
  let folder: string;
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const check = () => spawnSync(process.execPath, [CHECK, '--folder', folder], { encoding: 'utf8' });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'documents-'));
    spawnSync('git', ['init', '-q', folder]);
    write('docs/decisions/0001-one-queue.md', FIRST);
    write('README.md', '# Product\n[Why](docs/decisions/0001-one-queue.md)');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('accepts links to files, folders, headings and other sites, and ignores examples', () => {
    write('docs/page.md', '# Page\n## What `x` is, and why\n[site](https://example.org) [top](../README.md#product) `[no](nowhere.md)`\n```\n[no](nowhere.md)\n```\nSee decision 1.');
    write('README.md', '# Product\n[Why](docs/decisions/0001-one-queue.md), [page](docs/page.md#what-x-is-and-why), [docs](docs)');
    expect(check()).toMatchObject({ status: 0, stdout: expect.stringContaining('0 faults') });
  });

  it.each([
    ['a file that does not exist', '[no](docs/nowhere.md)', 'README.md:2: docs/nowhere.md does not exist'],
    ['a heading that does not exist', '[Why](docs/decisions/0001-one-queue.md#how)', 'README.md:2: docs/decisions/0001-one-queue.md has no heading #how'],
    ['a decision that does not exist', 'See decision 1 and 7.', 'README.md:2: there is no decision 7'],
    ['another decision than the text names', '[decision 2](docs/decisions/0001-one-queue.md)', 'README.md:2: "decision 2" links to decision 1'],
  ])('finds %s', (_, line, fault) => {
    write('README.md', `# Product\n${line}\n[Why](docs/decisions/0001-one-queue.md)`);
    expect(check()).toMatchObject({ status: 1, stderr: expect.stringContaining(fault) });
  });

  it('finds decisions that a source names and nobody made', () => {
    write('apps/a.ts', '/** Docs/decisions has why: decision 9. */');
    expect(check().stderr).toContain('apps/a.ts:1: there is no decision 9');
  });

  it('finds a page that no other page links to', () => {
    write('docs/alone.md', '# Alone');
    expect(check().stderr).toContain('docs/alone.md: no other page links to it');
  });

  it('holds decisions to one form', () => {
    write('docs/decisions/0001-one-queue.md', '# 0001 One queue\n\n**Context.** Text.');
    const { stderr } = check();
    expect(stderr).toContain('the title does not begin with "# 1. "');
    expect(stderr).toContain('the third line is not "Status:');
  });

  it('finds a decision that supersedes another which does not say so', () => {
    write('docs/decisions/0002-two-queues.md', '# 2. Two queues\n\nStatus: accepted, 2026-01-03. Supersedes [decision 1](0001-one-queue.md).');
    expect(check().stderr).toContain('0002-two-queues.md: decision 1 does not say that this one supersedes it');
    write('docs/decisions/0001-one-queue.md', '# 1. One queue\n\nStatus: superseded, 2026-01-02. Superseded by [decision 2](0002-two-queues.md).');
    expect(check()).toMatchObject({ status: 0 });
    write('docs/decisions/README.md', '| 1 | [One queue](0001-one-queue.md) | accepted |');
    write('docs/page.md', '[Decisions](decisions/README.md)');
    write('README.md', '[Page](docs/page.md)');
    expect(check().stderr).toContain('docs/decisions/README.md: the row of decision 1 does not say by which ones it is superseded');
  });

  it('bounds the length of the README', () => {
    write('README.md', `[Why](docs/decisions/0001-one-queue.md)\n${'line\n'.repeat(100)}`);
    expect(check().stderr).toContain('README.md: has 101 lines, 100 are allowed');
  });
});
