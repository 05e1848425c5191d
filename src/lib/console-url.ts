import { withoutSlash } from "./without-slash.ts";

export interface ConsoleConfig {
  /** Address of the console; the service itself when absent. */
  APP_BASE_URL?: string | undefined;
  PUBLIC_URL: string;
}

/** Address of a page of the console. `path` begins with a slash. */
export function consoleUrl({ APP_BASE_URL, PUBLIC_URL }: ConsoleConfig, path: string): string {
  return `${withoutSlash(APP_BASE_URL ?? PUBLIC_URL)}${path}`;
}

/** Address of a chat's page, where a person reads it and answers what its task asks. */
export function chatUrl(
  config: ConsoleConfig,
  { projectId, chatId }: { projectId: string; chatId: string },
): string {
  return consoleUrl(config, `/app/projects/${projectId}/chats/${chatId}`);
}
