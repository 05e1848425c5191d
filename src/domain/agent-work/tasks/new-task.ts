import type { Platform } from "#src/channels/channel.ts";
import type { EditMode } from "./edit-mode.ts";

/**
 * Chat of a task: a new one, one by its id, or the one that the person last used in the project (a new one if there is
 * none).
 */
export type ChosenChat = { kind: "new" | "latest" } | { kind: "named"; id: string };

/** A task to be stored. Its ids are chosen before the write, so that a repeated launch finds the same ones. */
export interface NewTask extends Omit<StartTask, "idempotencyKey" | "taskId"> {
  id: string;
  /** Id of the chat, if it is a new one. */
  newChatId: string;
  messageId: string;
  idempotency: { key: string; requestHash: string } | undefined;
}

export interface StartTask {
  /**
   * Id of the task, for a caller that may repeat the call: a repetition starts nothing and returns the first one's answer.
   */
  taskId?: string | undefined;
  userId: string;
  /** Superusers reach every project; a key never has superuser rights. */
  isSuperuser: boolean;
  apiKeyId: string | null;
  scopes: readonly string[] | null;
  projectId: string;
  message: string;
  /** The requested agent. When absent: the chat's, then the key's, then the default one. */
  agentId: string | undefined;
  /**
   * The requested model id. When absent: the chat's, then the person's choice for the agent, then the agent's, then the
   * platform's.
   */
  model: string | undefined;
  /** Mode for dangerous tools. When absent: the chat's, then that of the origin. */
  editMode: EditMode | undefined;
  /** The mode that replaces the origin's when neither request nor chat sets one. */
  editModeOtherwise?: EditMode | undefined;
  maxIterations: number | undefined;
  chat: ChosenChat;
  /** Title of a new chat, which then stays. When absent, the chat is named after the message. */
  title?: string | undefined;
  /** Uploads of the chat that belong to the message. */
  attachmentIds: readonly string[];
  /** Fields of the stored message besides its text. */
  messageMetadata: Readonly<Record<string, unknown>> | null;
  webhookUrl: string | undefined;
  origin: Origin;
  /** A request that repeats its caller's key within 24 hours starts nothing and returns the first one's answer. */
  idempotencyKey: string | undefined;
  /**
   * What the client asked for, as text that a repetition has to repeat. For a caller that asks for something else here than
   * its client did; when absent, project, message, agent, chat and callback are compared.
   */
  request?: string | undefined;
}

/** Where a message came from: a messaging platform, a schedule, or one of the service's own interfaces. */
export type Origin = "api" | "browser" | "schedule" | "standalone" | Platform;
