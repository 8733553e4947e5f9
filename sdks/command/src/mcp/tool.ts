import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { CallToolResult, ServerNotification, ServerRequest, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { Parlance } from './client.js';
import { adviceFor } from './failures.js';

export interface McpOptions {
  /** Version of this package, which clients show. */
  version?: string;
  /** Folders from which files may be transcribed. Default: any file that this process can read. */
  folders?: string[];
  /** Leaves out the tools that change something. */
  readOnly?: boolean;
}

/** The means of one call of a tool. */
export interface ToolContext {
  client: Parlance;
  options: McpOptions;
  /** Aborts when the assistant cancels the call or disconnects. */
  signal: AbortSignal;
  /** Sends progress in percent to an assistant that requested it; otherwise does nothing. */
  report: (percent: number, message: string) => void;
}

/** The result of a tool, as structured data and as text for assistants that read only text. */
interface ToolResult<Output extends z.ZodRawShape> {
  data: z.output<z.ZodObject<Output>>;
  text: string;
}

export interface Tool<Input extends z.ZodRawShape, Output extends z.ZodRawShape> {
  name: string;
  title: string;
  description: string;
  annotations: ToolAnnotations;
  input: Input;
  output: Output;
  run: (input: z.output<z.ZodObject<Input>>, context: ToolContext) => Promise<ToolResult<Output>>;
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Offers a tool. An error of the call is a result with advice, so that the assistant can correct its call. */
export function register<Input extends z.ZodRawShape, Output extends z.ZodRawShape>(server: McpServer, tool: Tool<Input, Output>, client: Parlance, options: McpOptions): void {
  const { name, title, description, annotations, input, output } = tool;
  const config = { title, description, annotations, inputSchema: z.strictObject(input), outputSchema: z.object(output) };
  server.registerTool(name, config, async (given: unknown, extra: Extra): Promise<CallToolResult> => {
    const context: ToolContext = { client, options, signal: extra.signal, report: reporter(extra) };
    try {
      const { data, text } = await tool.run(given as z.output<z.ZodObject<Input>>, context);
      return { content: [{ type: 'text', text }], structuredContent: data };
    } catch (error) {
      if (extra.signal.aborted) throw error;
      return { content: [{ type: 'text', text: adviceFor(error) }], isError: true };
    }
  });
}

/** Progress of the protocol may only grow. */
function reporter({ _meta: meta, sendNotification }: Extra): ToolContext['report'] {
  const progressToken = meta?.progressToken;
  let last = -1;
  return (percent, message) => {
    if (progressToken === undefined || percent <= last) return;
    last = percent;
    // A lost notification costs nothing: the result follows.
    sendNotification({ method: 'notifications/progress', params: { progressToken, progress: percent, total: 100, message } }).catch(() => undefined);
  };
}
