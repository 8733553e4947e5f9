import * as files from 'node:fs/promises';
import { expect, it, jest } from '@jest/globals';

it('the API description is read again after a read that failed, and then kept', async () => {
  const readFile = jest.fn<() => Promise<string>>();
  readFile.mockRejectedValueOnce(new Error('EMFILE: too many open files')).mockResolvedValue('{\n  "openapi": "3.1.0"\n}');
  jest.unstable_mockModule('node:fs/promises', () => ({ ...files, readFile }));
  const { apiDescription } = await import('./api-description.js');
  await expect(apiDescription()).rejects.toThrow('EMFILE');
  expect([String(await apiDescription()), String(await apiDescription())]).toEqual(['{"openapi":"3.1.0"}', '{"openapi":"3.1.0"}']);
  expect(readFile).toHaveBeenCalledTimes(2);
});
