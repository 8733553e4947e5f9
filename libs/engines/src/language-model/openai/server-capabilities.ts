import type { APIError } from 'openai';
import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';
import type { GenerationRequest } from '../language-model.js';

/** Parameters that some servers do not support: newer models take no `max_tokens`, some no temperature, smaller servers no JSON schema. */
type OptionalParameter = 'max_tokens' | 'temperature' | 'response_format';
const OPTIONAL_PARAMETERS: readonly OptionalParameter[] = ['max_tokens', 'temperature', 'response_format'];

/** Which parts of a request the server takes, found out by its refusals and kept for this process. */
export class ServerCapabilities {
  private readonly refused = new Set<OptionalParameter>();

  params({ messages, schema, maxOutputTokens, temperature }: GenerationRequest, model: string, limit: number): ChatCompletionCreateParamsNonStreaming {
    const tokens = Math.min(maxOutputTokens ?? limit, limit);
    const byPrompt = schema && this.refused.has('response_format');
    return {
      model,
      messages: [...messages, ...(byPrompt ? [schemaInWords(schema.definition)] : [])],
      ...(this.refused.has('max_tokens') ? { max_completion_tokens: tokens } : { max_tokens: tokens }),
      ...(temperature !== undefined && !this.refused.has('temperature') && { temperature }),
      ...(schema && !byPrompt && { response_format: { type: 'json_schema', json_schema: { name: schema.name, schema: schema.definition, strict: true } } }),
    };
  }

  /**
   * @param sent what was refused; another request may have taught the same since
   * @returns whether another request, otherwise made, makes sense
   */
  learnFrom({ status, param, message }: APIError, sent: ChatCompletionCreateParamsNonStreaming): boolean {
    if (status !== 400 && status !== 422) return false;
    const named = OPTIONAL_PARAMETERS.find((parameter) => param?.startsWith(parameter) || message.includes(parameter));
    // Servers that know no schema say so in words of their own; that a request is too long is another matter.
    const guessed = sent.response_format && /schema|json|format|grammar/iu.test(message) ? 'response_format' : undefined;
    const parameter = named ?? guessed;
    if (parameter === undefined || sent[parameter] === undefined) return false;
    this.refused.add(parameter);
    return true;
  }
}

const schemaInWords = (definition: Record<string, unknown>) =>
  ({ role: 'user', content: `Answer with one JSON object and nothing else. Its JSON Schema:\n${JSON.stringify(definition)}` }) as const;
