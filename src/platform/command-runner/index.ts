import { AppError } from "#src/lib/errors.ts";
import type { CommandRunner } from "./command-runner.ts";
import { isolateRunner } from "./isolate-runner.ts";
import { socketRunner } from "./socket-runner.ts";

/** Address of the isolates' program among the assets, whatever their host. */
const PROGRAM = "https://assets.internal/shell/isolate.js";

/** Creates the runner of emulated commands. Without one every command is refused. */
export function createCommandRunner({
  url,
  loader,
  assets,
}: {
  /** Address of the local runner. */
  url: string | undefined;
  /** Loads isolates, in deployments. */
  loader: WorkerLoader | undefined;
  assets: Pick<Fetcher, "fetch">;
}): CommandRunner {
  if (url) return socketRunner(url);
  if (loader) return isolateRunner(loader, () => programFrom(assets));
  return { check: refuse, run: async () => refuse() };
}

function refuse(): never {
  throw new AppError("unavailable", NO_RUNNER);
}

async function programFrom(assets: Pick<Fetcher, "fetch">): Promise<string> {
  const response = await assets.fetch(PROGRAM);
  if (!response.ok) throw new Error(`The shell's program is missing from the assets: ${response.status}`);
  return response.text();
}

const NO_RUNNER =
  "Commands are off: the service has no command runner. Its operator can add a worker loader named LOADER to wrangler.toml, or set PROJECT_RUNTIME=sandbox";
