import type { api, ConversationTask } from "@agent-workspace/client";

type Fields = Readonly<Record<string, unknown>>;

/** What the history tells of a task beside its conversation. */
export interface TaskDetails {
  readonly attachments: readonly SentFile[];
  /** When the message was sent, and when the answer was there. */
  readonly sentAt: string | undefined;
  readonly answeredAt: string | undefined;
  /** The model that answered. */
  readonly model: string | undefined;
  readonly credits: number;
}

/** A file that was sent with a message. */
export interface SentFile {
  readonly name: string;
  /** Where it is among the project's files; undefined until that is known. */
  readonly path: string | undefined;
}

/** The details of a chat's tasks, by the task. */
export function detailsOf(messages: readonly api.ChatMessage[]): ReadonlyMap<string, TaskDetails> {
  const found = new Map<string, TaskDetails>();
  let asked: api.ChatMessage | undefined;
  for (const message of messages) {
    if (message.role === "user") {
      asked = message;
      continue;
    }
    const metadata: Fields = message.message_metadata ?? {};
    const { task_id: task, model, credits_used: credits, completion_reason: reason } = metadata;
    if (typeof task !== "string") continue;
    found.set(task, {
      attachments: sentFiles(listIn(asked?.message_metadata?.["attachments"])),
      sentAt: asked?.created_at,
      answeredAt: reason === "in_progress" ? undefined : message.created_at,
      model: typeof model === "string" ? model : undefined,
      credits: typeof credits === "number" ? credits : 0,
    });
    asked = undefined;
  }
  return found;
}

/** What is shown of a task's files and cost, of its history or, before that is read again, of its events. */
export function shownDetails(task: ConversationTask, known: TaskDetails | undefined): TaskDetails {
  const attachments = known?.attachments ?? sentFiles(task.attachments);
  const credits = Math.max(task.creditsUsed, known?.credits ?? 0);
  return { sentAt: undefined, answeredAt: undefined, model: undefined, ...known, attachments, credits };
}

/** Attachments as the API has them. */
export function sentFiles(attachments: readonly unknown[]): readonly SentFile[] {
  return attachments.flatMap((each) => {
    if (typeof each !== "object" || each === null) return [];
    const { label, file_path: path, type }: Fields = { ...each };
    const known = typeof path === "string" && path !== "" ? path : undefined;
    const name = typeof label === "string" && label !== "" ? label : known?.slice(known.lastIndexOf("/") + 1);
    return [{ name: name ?? (type === "image" ? "Picture" : "File"), path: known }];
  });
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
