import { z } from "zod";
import { redactVariables } from "#src/domain/workspaces/containers/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { safeParseJson } from "#src/lib/parse-json.ts";
import { storableText } from "#src/lib/storable-text.ts";
import type { Log } from "#src/platform/log/log.ts";
import { planInstall, UNFINISHED, type Install, type Level } from "./plan-install.ts";
import { runLogged, type BuildRuntime, type CommandEnd } from "./run-logged.ts";

/** Limits of the output that is quoted in a reason: lines and characters. */
const LAST_LINES = 20;
const MAX_REASON = 2000;

export interface BuildInput {
  /** Relative to the project's root. */
  directory: string;
  /** Null for a project that needs no build. */
  buildCommand: string | null;
  env: Readonly<Record<string, string>>;
  /** For the installation of packages and the build together. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Called with the output as it arrives, one call at a time; values of `env` are redacted. */
  onOutput: (lines: string[]) => unknown;
}

/**
 * Builds a project in its runtime: installs its packages unless they are there, then runs the build command. May be
 * repeated: an earlier build that is still running is stopped, and an installation that was interrupted is done again.
 * Throws `invalid_input` with the last lines of the output for a build that fails or takes too long, and the signal's
 * reason.
 */
export async function buildProject(
  { log }: { log: Pick<Log, "warn"> },
  runtime: BuildRuntime,
  { directory, buildCommand, env, timeoutMs, signal, onOutput }: BuildInput,
): Promise<void> {
  if (buildCommand === null || buildCommand.trim() === "") return;
  const due = Date.now() + timeoutMs;
  const run = async (
    what: string,
    shown: string,
    { command, cwd, mode }: { command: string; cwd: string; mode: string },
  ) => {
    let last: string[] = [];
    const onLines = async (lines: string[]) => {
      const redacted = redactVariables(lines, env);
      last = [...last, ...redacted].slice(-LAST_LINES);
      await onOutput(redacted);
    };
    await onOutput(redactVariables([`$ ${shown}`], env));
    const end = await runLogged(runtime, {
      command,
      cwd,
      env: { ...env, NODE_ENV: mode },
      timeoutMs: Math.max(due - Date.now(), 1),
      signal,
      onLines,
      onUnstopped: (cause) => log.warn("a build could not be stopped", { cause }),
    });
    requireSuccess(end, { what, seconds: timeoutMs / 1000, last });
  };

  const install = runtime.runsProcesses ? await plannedInstall(runtime, directory) : undefined;
  if (install) {
    const { command, directory: cwd } = install;
    await run("installation of the packages", command, {
      command: recorded(command),
      cwd,
      mode: "development",
    });
  }
  const command = runtime.runsProcesses ? withPackages(buildCommand, directory) : buildCommand;
  await run("build", buildCommand, { command, cwd: directory, mode: "production" });
}

/** The command of an installation that can be told from an interrupted one. */
function recorded(command: string): string {
  // Package managers ask nothing and keep to the lockfile where CI is set.
  return `: > ${UNFINISHED} && CI=true ${command} && rm -f ${UNFINISHED}`;
}

/** The command with the programs of installed packages in its path, as a script of package.json has them. */
function withPackages(command: string, directory: string): string {
  const depth = directory === "" ? 0 : directory.split("/").length;
  const places = Array.from({ length: depth + 1 }, (_, up) => `$PWD/${"../".repeat(up)}node_modules/.bin`);
  return `PATH="${places.join(":")}:$PATH"\n${command}`;
}

function requireSuccess(
  end: CommandEnd,
  { what, seconds, last }: { what: string; seconds: number; last: readonly string[] },
): void {
  if (end.kind === "exited" && end.exitCode === 0) return;
  if (end.kind === "stopped") {
    throw new AppError("unavailable", `The ${what} was stopped from outside; deploy again`);
  }
  const sentence =
    end.kind === "timed-out"
      ? `The ${what} took longer than ${seconds} seconds (DEPLOYMENT_BUILD_TIMEOUT_SECONDS)`
      : `The ${what} failed: exit code ${end.exitCode}`;
  const words = last.filter((line) => line.trim() !== "").join("\n");
  throw new AppError(
    "invalid_input",
    words === "" ? sentence : storableText(`${sentence}:\n${words.slice(-MAX_REASON)}`),
  );
}

async function plannedInstall(runtime: BuildRuntime, directory: string): Promise<Install | undefined> {
  const levels: Level[] = [];
  for (let at: string | undefined = directory; at !== undefined; at = parentOf(at)) {
    const entries = await runtime.list(at, { recursive: false });
    const names = new Set(entries.map(({ name }) => name));
    const isWorkspace = at !== directory && (await isWorkspaceRoot(runtime, at, names));
    levels.push({ directory: at, names, isWorkspace });
  }
  return planInstall(levels);
}

function parentOf(directory: string): string | undefined {
  return directory === "" ? undefined : directory.slice(0, Math.max(directory.lastIndexOf("/"), 0));
}

const Manifest = z.object({ workspaces: z.unknown() });

async function isWorkspaceRoot(
  runtime: BuildRuntime,
  directory: string,
  names: ReadonlySet<string>,
): Promise<boolean> {
  if (names.has("pnpm-workspace.yaml")) return true;
  if (!names.has("package.json")) return false;
  const bytes = await runtime.readFile(directory === "" ? "package.json" : `${directory}/package.json`);
  const manifest = safeParseJson(new TextDecoder().decode(bytes), Manifest)?.value;
  return manifest?.workspaces !== undefined;
}
