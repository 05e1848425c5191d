import type { StoredSource } from "#src/db/schema/index.ts";

/** A request that repeats its caller's key within 24 hours starts nothing and returns the first one's answer. */
interface Idempotency {
  key: string;
  /**
   * What the client asked for, as text that a repetition has to repeat. For a caller that asks for something else here than
   * its client did; when absent, project, message, agent, chat and callback are compared.
   */
  request?: string | undefined;
}

/** Where a message to the agent came from. `FollowUps` says what follows from it once its task waits or has ended. */
export type TaskSource =
  | {
      kind: "api";
      /** What is called when the task has ended. */
      webhookUrl?: string | undefined;
      idempotency?: Idempotency | undefined;
    }
  | { kind: "browser" | "standalone"; idempotency?: Idempotency | undefined }
  | Extract<StoredSource, { kind: "channel" | "schedule" }>;

export type SourceKind = TaskSource["kind"];

/** Where a task came from as the API names it: the platform of a channel, or the kind of its source. */
export type TaskOrigin =
  | Exclude<SourceKind, "channel">
  | Extract<TaskSource, { kind: "channel" }>["platform"];

export function originOfSource(source: TaskSource): TaskOrigin {
  return source.kind === "channel" ? source.platform : source.kind;
}

/** The source as it is stored with its task. The callback and the key of the request are stored apart. */
export function storedSource(source: TaskSource): StoredSource {
  return source.kind === "channel" || source.kind === "schedule" ? source : { kind: source.kind };
}
