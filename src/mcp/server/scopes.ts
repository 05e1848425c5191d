import type { Scope } from "#src/domain/access/permissions/index.ts";

/** What a connected app can be allowed: the permissions of the tools and of the prompts, in words for the person who decides. */
export const CLIENT_SCOPES = [
  { scope: "project.list", words: "See your projects" },
  { scope: "file.read", words: "Read files of your projects" },
  { scope: "file.write", words: "Create and change files of your projects" },
  { scope: "terminal.access", words: "Run commands in your projects" },
  { scope: "chat.view", words: "Read your chats and tasks" },
  { scope: "chat.send", words: "Start and stop tasks, with your provider keys and the credits of the team" },
  { scope: "agent.view", words: "See the agents of the team" },
] as const satisfies readonly { scope: Scope; words: string }[];
