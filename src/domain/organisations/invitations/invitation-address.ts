import { consoleUrl, type ConsoleConfig } from "#src/lib/console-url.ts";

/**
 * The page on which an invitation is accepted. Its address suffices to accept; it is shown to the inviter and mailed.
 */
export function addressOfInvitation(config: ConsoleConfig, token: string): string {
  return consoleUrl(config, `/invite/${token}`);
}
