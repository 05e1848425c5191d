import { requestApproval } from "#src/domain/agent-work/approvals/index.ts";
import { MCP_PREFIX } from "#src/domain/agent-work/mcp/index.ts";
import { taskEvents, type ClaimedTask } from "#src/domain/agent-work/tasks/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { askedParameters, MAX_ASKED_BYTES, shortened } from "./asked-call.ts";
import type { LogWriter } from "../steps/log-writer.ts";
import type { RunSecrets } from "../scrubbing/run-secrets.ts";
import { FIND_TOOLS } from "../mcp/find-tools.ts";
import { findTool, MCP_TOOLS } from "../tools/index.ts";
import type { ForeignTools } from "../tools/tool.ts";
import { missingScope } from "../tools/missing-scope.ts";
import type { Refusal } from "./refusal.ts";
import type { TurnRecords } from "./turn-records.ts";

/** The task waits for an approval, or for a server; this executor has nothing left to do. */
export class WaitingError extends Error {
  override name = "WaitingError";
  /** When the approval expires, or when the server is asked again, in milliseconds since the epoch. */
  readonly until: number;
  /** Whether a person is asked. */
  readonly isAsking: boolean;

  constructor(until: number, { isAsking = true }: { isAsking?: boolean } = {}) {
    super(`The task waits for ${isAsking ? "an approval" : "a server"}`);
    this.until = until;
    this.isAsking = isAsking;
  }

  /** The wait that ends with the first of these. */
  static forFirst(waits: readonly WaitingError[]): WaitingError {
    const until = Math.min(...waits.map((wait) => wait.until));
    return new WaitingError(until, { isAsking: waits.some((wait) => wait.isAsking) });
  }
}

export type Entry = { allowed: true } | ({ allowed: false } & Refusal);

const ALLOWED: Entry = { allowed: true };

/** A call that is about to begin. */
interface Call {
  iteration: number;
  id: string;
  name: string;
  /** As the model wrote them, and as the tool receives them. */
  arguments: string;
}

export interface GateDeps {
  db: Db;
  config: { APPROVAL_EXPIRE_HOURS: number };
}

interface GateParts {
  writer: LogWriter;
  secrets: Pick<RunSecrets, "stored">;
  /** Tools of MCP servers. */
  foreign?: ForeignTools | undefined;
}

/**
 * Decides which calls of a task may run: by the agent's tools, the key's scopes, the edit mode and the user's
 * approvals.
 */
export class Gate {
  readonly #deps: GateDeps;
  readonly #task: ClaimedTask;
  readonly #writer: LogWriter;
  readonly #secrets: Pick<RunSecrets, "stored">;
  readonly #foreign: ForeignTools | undefined;

  constructor(deps: GateDeps, task: ClaimedTask, { writer, secrets, foreign }: GateParts) {
    this.#deps = deps;
    this.#task = task;
    this.#writer = writer;
    this.#secrets = secrets;
    this.#foreign = foreign;
  }

  /** Throws `WaitingError` while the call's approval is open. */
  async enter(call: Call, records: TurnRecords): Promise<Entry> {
    const tool = findTool(call.name, { foreign: this.#foreign });
    if (!tool) return ALLOWED; // running it tells the model that there is no such tool
    if (!isToolOf(this.#task.agent, tool.name)) {
      return refused(`The agent does not have the tool ${tool.name}.`, "Go on without it.");
    }
    const { task, chat } = this.#task;
    // Checked first: no approval is requested for a call that is refused anyway.
    const missing = missingScope(tool, task.scopes);
    if (missing) return refused(missing.error, missing.suggestion ?? "");
    if (task.editMode === "plan" && !tool.runsInPlan) return planned(tool.name);
    // What the mode or the owner allows was allowed to the tool as it was.
    const news = await tool.whyAskAgain?.();
    const asks = task.editMode === "ask" && tool.dangerous;
    if (news === undefined && !asks) return ALLOWED;
    const { description, allowance } = news ?? { ...tool.definition, allowance: tool.allowance ?? tool.name };
    // A call whose approval was requested still goes through `#ask`, so that its decision is logged even if the answer
    // to another call settled it.
    const isAllowed = chat.allowedTools.includes(allowance);
    if (isAllowed && !records.wasAsked(call.id)) return ALLOWED;
    return this.#ask({ ...call, name: tool.name }, { description, allowance, isAllowed }, records);
  }

  async #ask(
    call: Call,
    { description, allowance, isAllowed }: { description: string; allowance: string; isAllowed: boolean },
    records: TurnRecords,
  ): Promise<Entry> {
    const { task } = this.#task;
    const { iteration, id: callId, name: tool } = call;
    const bytes = new TextEncoder().encode(call.arguments).length;
    if (bytes > MAX_ASKED_BYTES) return tooLarge(tool, bytes);
    const whole = askedParameters(call.arguments, await this.#secrets.stored());
    const ofChat = allowance === tool ? null : allowance;
    const dangerous = { taskId: task.id, iteration, callId, tool, allowance: ofChat, parameters: whole };
    const verdict = await requestApproval(this.#deps, dangerous, isAllowed);
    const { id, expiresAt } = verdict.approval;
    if (verdict.kind === "open") {
      const question = { id, callId, tool, ...shortened(whole), description, chatId: task.chatId, expiresAt };
      // The row may exist without the event: the executor that created it died in between.
      if (!records.wasAsked(callId)) {
        this.#writer.add({
          events: [taskEvents.approvalRequired(question)],
          records: [records.recordQuestion(callId)],
        });
      }
      throw new WaitingError(expiresAt.getTime());
    }
    const { reason } = verdict.approval;
    this.#writer.add({
      events: [taskEvents.approvalAnswered({ id, callId, tool, verdict: verdict.kind, reason })],
    });
    if (verdict.kind === "allowed") return ALLOWED;
    return { ...refused(verdict.reason, verdict.advice), denied: { by: verdict.by, reason } };
  }
}

/** Whether an agent has a tool; an agent without a list has all tools. `mcp` in a list stands for those of all MCP servers. */
export function isToolOf(agent: { tools: readonly string[] | null }, name: string): boolean {
  if (agent.tools === null || agent.tools.includes(name)) return true;
  return (name.startsWith(MCP_PREFIX) || name === FIND_TOOLS) && agent.tools.includes(MCP_TOOLS);
}

function tooLarge(tool: string, bytes: number): Entry {
  return refused(
    `The user cannot be asked about this call of ${tool}: its arguments have ${bytes} bytes, the limit is ${MAX_ASKED_BYTES}.`,
    "Split it into smaller calls: write the beginning of a long file first, and add the rest with further edits.",
  );
}

function planned(tool: string): Entry {
  const suggestion = "Describe what you would do instead; the user can then let you do it.";
  return refused(`${tool} is not run in plan mode.`, suggestion);
}

function refused(error: string, suggestion: string): Entry & { allowed: false } {
  return { allowed: false, error, suggestion };
}
