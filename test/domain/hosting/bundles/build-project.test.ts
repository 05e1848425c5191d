import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { buildProject, storeBundle, type BuildInput } from "#src/domain/hosting/bundles/index.ts";
import { planInstall, type Level } from "#src/domain/hosting/bundles/plan-install.ts";
import type { ProjectRuntime } from "#src/platform/runtime/project-runtime.ts";
import { NO_BUBBLEWRAP, SKIPPED, startTestHost, type TestHost } from "#test/hosts/support/runtime-host.ts";
import { MemoryRuntime } from "#test/support/memory-runtime.ts";
import { HANGS_MS } from "#test/support/hangs.ts";
import { contentsOf, newScene } from "./scene.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const log = { warn: () => undefined };

/** Builds, and returns the output and the failure. */
async function build(runtime: Parameters<typeof buildProject>[1], input: Partial<BuildInput>) {
  const lines: string[] = [];
  let failure: unknown;
  const onOutput = (more: string[]) => void lines.push(...more);
  const whole = { directory: "", buildCommand: null, env: {}, timeoutMs: HANGS_MS, onOutput, ...input };
  await buildProject({ log }, runtime, whole).catch((error: unknown) => {
    failure = error;
  });
  return { lines, failure };
}

const level = (directory: string, names: string[], isWorkspace = false): Level => ({
  directory,
  names: new Set(names),
  isWorkspace,
});

describe("the installation of packages", () => {
  const npm = "npm install --include=dev";
  it.each<[string, Level[], string | undefined]>([
    ["no package", [level("", ["index.html", "Makefile"])], undefined],
    ["npm's", [level("", ["package.json", "package-lock.json"])], "npm ci --include=dev in "],
    ["pnpm's", [level("", ["package.json", "package-lock.json", "pnpm-lock.yaml"])], "pnpm install in "],
    ["yarn's", [level("a", ["package.json", "yarn.lock"]), level("", [])], "yarn install in a"],
    ["bun's", [level("", ["package.json", "bun.lock", "yarn.lock"])], "bun install in "],
    ["packages that are there", [level("", ["package.json", "node_modules"])], undefined],
    [
      "an interrupted installation",
      [level("", ["package.json", "node_modules", ".deployment-install"])],
      `${npm} in `,
    ],
    [
      "a workspace",
      [level("a/b", ["package.json"]), level("a", []), level("", ["package.json", "pnpm-lock.yaml"], true)],
      "pnpm install in ",
    ],
    [
      "a package beside another one",
      [level("a", ["package.json"]), level("", ["package.json", "yarn.lock"])],
      `${npm} in a`,
    ],
    [
      "its own lockfile",
      [level("a", ["package.json", "yarn.lock"]), level("", ["bun.lock"], true)],
      "yarn install in a",
    ],
  ])("is by what is there: %s", (_, levels, expected) => {
    const install = planInstall(levels);
    expect(install && `${install.command} in ${install.directory}`).toBe(expected);
  });
});

const refused = async () => {
  throw new Error("Programs do not run here");
};

const refusedAt = () => {
  throw new Error("A command ran");
};

const runtimeOf = (...args: ConstructorParameters<typeof MemoryRuntime>) =>
  Object.assign(new MemoryRuntime(...args), {
    runsProcesses: false,
    startProcess: refused,
    stopProcess: refused,
    processes: refused,
    watchLog: refused,
  });

