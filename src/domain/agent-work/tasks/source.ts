import type { Platform } from "#src/channels/channel.ts";

/** Where a task came from as the API names it: a messaging platform, a schedule, or one of the service's own interfaces. */
export type Origin = "api" | "browser" | "schedule" | "standalone" | Platform;

/** A request that repeats its caller's key within 24 hours starts nothing and returns the first one's answer. */
interface Idempotency {
  key: string;
  /**
   * What the client asked for, as text that a repetition has to repeat. For a caller that asks for something else here than
   * its client did; when absent, project, message, agent, chat and callback are compared.
   */
  request?: string | undefined;
}

/** Where a message to the agent came from, with what follows from it once its task waits or has ended. */
export type TaskSource =
  | {
      kind: "api";
      /** What is called when the task has ended. */
      webhookUrl?: string | undefined;
      idempotency?: Idempotency | undefined;
    }
  | { kind: "browser" | "standalone"; idempotency?: Idempotency | undefined }
  | {
      kind: "channel";
      platform: Platform;
      /** The session that gets the questions and the reply. */
      sessionId: string;
      /** The platform's id of the message. */
      messageId?: string | undefined;
      /** The message that the reply names, where others write, too. */
      replyTo?: string | undefined;
      /** Where the platform wants the reply, if it says so with the message. */
      replyTarget?: string | undefined;
      /** What others wrote before, for the model. */
      context?: readonly unknown[];
    }
  | {
      kind: "schedule";
      scheduleId: string;
      runId: string;
      /** The session in which the schedule's owner is asked. */
      sessionId?: string | undefined;
    };

export function originOf(source: TaskSource): Origin {
  return source.kind === "channel" ? source.platform : source.kind;
}

/** What the stored message says of its source: `queries/source.ts` reads it. */
export function storedSource(source: TaskSource): Record<string, unknown> {
  if (source.kind === "channel") {
    const { sessionId, platform, messageId, replyTo, replyTarget, context = [] } = source;
    const route = { session_id: sessionId, platform, message_id: messageId, reply_to: replyTo };
    return { channel: { ...route, reply_target: replyTarget, ...(context.length > 0 && { context }) } };
  }
  if (source.kind === "schedule") {
    const { scheduleId, runId, sessionId } = source;
    return { schedule: { id: scheduleId, run_id: runId, session_id: sessionId } };
  }
  return {};
}
