import { requestApproval } from "#src/domain/agent-work/approvals/index.ts";
import { taskEvents, type ClaimedTask } from "#src/domain/agent-work/tasks/index.ts";
import type { Db } from "#src/platform/db/client.ts";
import { askedParameters, MAX_ASKED_BYTES, shortened } from "./asked-call.ts";
import type { LogWriter } from "./log-writer.ts";
import type { RunSecrets } from "./scrubbing/run-secrets.ts";
import { findTool } from "./tools/index.ts";
import { missingScope } from "./tools/missing-scope.ts";
import type { TurnRecords } from "./turn-records.ts";

/** The task waits for a person's word; nothing is left to do here until then. */
export class WaitingError extends Error {
  override name = "WaitingError";
  /** When nobody need be waited for any longer, in milliseconds since the epoch. */
  readonly until: number;

  constructor(until: number) {
    super("The task waits for an approval");
    this.until = until;
  }
}

export type Entry = { allowed: true } | { allowed: false; error: string; suggestion: string };

const ALLOWED: Entry = { allowed: true };

/** A call that is about to begin. */
interface Call {
  iteration: number;
  id: string;
  name: string;
  /** As the model wrote them, and as the tool will get them. */
  arguments: string;
}

export interface GateDeps {
  db: Db;
  config: { APPROVAL_EXPIRE_HOURS: number };
}

/** Decides which calls of a task may run: by the agent's tools, the key's scopes, the edit mode, and what people said. */
export class Gate {
  readonly #deps: GateDeps;
  readonly #task: ClaimedTask;
  readonly #writer: LogWriter;
  readonly #secrets: Pick<RunSecrets, "stored">;

  constructor(
    deps: GateDeps,
    task: ClaimedTask,
    { writer, secrets }: { writer: LogWriter; secrets: Pick<RunSecrets, "stored"> },
  ) {
    this.#deps = deps;
    this.#task = task;
    this.#writer = writer;
    this.#secrets = secrets;
  }

  /** Throws `WaitingError` once the question is put, and as long as it is open. */
  async enter(call: Call, records: TurnRecords): Promise<Entry> {
    const tool = findTool(call.name);
    if (!tool) return ALLOWED; // the model is told so where it is run
    if (!isToolOf(this.#task.agent, tool.name)) {
      return refused(`The agent does not have the tool ${tool.name}.`, "Go on without it.");
    }
    const { task, chat } = this.#task;
    // Before a question: nobody is asked about a call that is refused anyhow.
    const missing = missingScope(tool, task.scopes);
    if (missing) return refused(missing.error, missing.suggestion ?? "");
    if (task.editMode === "plan") return tool.runsInPlan ? ALLOWED : planned(tool.name);
    if (!tool.dangerous || task.editMode === "allow") return ALLOWED;
    // Whoever was asked is told what became of the question, also where the answer to another one settled it.
    if (chat.allowedTools.includes(tool.name) && !records.wasAsked(call.id)) return ALLOWED;
    return this.#ask({ ...call, name: tool.name }, tool.definition.description, records);
  }

  async #ask(call: Call, description: string, records: TurnRecords): Promise<Entry> {
    const { task, chat } = this.#task;
    const { iteration, id: callId, name: tool } = call;
    const bytes = new TextEncoder().encode(call.arguments).length;
    if (bytes > MAX_ASKED_BYTES) return tooLarge(tool, bytes);
    const whole = askedParameters(call.arguments, await this.#secrets.stored());
    const dangerous = { taskId: task.id, iteration, callId, tool, parameters: whole };
    const verdict = await requestApproval(this.#deps, dangerous, chat.allowedTools.includes(tool));
    const { id, expiresAt } = verdict.approval;
    if (verdict.kind === "open") {
      const question = { id, callId, tool, ...shortened(whole), description, chatId: task.chatId, expiresAt };
      // The row may be there without the event: whoever made it died in between.
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
    return verdict.kind === "allowed" ? ALLOWED : refused(verdict.reason, verdict.advice);
  }
}

/** Whether an agent has a tool; one without a list has all. */
export function isToolOf(agent: { tools: readonly string[] | null }, name: string): boolean {
  return agent.tools === null || agent.tools.includes(name);
}

function tooLarge(tool: string, bytes: number): Entry {
  return refused(
    `Nobody can be asked about this call of ${tool}: its arguments have ${bytes} bytes, the limit is ${MAX_ASKED_BYTES}.`,
    "Split it into smaller calls: write the beginning of a long file first, and add the rest with further edits.",
  );
}

function planned(tool: string): Entry {
  const suggestion = "Describe what you would do instead; the user can then let you do it.";
  return refused(`${tool} is not run in plan mode.`, suggestion);
}

function refused(error: string, suggestion: string): Entry {
  return { allowed: false, error, suggestion };
}