describe("a build where no programs run", () => {
  it("is one command, with its output at the end", async () => {
    const runtime = runtimeOf({ "package.json": "{}" }, (command, { cwd, env }) => ({
      stdout: `${command} in ${cwd}\n${env?.["NODE_ENV"]} ${env?.["KEY"]}\n`,
      stderr: "a warning\n",
      exitCode: 0,
      timedOut: false,
    }));
    const input = { directory: "web", buildCommand: "cp a b", env: { KEY: "canary-1234", NODE_ENV: "test" } };
    expect(await build(runtime, input)).toEqual({
      lines: ["$ cp a b", "cp a b in web", "production ***", "a warning"],
      failure: undefined,
    });
  });

  it.each([
    [{ exitCode: 1, timedOut: false }, "The build failed: exit code 1:\nno such file"],
    [
      { exitCode: 124, timedOut: true },
      `The build took longer than ${HANGS_MS / 1_000} seconds (DEPLOYMENT_BUILD_TIMEOUT_SECONDS):\nno such file`,
    ],
  ])("fails with a sentence and its last lines: %j", async (result, message) => {
    const runtime = runtimeOf({}, () => ({ stdout: "", stderr: "no such file\n", ...result }));
    expect((await build(runtime, { buildCommand: "x" })).failure).toMatchObject({
      code: "invalid_input",
      message,
    });
  });

  it("is none without a command", async () => {
    const runtime = runtimeOf({}, refusedAt);
    for (const buildCommand of [null, " "])
      expect(await build(runtime, { buildCommand })).toEqual({ lines: [], failure: undefined });
  });
});

const running = async (runtime: ProjectRuntime) => (await runtime.processes()).filter((each) => each.running);

