import { failureOf, isStdio, leaveOf, type ServerOfTask } from "#src/domain/agent-work/mcp/index.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { parsedArguments } from "#src/models/tool-calls.ts";
import { Deferred } from "../tools/deferred.ts";
import { NeedsInput } from "../tools/needs-input.ts";
import { failure, type Tool } from "../tools/tool.ts";
import { followed } from "./follow.ts";
import { RESULT_TOKENS } from "./result-tokens.ts";
import { sentenceOf, type ServerLink } from "./server-link.ts";
import { toToolResult, type ResultDeps } from "./to-tool-result.ts";

/** A tool of a server, by the name by which the model calls it. */
export interface NamedTool {
  name: string;
  server: ServerOfTask;
  tool: ServerOfTask["tools"][number];
}

interface Source extends ResultDeps, NamedTool {
  link: Pick<ServerLink, "changeOf" | "call" | "follow">;
}

/** A tool of this server, at this address, as it was described: not another one of the same name. */
const allowanceOf = ({ name, server }: NamedTool, hash: string) =>
  `${name}@${sha256Hex(JSON.stringify([server.id, server.url, hash])).slice(0, 16)}`;

/** Whether it is the tool that was called: of the same server, at the same address, with words that its owner has accepted, or a person was asked about. */
export function isSameTool(named: NamedTool, allowance: string): boolean {
  const { hash, changed } = named.tool;
  const known = changed ? [hash, changed.hash] : [hash];
  return known.some((each) => allowanceOf(named, each) === allowance);
}

/** A tool of an MCP server as the agent has it. What the server says of its effects decides nothing: its owner's rules do. */
export function mcpTool({ link, secrets, ...named }: Source): Tool {
  const { name, server, tool } = named;
  const { asks, isReadOnly } = leaveOf(server.rules, tool.name);
  /** Hashes of changes that a person was told. */
  const told = new Set<string>();
  return {
    name,
    aliases: [],
    effect: isReadOnly ? "read" : "other",
    // What a program of the project does, whoever may write its files decides.
    scope: isStdio(server) ? "terminal.access" : "mcp.view",
    dangerous: asks,
    runsInPlan: isReadOnly,
    isOffered: () => true,
    definition: {
      name,
      description: `[MCP server ${server.name}] ${tool.description}`,
      parameters: tool.inputSchema,
    },
    resultTokens: RESULT_TOKENS,
    allowance: allowanceOf(named, tool.hash),
    async whyAskAgain() {
      const changed = await link.changeOf(tool.name).catch(() => null);
      if (!changed) return undefined;
      told.add(changed.hash);
      return {
        description: `The MCP server ${server.name} has changed this tool since it was accepted. It now says: ${changed.description}`,
        allowance: allowanceOf(named, changed.hash),
      };
    },
    async run(argumentsText, context) {
      const args = parsedArguments(argumentsText);
      if (!args)
        return failure("The arguments are not a JSON object.", `Call ${name} again with one JSON object.`);
      try {
        const changed = await link.changeOf(tool.name);
        if (changed && !told.has(changed.hash)) {
          return failure(
            "The tool has just been changed by its server, so it was not called.",
            "Call it again: the user is then asked.",
          );
        }
        const result = await link.call(tool.name, args, {
          signal: context.signal,
          onProgress: context.report,
          input: context.input,
          onQuestion: (params) =>
            context.onQuestion?.({ server: server.name, params }) ?? Promise.resolve({ action: "decline" }),
        });
        if ("asks" in result) throw new NeedsInput(server.name, result);
        if ("taskId" in result)
          throw new Deferred(server.name, result, allowanceOf(named, changed?.hash ?? tool.hash));
        return await toToolResult({ secrets }, result, { server: server.name, tool: tool.name, context });
      } catch (error) {
        context.signal.throwIfAborted();
        const failed = failureOf(error);
        if (!failed) throw error;
        const { error: sentence, suggestion } = sentenceOf(failed, server.name);
        return failure(sentence, suggestion, { mcp_server: server.name });
      }
    },
    async follow(request, context) {
      if (!isSameTool(named, request.tool))
        return { kind: "failed", passes: "never", result: moved(server.name) };
      return followed({ secrets, link, server: server.name, tool: tool.name }, request, context);
    },
  };
}

const moved = (server: string) =>
  failure(
    `The MCP server ${server} was moved, or the tool was changed, while the call ran. Its result was not read.`,
    "Tell the user, or call it again if that is safe.",
    { mcp_server: server },
  );
