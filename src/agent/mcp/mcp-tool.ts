import { failureOf, isStdio, leaveOf, type ServerOfTask } from "#src/domain/agent-work/mcp/index.ts";
import { sha256Hex } from "#src/lib/hash.ts";
import { parsedArguments } from "#src/models/tool-calls.ts";
import { NeedsInput } from "../tools/needs-input.ts";
import { failure, type Tool } from "../tools/tool.ts";
import { RESULT_TOKENS } from "./result-tokens.ts";
import { sentenceOf, type ServerLink } from "./server-link.ts";
import { toToolResult, type ResultDeps } from "./to-tool-result.ts";

interface Source extends ResultDeps {
  /** The name by which the model calls it. */
  name: string;
  server: ServerOfTask;
  tool: ServerOfTask["tools"][number];
  link: Pick<ServerLink, "changeOf" | "call">;
}

/** A tool of an MCP server as the agent has it. What the server says of its effects decides nothing: its owner's rules do. */
export function mcpTool({ name, server, tool, link, ...deps }: Source): Tool {
  const { asks, isReadOnly } = leaveOf(server.rules, tool.name);
  /** Hashes of changes that a person was told. */
  const told = new Set<string>();
  /** A chat allows the tool of this server, at this address, as it was described: not another one of the same name. */
  const allowanceOf = (hash: string) =>
    `${name}@${sha256Hex(JSON.stringify([server.id, server.url, hash])).slice(0, 16)}`;
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
    allowance: allowanceOf(tool.hash),
    async whyAskAgain() {
      const changed = await link.changeOf(tool.name).catch(() => null);
      if (!changed) return undefined;
      told.add(changed.hash);
      return {
        description: `The MCP server ${server.name} has changed this tool since it was accepted. It now says: ${changed.description}`,
        allowance: allowanceOf(changed.hash),
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
        return await toToolResult(deps, result, { server: server.name, tool: tool.name, context });
      } catch (error) {
        context.signal.throwIfAborted();
        const failed = failureOf(error);
        if (!failed) throw error;
        const { error: sentence, suggestion } = sentenceOf(failed, server.name);
        return failure(sentence, suggestion, { mcp_server: server.name });
      }
    },
  };
}