describe.skipIf(NO_BUBBLEWRAP)(`a build on a host${SKIPPED}`, () => {
  let host: TestHost;
  beforeAll(async () => {
    host = await startTestHost();
  });
  afterAll(() => host?.close());
  const newProject = async (files: Record<string, string>) => {
    const { runtime } = host.newProject();
    for (const [path, content] of Object.entries(files)) await runtime.writeFile(path, bytes(content));
    return runtime;
  };

  it("passes its output on while it runs", async () => {
    const runtime = await newProject({ "web/a": "" });
    const seen: string[] = [];
    const built = build(runtime, {
      directory: "web",
      buildCommand:
        "echo first; until [ -e go ]; do sleep 0.05; done; echo 'it'\"'\"'s over' >&2; ls; printf 'no newline'",
      onOutput: (lines) => void seen.push(...lines),
    });
    await vi.waitUntil(() => seen.includes("first"));
    expect(seen).not.toContain("it's over");
    await runtime.writeFile("web/go", bytes(""));
    expect(await built).toMatchObject({ failure: undefined });
    expect(seen.slice(1)).toEqual(["first", "it's over", "a", "go", "no newline"]);
    expect(await running(runtime)).toEqual([]);
  });

  it("has the variables, of which none is shown, and the programs of its packages", async () => {
    const runtime = await newProject({
      "node_modules/.bin/tool": '#!/bin/sh\necho "tool $NODE_ENV $KEY"',
      "web/x": "",
    });
    await runtime.exec("chmod +x node_modules/.bin/tool", { timeoutMs: HANGS_MS });
    const input = {
      directory: "web",
      buildCommand: "tool; echo key=$KEY >&2; exit 3",
      env: { KEY: "canary-1234" },
    };
    const { lines, failure } = await build(runtime, input);
    expect(lines.slice(1)).toEqual(["tool production ***", "key=***"]);
    expect(failure).toMatchObject({
      code: "invalid_input",
      message: "The build failed: exit code 3:\ntool production ***\nkey=***",
    });
  });

  it("ends at its time limit, with its processes", async () => {
    const runtime = await newProject({});
    const timers = vi.spyOn(globalThis, "setTimeout");
    onTestFinished(() => timers.mockRestore());
    const timeoutMs = 3_600_000;
    const lines: string[] = [];
    const built = build(runtime, {
      buildCommand: "echo begun; (trap '' TERM; sleep 600) & sleep 600",
      timeoutMs,
      onOutput: (more) => void lines.push(...more),
    });
    await vi.waitUntil(() => lines.includes("begun"));
    // The hour is over: no other timer is that long.
    timers.mock.calls.find(([, ms = 0]) => ms > timeoutMs / 2)?.[0]();
    expect((await built).failure).toMatchObject({
      code: "invalid_input",
      message: "The build took longer than 3600 seconds (DEPLOYMENT_BUILD_TIMEOUT_SECONDS):\nbegun",
    });
    expect(await running(runtime)).toEqual([]);
  });

  it.each([
    ["it is aborted", "Given up", (given: AbortController) => given.abort(new Error("Given up"))],
    [
      "its output cannot be recorded",
      "The database is gone",
      () => {
        throw new Error("The database is gone");
      },
    ],
  ])("ends when %s", async (_, message, end) => {
    const runtime = await newProject({});
    const given = new AbortController();
    const onOutput = async (lines: string[]) => {
      if (lines.includes("begun")) end(given);
    };
    const input = { buildCommand: "echo begun; sleep 600", signal: given.signal, onOutput };
    expect((await build(runtime, input)).failure).toMatchObject({ message });
    expect(await running(runtime)).toEqual([]);
  });

  it("stops the one that a dead executor has left, and is stopped by nothing that comes too late", async () => {
    const runtime = await newProject({});
    const lines: string[] = [];
    const onOutput = (more: string[]) => void lines.push(...more);
    const first = build(runtime, { buildCommand: "echo begun; sleep 600", onOutput });
    await vi.waitUntil(() => lines.includes("begun"));
    const waits = "until [ -e go ]; do sleep 0.05; done; echo second";
    const second = build(runtime, { buildCommand: waits });
    expect((await first).failure).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("stopped"),
    });
    // All that the first one does at its end is done.
    await runtime.writeFile("go", bytes(""));
    expect(await second).toEqual({ lines: [`$ ${waits}`, "second"], failure: undefined });
  });

  it("installs packages first, again after an interruption, and not when they are there", async () => {
    const manifest = {
      name: "app",
      version: "1.0.0",
      scripts: { build: "tool > dist/index.html" },
      devDependencies: { tool: "file:tool" },
    };
    const runtime = await newProject({
      "package.json": JSON.stringify(manifest),
      "tool/package.json": JSON.stringify({ name: "tool", version: "1.0.0", bin: "tool.js" }),
      "tool/tool.js": "#!/usr/bin/env node\nconsole.log('<p>' + process.env.NODE_ENV)",
      "dist/.keep": "",
    });
    const command = { buildCommand: "npm run build" };
    const first = await build(runtime, command);
    expect(first.failure).toBeUndefined();
    expect(first.lines).toContain("$ npm install --include=dev");
    expect(await runtime.stat(".deployment-install")).toBeUndefined();
    const second = await build(runtime, command);
    expect(second.lines.filter((line) => line.startsWith("$"))).toEqual(["$ npm run build"]);

    await runtime.writeFile(".deployment-install", bytes(""));
    await runtime.remove("node_modules/tool", { recursive: true });
    const third = await build(runtime, { ...command, env: { NODE_ENV: "production" } });
    expect(third).toMatchObject({ failure: undefined });
    expect(third.lines).toContain("$ npm ci --include=dev");
    expect(new TextDecoder().decode(await runtime.readFile("dist/index.html"))).toBe("<p>production\n");
  });

  it("whose packages cannot be installed says so", async () => {
    const runtime = await newProject({ "package.json": "{", "package-lock.json": "" });
    const { failure } = await build(runtime, { buildCommand: "true" });
    expect(failure).toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(/^The installation of the packages failed: exit code \d+:\n/u),
    });
  });

  it("has a bundle in which links and unreadable files are as they should be", async () => {
    const runtime = await newProject({ "site/real": "real", "site/secret": "unreadable", other: "no" });
    const links = "ln -s real link; ln -s ../other beyond; ln -s /etc/passwd p; ln -s /app/site/real abs";
    await runtime.exec(`cd site; ${links}; chmod 0 secret`, { timeoutMs: HANGS_MS });
    const scene = newScene();
    const input = { ...scene.input, outputDirectory: "site" };
    const bundle = await storeBundle(scene.deps, runtime, input);
    expect(await contentsOf(scene, bundle)).toEqual({
      abs: "real",
      link: "real",
      real: "real",
      secret: "unreadable",
    });
  });
});
