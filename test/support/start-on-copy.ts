import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfiguration } from "#local/configuration.ts";
import { startStack, type Stack } from "#local/stack.ts";

export type StackOptions = Partial<Parameters<typeof startStack>[1]>;

/** Rate limits are off, and hashes cheap, unless a test is about them. */
const OTHERWISE = {
  PASSWORD_HASH_COST: "4",
  TWO_FA_HASH_KIB: "8",
  USER_RATE_PER_MINUTE: "0",
  CHAT_RATE_PER_MINUTE: "0",
  KEY_RATE_BURST: "0",
  AUTH_ATTEMPTS_PER_ACCOUNT: "0",
  AUTH_ATTEMPTS_PER_ADDRESS: "0",
  MAIL_SENDS_PER_ACCOUNT: "0",
};

/** The whole service on a free port, with a copy of the data folder `template`, which `close` removes. */
export async function startOnCopy(
  template: string,
  variables: Readonly<Record<string, string>> = {},
  options: StackOptions = {},
): Promise<{ stack: Stack; close(): Promise<void> }> {
  const dataDir = mkdtempSync(join(tmpdir(), "workspace-journey-"));
  cpSync(template, dataDir, { recursive: true });
  const configuration = readConfiguration({ PORT: "0", DATA_DIR: dataDir, ...OTHERWISE, ...variables });
  const stack = await startStack(configuration, { log: () => {}, ...options });
  return {
    stack,
    async close() {
      await stack.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
