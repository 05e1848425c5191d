import type { Scope } from "#src/domain/access/permissions/index.ts";
import type { Kind } from "./protocol.ts";

/** The scope that each kind of socket requires. */
export const SCOPES = {
  terminal: "terminal.access",
  logs: "container.view",
  chat: "project.view",
  conversation: "chat.view",
  events: "chat.view",
} as const satisfies Record<Kind, Scope>;
