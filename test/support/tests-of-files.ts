/** The journeys of each area under `src`: they reach the service over HTTP, which no graph of modules shows. */
const JOURNEYS: Readonly<Record<string, readonly string[]>> = {
  "domain/agent-work/agents": ["agents"],
  "domain/agent-work/approvals": ["approvals", "models"],
  "domain/agent-work/attachments": ["attachments"],
  "domain/agent-work/callbacks": ["invoke-to-callback"],
  "domain/agent-work/chats": ["chats", "which-chat", "chat-sockets"],
  "domain/agent-work/tasks": ["idempotency", "cancel-and-revoke", "task-lists"],
  "domain/billing": ["buying-credits", "subscription", "payment-events", "models"],
  "domain/hosting": ["deployment-people", "deployment-refusals"],
  "domain/marketplace": ["marketplace-catalogue", "marketplace-library", "marketplace-sales"],
  "domain/messaging": ["telegram-channel", "channels", "send-message"],
  "domain/models": ["model-keys", "model-proxy", "model-list"],
  "domain/operations": ["audit-log", "version", "mail"],
  "domain/organisations": ["teams", "keys", "invitations", "project-members"],
  "domain/people": ["accounts", "sessions", "profile", "two-factor", "passkeys"],
  "domain/schedules": ["schedules"],
  "domain/source-control": ["git", "git-providers"],
  "domain/workspaces/containers": ["containers"],
  "domain/workspaces/files": ["files", "file-notices", "conditional-files"],
  "domain/workspaces/lifecycle": ["lifecycle"],
  "domain/workspaces/previews": ["previews"],
  "domain/workspaces/projects": ["projects", "project-members"],
  "domain/workspaces/shells": ["shells", "terminal"],
  "domain/workspaces/snapshots": ["snapshots"],
  agent: ["models", "undo"],
  channels: ["channels-at-platforms"],
  models: ["models"],
};

export const areasWithJourneys = Object.keys(JOURNEYS);

/** These folders load most of the service, so that nearly every change would select their tests. */
export const OVER_EVERYTHING = [
  "attacks",
  "console",
  "crash",
  "durable-objects",
  "hosts",
  "local",
  "stand-ins",
  "surface",
  "workerd",
];

/** The journeys of the areas in which files are. */
export function journeysOf(files: readonly string[]): string[] {
  return Object.entries(JOURNEYS)
    .filter(([area]) => files.some((file) => file.startsWith(`src/${area}/`)))
    .flatMap(([, names]) => names.map((name) => `test/journeys/${name}.test.ts`));
}

/** Whether a file is part of the service, so that it can break any journey. */
export function isOfService(file: string): boolean {
  return /^(?:src|functions|durable-objects)\//u.test(file);
}

/** Of every change of the service: the whole way once. */
export const WHOLE_WAY = "test/journeys/invoke-to-callback.test.ts";
