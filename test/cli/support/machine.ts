import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { inject } from "vitest";

/** What a command did. */
export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly folder?: string;
}

/** A command that runs. */
export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ran>;
  /** What it has written so far. */
  output(): { stdout: string; stderr: string };
}

/** A person's machine: a home of its own, and the command line as it is published. */
export interface Machine {
  readonly home: string;
  /** The program, for terminals. */
  readonly program: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Everything that commands have written here, to search it for secrets. */
  readonly written: readonly string[];
  run(args: readonly string[], options?: RunOptions): Promise<Ran>;
  start(args: readonly string[], options?: RunOptions): Running;
  /** The profiles' file; undefined without one. */
  profiles(): Promise<string | undefined>;
  /** Stores a session as a sign-in does. */
  storeSession(service: string, tokens: { accessToken: string; refreshToken: string }): Promise<void>;
  close(): Promise<void>;
}

/** A new machine; `variables` are those of all its commands. */
export async function newMachine(variables: Readonly<Record<string, string>> = {}): Promise<Machine> {
  const file = inject("commandLine");
  const home = await mkdtemp(path.join(tmpdir(), "workspace-home-"));
  const environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    XDG_CONFIG_HOME: path.join(home, "config"),
    XDG_CACHE_HOME: path.join(home, "cache"),
    BROWSER: "none",
    // Its commands do not compile the program again.
    NODE_COMPILE_CACHE: path.join(path.dirname(file), "compiled"),
    ...variables,
  };
  const written: string[] = [];

  function start(args: readonly string[], options: RunOptions = {}): Running {
    const child = spawn(process.execPath, [file, ...args], {
      cwd: options.folder ?? home,
      env: { ...environment, ...options.environment },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const so = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (piece: string) => (so.stdout += piece));
    child.stderr.setEncoding("utf8").on("data", (piece: string) => (so.stderr += piece));
    child.stdin.on("error", () => {});
    child.stdin.end(options.input ?? "");
    const ended = once(child, "close").then(([code, signal]): Ran => {
      written.push(so.stdout, so.stderr);
      return { code, signal, ...so };
    });
    return { child, ended, output: () => so };
  }

  const stored = path.join(environment.XDG_CONFIG_HOME, "workspace", "profiles.json");
  return {
    home,
    program: file,
    environment,
    written,
    start,
    run: (args, options) => start(args, options).ended,
    profiles: () => readFile(stored, "utf8").catch(() => undefined),
    async storeSession(service, { accessToken, refreshToken }) {
      await mkdir(path.dirname(stored), { recursive: true, mode: 0o700 });
      const profile = { access_token: accessToken, refresh_token: refreshToken };
      const text = JSON.stringify({ current: service, profiles: { [service]: profile } });
      await writeFile(stored, text, { mode: 0o600 });
    },
    close: () => rm(home, { recursive: true, force: true }),
  };
}

/** The lines of a text, each as JSON. */
export function jsonLines(output: string): unknown[] {
  return output
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
