import type { AskedInput } from "../generated/types.gen.ts";
import type { Fields } from "../json.ts";

/** What a person sees of the tasks of a project or chat. Immutable: each event makes a new one. */
export interface Conversation {
  /** In the order in which they were first seen. */
  readonly tasks: readonly ConversationTask[];
}

export type ConversationStatus = "queued" | "running" | "completed" | "failed" | "cancelled";

export interface ConversationTask {
  readonly taskId: string;
  readonly chatId: string;
  /** Id of the last event that was taken in; events up to it are repetitions. */
  readonly lastEventId: number;
  /** The message that began it, if it was seen. */
  readonly message: string | undefined;
  /** Who wrote it, if that was told: it is not of the reader's own messages that this connection sent. */
  readonly author?: Fields | undefined;
  /** Files that were sent with the message, as the API has them, if it was seen. */
  readonly attachments: readonly Fields[];
  readonly status: ConversationStatus;
  /** Why it waits for its turn, in a sentence; undefined once it has begun. */
  readonly waiting: string | undefined;
  readonly turns: readonly ConversationTurn[];
  readonly approvals: readonly ConversationApproval[];
  /** The agent's newest plan, as the service sent it. */
  readonly plan: Fields | undefined;
  readonly creditsUsed: number;
  /** Credits that the team had left after the last model call. */
  readonly creditsLeft: number | undefined;
  readonly title: string | undefined;
  readonly error: string | undefined;
  /** The final response. */
  readonly response: string | undefined;
}

/** A turn of the agent: what it said, then what it did. */
export interface ConversationTurn {
  /** From 1; undefined while only text has come. */
  readonly iteration: number | undefined;
  readonly text: string;
  readonly thinking: string | undefined;
  readonly calls: readonly ConversationCall[];
  readonly isComplete: boolean;
}

export interface ConversationCall {
  readonly id: string;
  readonly tool: string;
  readonly args: Fields;
  readonly state: "running" | "done" | "failed";
  readonly result: Fields | undefined;
  /** Milliseconds from its beginning to its end, if the service sent both times. */
  readonly durationMs: number | undefined;
  readonly startedAt: string | undefined;
  /** How far it is, while it runs and says so. */
  readonly progress?: CallProgress;
  /** Arguments or result are cut, as `results=short` has it; the task's step alone has them whole. */
  readonly isCut?: boolean;
}

export interface CallProgress {
  /** Empty where the tool only counts. Foreign text. */
  readonly message: string;
  readonly progress: number;
  readonly total: number | undefined;
}

export interface ConversationApproval {
  readonly approvalId: string;
  readonly toolCallId: string;
  readonly tool: string;
  readonly args: Fields;
  /** The arguments are cut; the approval itself has them whole. */
  readonly isCut?: boolean;
  readonly state: "open" | "allowed" | "refused";
  /** Why it was refused: the reason that was given, or the message that counted as a refusal. */
  readonly reason: string | undefined;
  readonly expiresAt: string | undefined;
  /** What an MCP server asks, as the service sent it. */
  readonly input?: AskedInput;
}
