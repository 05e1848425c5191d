import type { KeptPart } from "#src/models/kept-part.ts";
import type { Model, ToolDefinition } from "#src/models/model.ts";
import type { ThinkingEffort } from "#src/models/thinking.ts";
import type { ConversationWindow } from "../context/within-window.ts";
import type { RunSecrets } from "../scrubbing/run-secrets.ts";
import type { LogWriter } from "../steps/log-writer.ts";
import type { ToolContext } from "../tools/tool.ts";
import type { Gate } from "./gate.ts";
import type { InputQuestions } from "./input-questions.ts";
import type { Refusal } from "./refusal.ts";
import type { TurnRecords } from "./turn-records.ts";

/** The input of a turn's model call. */
interface TurnRequest {
  model: Model;
  system: string;
  definitions: readonly ToolDefinition[];
  /** Requested thinking effort; undefined leaves the model's default. */
  effort?: ThinkingEffort | undefined;
  /** The conversation so far, fitted into the model's window. */
  window: Pick<ConversationWindow, "messages" | "shrink">;
  /** See `sealPart`. */
  seal: (part: KeptPart) => Promise<string | null>;
}

/** How the calls of a turn are run. */
interface TurnCalls {
  tools: Omit<ToolContext, "callId" | "report" | "input" | "onQuestion">;
  gate: Pick<Gate, "enter">;
  /** What MCP servers ask the person. */
  questions: Pick<InputQuestions, "read" | "answersTo" | "hold" | "withdraw">;
  /** Awaited before each call that does more than read; `begun` says whether an earlier executor had begun the call. */
  beforeChange: (call: { begun: boolean }) => Promise<Refusal | undefined>;
}

/** Where a turn is recorded. */
interface TurnLog {
  records: TurnRecords;
  writer: LogWriter;
}

/** What one turn works with. */
export interface TurnContext {
  iteration: number;
  request: TurnRequest;
  calls: TurnCalls;
  log: TurnLog;
  /** Secrets that are removed from everything the turn shows. */
  secrets: RunSecrets;
  /** A tool failed unexpectedly; `cause` may hold anything. */
  toolFailed(tool: string, cause: unknown): void;
}
