import type { CallToolResult, McpServer, ToolAnnotations } from "@modelcontextprotocol/server";
import type { z } from "zod";
import type { Scope } from "#src/domain/access/permissions/index.ts";
import { callOf, type ToolCall } from "./call.ts";
import type { McpSession } from "./session.ts";
import { refusalOf } from "./refusal.ts";
import { TaskHandle } from "./task-handles.ts";

interface Definition<I extends z.ZodObject> {
  /** Known to the prompts and settings of people: do not change it. */
  name: string;
  title: string;
  description: string;
  /** A key without this permission is not offered the tool. The domain checks it again for what the call names. */
  scope: Scope;
  input: I;
  /** Hints for the client about what a call changes. */
  annotations: ToolAnnotations;
  run: (call: ToolCall, input: z.output<I>) => Promise<Record<string, unknown> | TaskHandle>;
}

/** A tool as the server offers it. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly scope: Scope;
  offer(server: McpServer, session: McpSession): void;
}

/** Combines a tool's schema with what it does. A refusal of the domain becomes a result that says so in a sentence. */
export function defineTool<I extends z.ZodObject>(definition: Definition<I>): McpTool {
  const { name, title, description, scope, input, annotations, run } = definition;
  return {
    name,
    description,
    scope,
    offer(server, session) {
      const shown = { title, description, inputSchema: input, annotations };
      const answer = async (args: z.output<I>, context: Parameters<typeof callOf>[1]) => {
        try {
          const result = await run(callOf(session, context), args);
          return result instanceof TaskHandle ? result.result : success(result);
        } catch (error) {
          return failure(refusalOf(session, error).message);
        }
      };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The server passes what the schema has parsed.
      server.registerTool<z.ZodObject, z.ZodObject>(name, shown, answer as never);
    },
  };
}

/** Clients that know no structured content read the same as text. */
function success(result: Record<string, unknown>): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(result) }], structuredContent: result };
}

function failure(sentence: string): CallToolResult {
  return { content: [{ type: "text", text: sentence }], isError: true };
}
