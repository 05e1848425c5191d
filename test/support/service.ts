import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import { readConfiguration } from "#local/configuration.ts";
import { startStack, type Stack } from "#local/stack.ts";
import { apiClient, type ApiClient } from "./api-client.ts";

export interface TestService extends ApiClient {
  stack: Stack;
  /** Stop it and remove its data. */
  close(): Promise<void>;
}

type StackOptions = Partial<Parameters<typeof startStack>[1]>;

/** Rate limits are off unless a test is about them. */
const UNLIMITED = {
  USER_RATE_PER_MINUTE: "0",
  CHAT_RATE_PER_MINUTE: "0",
  KEY_RATE_BURST: "0",
  AUTH_ATTEMPTS_PER_ACCOUNT: "0",
  AUTH_ATTEMPTS_PER_ADDRESS: "0",
  MAIL_SENDS_PER_ACCOUNT: "0",
};

/**
 * The whole service as `npm start` runs it, on a free port and with data of its own; `variables` are what a person would
 * set in the environment. Start it once per test file.
 */
export async function startService(
  variables: Readonly<Record<string, string>> = {},
  options: StackOptions = {},
): Promise<TestService> {
  const dataDir = mkdtempSync(join(tmpdir(), "workspace-journey-"));
  cpSync(inject("template"), dataDir, { recursive: true });
  const configuration = readConfiguration({ PORT: "0", DATA_DIR: dataDir, ...UNLIMITED, ...variables });
  const stack = await startStack(configuration, { log: () => {}, ...options });
  return {
    ...apiClient(stack.url),
    stack,
    async close() {
      await stack.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
