import { describe, expect, it } from '@jest/globals';
import { openAiError } from './openai-error.js';

const invalid = (pointer: string, detail: string, code = 'invalid_value') => openAiError({ code: 'invalid_request', detail: 'The request is not valid.', errors: [{ pointer, code, detail }] }, 400);

describe('the message of an error, which is all that OpenAI’s clients print of it,', () => {
  it('names the parameter', () => {
    expect(invalid('/response_format', 'Choose one of json, text.').body.error).toMatchObject({ message: 'response_format: Choose one of json, text.', param: 'response_format' });
    expect(invalid('/model', 'There is no such model.', 'model_unknown')).toMatchObject({ status: 404, body: { error: { message: 'model: There is no such model.', code: 'model_not_found' } } });
  });

  it('is that of the file without a name, as it says so', () => {
    expect(invalid('/file', 'A file is required.').body.error).toMatchObject({ message: 'A file is required.', param: 'file' });
    expect(openAiError({ code: 'media_empty', detail: 'The file has no bytes.' }, 422)).toMatchObject({ status: 400, body: { error: { message: 'The file has no bytes.', param: 'file' } } });
  });
});
