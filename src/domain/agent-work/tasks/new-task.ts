import type { StoredSource } from "#src/db/schema/index.ts";
import type { EditMode } from "./edit-mode.ts";
import type { TaskOrigin, TaskSource } from "./source.ts";

/**
 * Chat of a task: a new one, one by its id, or the one that the person last used in the project (a new one if there is
 * none).
 */
export type ChosenChat = { kind: "new" | "latest" } | { kind: "named"; id: string };

/** A message to the agent. What is absent is decided by the chat, the key, the person's choices and the platform, in turn. */
export interface StartTask {
  /**
   * Id of the task, for a caller that may repeat the call: a repetition starts nothing and returns the first one's answer.
   */
  taskId?: string | undefined;
  userId: string;
  /** Superusers reach every project; a key never has superuser rights. */
  isSuperuser?: boolean;
  /** The key with which a program started the task. */
  apiKeyId?: string | null;
  /** What the agent may do; null for all that its person may. */
  scopes?: readonly string[] | null;
  projectId: string;
  message: string;
  chat: ChosenChat;
  source: TaskSource;
  /** When absent: the chat's, then the key's, then the default one. */
  agentId?: string | undefined;
  /** When absent: the chat's, then the person's choice for the agent, then the agent's, then the platform's. */
  model?: string | undefined;
  /** Mode for dangerous tools. When absent: the chat's, then that of the source. */
  editMode?: EditMode | undefined;
  /** The mode that replaces the source's when neither request nor chat sets one. */
  editModeOtherwise?: EditMode | undefined;
  maxIterations?: number | undefined;
  /** Title of a new chat, which then stays. When absent, the chat is named after the message. */
  title?: string | undefined;
  /** Uploads of the chat that belong to the message. */
  attachmentIds?: readonly string[];
  /** Fields of the stored message besides its text. */
  messageMetadata?: Readonly<Record<string, unknown>> | null;
}

/** A task to be stored. Its ids are chosen before the write, so that a repeated launch finds the same ones. */
export interface NewTask extends Omit<StartTask, "taskId" | "source" | "messageMetadata"> {
  id: string;
  /** Id of the chat, if it is a new one. */
  newChatId: string;
  messageId: string;
  origin: TaskOrigin;
  source: StoredSource;
  webhookUrl: string | undefined;
  idempotency: { key: string; requestHash: string } | undefined;
  messageMetadata: Readonly<Record<string, unknown>> | null;
}
