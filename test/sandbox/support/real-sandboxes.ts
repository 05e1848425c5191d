import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { holdPort } from "#local/port.ts";
import { VARIABLES } from "./scripted-sandboxes.ts";

/** A Worker that runs already, such as one on an account: its address with the token, without a slash at the end. */
const GIVEN_URL = process.env["SANDBOX_URL"];

/** Why suites over real containers are skipped here; `undefined` where they run. */
export const NO_CONTAINERS = whyNot();

function whyNot(): string | undefined {
  if (!process.env["SANDBOX_TESTS"]) return "npm run test:sandbox runs it";
  if (GIVEN_URL || spawnSync("docker", ["info"]).status === 0) return undefined;
  return "it needs Docker, or SANDBOX_URL with a Worker on an account";
}

export interface RealSandboxes {
  /** The Worker that serves the objects at `/projects/<id>/…`. */
  url: string;
  close(): Promise<void>;
}

/** The test Worker over real containers: the given one, or one under `wrangler dev`, which builds the image first. */
export async function startRealSandboxes(): Promise<RealSandboxes> {
  if (GIVEN_URL) return { url: GIVEN_URL, close: async () => {} };
  const held = await holdPort("127.0.0.1", 0);
  const { port } = held;
  await held.release();
  const variables = { ...VARIABLES, TEST_TOKEN: "local" };
  const child = spawn(
    process.execPath,
    [
      ["node_modules/wrangler/bin/wrangler.js", "dev", "test/sandbox/support/worker.ts"],
      ["--config", "wrangler.sandbox.toml", "--ip", "127.0.0.1", "--port", String(port)],
      Object.entries(variables).flatMap(([name, value]) => ["--var", `${name}:${value}`]),
    ].flat(),
    { stdio: ["ignore", "inherit", "inherit"], env: { ...process.env, CI: "1" } },
  );
  const url = `http://127.0.0.1:${port}/local`;
  while (!(await fetch(url).catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error("wrangler dev did not start");
    await pause(500);
  }
  return {
    url,
    async close() {
      child.kill("SIGINT");
      await once(child, "exit");
    },
  };
}
