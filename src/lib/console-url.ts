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
