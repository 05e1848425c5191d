import { failureOf, type ServerFailure } from "#src/domain/agent-work/mcp/index.ts";
import type { McpTaskState } from "#src/platform/mcp-client/mcp-client.ts";
import { foreignWords } from "../scrubbing/foreign-words.ts";
import type { KnownSecrets } from "../scrubbing/scrub.ts";
import {
  failure,
  type DeferredRequest,
  type DeferredState,
  type ToolContext,
  type ToolFailure,
} from "../tools/tool.ts";
import { sentenceOf, type ServerLink } from "./server-link.ts";
import { toToolResult, type ResultDeps } from "./to-tool-result.ts";

/** Most characters of a server's own words about a call. */
const QUOTED_CHARS = 300;

interface Followed extends ResultDeps {
  link: Pick<ServerLink, "follow">;
  server: string;
  tool: string;
}

/** What a server says of a call that it goes on with, or says to something about it. Throws the signal's reason. */
export async function followed(
  { link, server, tool, ...deps }: Followed,
  { taskId, say }: DeferredRequest,
  context: ToolContext,
): Promise<DeferredState> {
  const { signal } = context;
  try {
    const state = await link.follow(signal, async (connection): Promise<McpTaskState> => {
      if (say === undefined) return connection.getTask(taskId, { signal });
      if (say === "cancel") await connection.cancelTask(taskId, { signal });
      else if (!(await connection.updateTask(taskId, say.answers, { signal }))) return { kind: "unknown" };
      return WORKING;
    });
    if (state.kind === "working") return state;
    if (state.kind !== "completed")
      return { kind: "over", result: ended(server, state, await deps.secrets.known()) };
    return { kind: "over", result: await toToolResult(deps, state.result, { server, tool, context }) };
  } catch (error) {
    signal.throwIfAborted();
    const failed = failureOf(error);
    if (!failed) throw error;
    return { kind: "failed", passes: PASSES[failed.kind], result: notTold(server, failed) };
  }
}

/** What a server is taken to do that has heard something, and said nothing. */
const WORKING: McpTaskState = {
  kind: "working",
  asks: [],
  message: undefined,
  ttlMs: undefined,
  pollMs: undefined,
};

const PASSES = { unreachable: "maybe", error: "hardly", needs_authorization: "never" } as const;

const UNKNOWN_OUTCOME = "Check what it did before you call it again.";

function ended(
  server: string,
  state: Exclude<McpTaskState, { kind: "working" } | { kind: "completed" }>,
  known: KnownSecrets,
): ToolFailure {
  const fields = { mcp_server: server };
  if (state.kind === "unknown") {
    const error = `The MCP server ${server} no longer knows the call, so its outcome is unknown.`;
    return failure(error, UNKNOWN_OUTCOME, fields);
  }
  const words = state.message === undefined ? "" : `: ${foreignWords(state.message, known, QUOTED_CHARS)}`;
  const did = state.kind === "cancelled" ? "cancelled the call" : "ended the call with an error";
  return failure(`The MCP server ${server} ${did}${words}`, UNKNOWN_OUTCOME, fields);
}

function notTold(server: string, failed: ServerFailure): ToolFailure {
  const fields = { mcp_server: server };
  if (failed.kind === "needs_authorization") {
    const { error, suggestion } = sentenceOf(failed, server);
    return failure(error, suggestion, fields);
  }
  const error = `The MCP server ${server} went on with the call, and can no longer be asked about it. ${failed.message}.`;
  return failure(error, UNKNOWN_OUTCOME, fields);
}
