import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { StartError } from "#local/start-error.ts";
import type { ProjectLimits } from "./limits.ts";
import { sandboxCommand, type SandboxPrograms } from "./sandbox-command.ts";
import { ENVIRONMENT } from "./sandbox-process.ts";

const PROBE_TIMEOUT_MS = 10_000;
/** Checks what a sandbox needs: the shell of commands, and the program that makes terminals. */
const PROBE = [
  "/bin/bash",
  "-c",
  "command -v script setsid >/dev/null || { echo 'util-linux is missing' >&2; exit 1; }",
];

/**
 * Starts a sandbox over an empty folder to check that this machine can. Throws a `StartError` that says what is
 * missing.
 */
export async function requireSandboxes(
  programs: SandboxPrograms,
  limits: ProjectLimits,
  emptyFolder: string,
): Promise<void> {
  if (process.platform !== "linux") throw refused(`this is ${process.platform}`);
  const [program = "", ...rest] = sandboxCommand({
    programs,
    files: emptyFolder,
    run: undefined,
    limits,
    wayOut: "none",
    command: PROBE,
    cgroups: [],
  });
  try {
    await promisify(execFile)(program, rest, { timeout: PROBE_TIMEOUT_MS, env: ENVIRONMENT });
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : String(error);
    throw refused(said.split("\n").at(-1) ?? "", error);
  }
}

function refused(reason: string, cause?: unknown): StartError {
  return new StartError(
    [
      `PROJECT_RUNTIME: \`host\` needs Linux with bubblewrap (the program bwrap), bash and util-linux: ${reason}`,
      "Install them, let users make user namespaces, or leave PROJECT_RUNTIME at `embedded`.",
    ],
    { cause },
  );
}
