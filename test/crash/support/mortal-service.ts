import { rmSync } from "node:fs";
import { afterAll } from "vitest";
import { newDataDir } from "#test/support/data-dir.ts";
import { spawnService, type ServiceProcess, type Victim } from "#test/support/process.ts";

/** A service that is killed and started again, as a person would start it: with its data, at the address that it had. */
export interface MortalService {
  readonly dataDir: string;
  /** Resolves to its address when it is ready. */
  start(): Promise<string>;
  /** Resolves when it is gone; `onStrike` hears of the kill at once. */
  kill(victim?: Victim, onStrike?: () => void): Promise<void>;
  /** What it has written to standard error since it was started last. */
  stderr(): string;
}

/** The service of a test file; it is gone, with its data, when the file's tests are over. */
export function mortalService(
  variables: () => Readonly<Record<string, string>> = () => ({}),
  { dataDir = newDataDir(), entry }: { dataDir?: string; entry?: string | undefined } = {},
): MortalService {
  let port = "0";
  let running: ServiceProcess | undefined;
  const kill = async (victim?: Victim, onStrike?: () => void) => running?.kill(victim, onStrike);
  afterAll(async () => {
    await kill();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return {
    dataDir,
    async start() {
      const environment = {
        PORT: port,
        DATA_DIR: dataDir,
        PASSWORD_HASH_COST: "4",
        USER_RATE_PER_MINUTE: "0",
        CHAT_RATE_PER_MINUTE: "0",
        ...variables(),
      };
      running = spawnService(environment, entry);
      const url = await running.ready;
      ({ port } = new URL(url));
      return url;
    },
    kill,
    stderr: () => running?.stderr() ?? "",
  };
}
